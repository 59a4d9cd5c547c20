"""The export of another tool as a table of our own columns, which ingest and `agreement FILE` take like any other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flows.formats.flat import read as read_flat
from flows.formats.reading import Reading, ReadOptions
from flows.formats.recognise import name_of, read_export, recognise
from flows.reading.intake import Intake, require_plain
from flows.reading.text_table import Table, new_relation
from flows.storage.store import Connection, rows
from schemas.format_map import FormatMap
from schemas.round_file import RoundFile

LARGEST_READ_WHOLE = 64 << 20  # of a larger file only the beginning decides whether it is an export
COLUMNS = ("item_id", "annotator_id", "status", "label", "abstain_reason", "labelled_at", "origin")


@dataclass(frozen=True)
class Export:
    """table: columns of COLUMNS, and item_version where the file holds the content. reading: what was understood."""

    table: Table
    reading: Reading

    def notes(self) -> tuple[str, ...]:
        asked = f", question {self.reading.question}" if self.reading.question else ""
        return (f"read as {self.reading.format}{asked}", *self.reading.notes)


def read_intake(intake: Intake, con: Connection, options: ReadOptions, name: str | None = None) -> Export | None:
    """The file as an export: of the format named, of the map in the options, or of one that it is recognised as.

    None if it is a plain table. InputRefused with every problem found. Nested exports are held in memory.
    """
    require_plain(intake)
    if name is None and options.format_map is None and not is_export(intake):
        return None
    reading = read_export({intake.name: intake.path.read_bytes()}, options, name)
    return None if reading is None else Export(_table(con, intake.name, reading), reading)


def read_plain(intake: Intake, con: Connection, options: ReadOptions) -> Export:
    """A plain table by the options alone, for what ingest's own reading of plain files does not know."""
    reading = read_flat({intake.name: intake.path.read_bytes()}, options)
    return Export(_table(con, intake.name, reading), reading)


def is_export(intake: Intake) -> bool:
    """Whether the file looks like the export of a known tool."""
    whole = intake.census.size <= LARGEST_READ_WHOLE
    return recognise({intake.name: intake.path.read_bytes() if whole else intake.head}) is not None or (
        intake.head.startswith(b"PK\x03\x04") and _is_archive(intake)
    )


def has_class_numbers(intake: Intake) -> bool:
    """Whether this is a Parquet or Arrow file whose labels are numbers with names kept elsewhere in the file."""
    if not intake.head.startswith((b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")):
        return False
    found = recognise({intake.name: intake.path.read_bytes()})
    return found is not None and name_of(found) == "hugging-face"


def _is_archive(intake: Intake) -> bool:
    from flows.formats.archive import is_archive

    return is_archive(intake.path.read_bytes())


def options_of(
    names: RoundFile | None,
    question: str | None,
    how: FormatMap | None,
    categories: Sequence[str],
) -> ReadOptions:
    """What the round file says about reading an export."""
    if names is None:
        return ReadOptions(question=question, format_map=how, categories=categories)
    return ReadOptions(
        question=question,
        item_key=names.columns.get("item_id"),
        content=names.content,
        columns={str(ours): theirs for ours, theirs in names.columns.items()},
        constants={str(k): v for k, v in names.constants.items() if k != "guideline_version"},
        annotators=names.annotators,
        categories=(*categories, *names.labels),
        abstentions=names.abstentions,
        empty_means=names.empty_means,
        project=names.project,
        format_map=how,
    )


def left_to_translate(names: RoundFile | None) -> RoundFile | None:
    """The round file without what the reader has done: people, labels and the guideline version are still to map."""
    if names is None:
        return None
    kept = {k: v for k, v in names.constants.items() if k == "guideline_version"}
    return names.model_copy(update={"columns": {}, "constants": kept, "ignore": ()})


def _table(con: Connection, file: str, reading: Reading) -> Table:
    import pyarrow as pa

    found = reading.rows
    columns = (*COLUMNS, "item_version") if _versions_count(con, reading) else COLUMNS
    cells = {f"c{i}": pa.array(getattr(found, name), pa.string()) for i, name in enumerate(columns)}
    relation = new_relation(con, len(columns))
    con.register("export_rows", pa.table(cells))
    con.execute(f"insert into {relation} select * from export_rows")
    con.unregister("export_rows")
    lines = found.line if not any(found.path) else range(1, len(found) + 1)
    return Table(relation, columns, len(found), file, reading.format, lambda row: lines[row], paths=found.path)


def _versions_count(con: Connection, reading: Reading) -> bool:
    """Whether the content hashes can be compared with the round's frame: only if its versions are such hashes too."""
    if not any(reading.rows.item_version):
        return False
    if not rows(con, "select 1 from duckdb_tables() where temporary and table_name = 'frame_here'"):
        return True  # no round: `agreement FILE`
    other = rows(con, "select count(*) from frame_here where not regexp_full_match(item_version, '[0-9a-f]{16}')")
    return bool(other[0][0] == 0)
