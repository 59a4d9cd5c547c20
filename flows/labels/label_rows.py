"""From a file's table to rows of labels under our names, still exactly as written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import get_args

from flows.reading.findings import Findings, column_place
from flows.reading.tables import Table
from flows.storage.store import Connection, rows
from schemas.records import TIME_PATTERN, ZONED_PATTERN
from schemas.round_file import CanonicalColumn, RoundFile

COLUMNS: tuple[str, ...] = (*get_args(CanonicalColumn), "origin")
KEY = "item_id, item_version, annotator_id, origin, set_aside"
# What stands for a column neither the file nor the round file has. The three others must come from somewhere.
_NEEDED = ("item_id", "annotator_id", "label")


@dataclass(frozen=True)
class Target:
    """The round that labels are brought into, as the checks see it."""

    study_id: str
    round_id: str
    guideline_version: str

    @property
    def params(self) -> dict[str, str]:
        return {"study": self.study_id, "round": self.round_id}


@dataclass(frozen=True)
class LabelRows:
    """Rows of labels of one file.

    relation: temporary table with src_row (row number from 0); the columns of COLUMNS; moment (the time, read as UTC
    where it names no zone), zoned (it names one), time_ok ('true' if absent or a time); frame_version (that of the
    frozen item, '' if the item is not of this round), elsewhere (the item is of another round); set_aside; occurrence.
    places: how messages call a column: its name in the file and where it stands.
    """

    relation: str
    n_rows: int
    file: str
    line_of: Callable[[int], int]
    places: Mapping[str, str]
    notes: tuple[str, ...]

    def place(self, column: str) -> str:
        return self.places.get(column, column)


def canonical(
    con: Connection, table: Table, target: Target, names: RoundFile | None, set_aside: Iterable[str] = ()
) -> LabelRows:
    """Map a table's columns by name and note for each row where its item belongs.

    names: the round file, which may name columns otherwise, give constants, and map annotators and labels. Without it
    the columns must have our names. InputRefused for columns that are missing, unexpected or unusable.
    """
    found = Findings(table.file)
    mapped = _mapped(table, names, found)
    constants = _constants(table, names, mapped)
    _check_columns(table, names, mapped, constants, found)
    found.raise_if_any()
    constants.setdefault("guideline_version", target.guideline_version)
    sources = {name: f"s.{table.sql(theirs)}" for name, theirs in mapped.items()}
    params: dict[str, object] = dict(target.params)
    for name, value in constants.items():
        if name not in sources:
            params[f"constant_{name}"] = value
            sources[name] = f"$constant_{name}"
    _translate(sources, params, "annotator_id", names.annotators if names else {})
    _translate(sources, params, "label", names.labels if names else {})
    relation = f"labels_of_{table.relation}"
    con.execute(_statement(relation, table.relation, sources, set(set_aside)), params)
    places = {name: column_place(theirs, table.position(theirs)) for name, theirs in mapped.items()}
    notes = (*table.notes, *_default_notes(mapped, constants, names))
    return LabelRows(relation, table.n_rows, table.file, table.line_of, places, notes)


def _mapped(table: Table, names: RoundFile | None, found: Findings) -> dict[str, str]:
    """Our column -> the file's. A column mapped in the round file must be there; others may have our name."""
    mapped: dict[str, str] = {}
    renamed: dict[str, str] = {str(name): theirs for name, theirs in names.columns.items()} if names else {}
    for name in COLUMNS:
        theirs = renamed.get(name, name)
        if table.has(theirs):
            mapped[name] = theirs
        elif theirs != name:
            _missing(table, theirs, f"no column {theirs!r}, which round.yaml reads as {name}", found)
    return mapped


def _constants(table: Table, names: RoundFile | None, mapped: Mapping[str, str]) -> dict[str, str]:
    constants: dict[str, str] = {str(name): value for name, value in names.constants.items()} if names else {}
    # One file for each annotator, told apart by the file's name.
    if names and "annotator_id" not in mapped and table.file in names.annotators:
        constants.setdefault("annotator_id", names.annotators[table.file])
    return constants


def _check_columns(
    table: Table, names: RoundFile | None, mapped: Mapping[str, str], constants: Mapping[str, str], found: Findings
) -> None:
    asked = {p.column for p in found.problems}
    for name in _NEEDED:
        is_mapped = name in mapped or bool(names and name in names.columns)
        if not is_mapped and name not in constants and name not in asked:
            _missing(table, name, f"no column {name}", found)
    for name in mapped.keys() & constants.keys():
        why = f"{name} is a column of the file and a constant of round.yaml"
        found.add("constant-and-column", why, line=1, column=mapped[name])
    known = {*mapped.values(), *(names.ignore if names else ())}
    for position, theirs in enumerate(table.columns):
        if theirs not in known and not (near := _meant(theirs, mapped)):
            found.add("unexpected-column", "a column nobody asked for", line=1, column=column_place(theirs, position))
        elif theirs not in known and near in mapped:
            why = f"a column nobody asked for, beside {near}"
            found.add("unexpected-column", why, line=1, column=column_place(theirs, position))
    for name, theirs in mapped.items():
        problem = table.unusable.get(theirs)
        if problem and not (name == "labelled_at" and problem.code == "converted-cell"):
            code = "several-labels" if name == "label" and problem.code == "nested-value" else problem.code
            found.add(code, problem.message, line=problem.line, column=problem.column, value=problem.value)


def _meant(theirs: str, mapped: Mapping[str, str]) -> str | None:
    """The column of ours that a nearly equal name was meant for. Such a name is reported as missing, once."""
    from schemas.names import look_alike

    return next((name for name in COLUMNS if look_alike(name) == look_alike(theirs.strip())), None)


def _missing(table: Table, name: str, message: str, found: Findings) -> None:
    near = table.nearest(name)
    hint = f"; {near!r} is nearly that" if near else f"; the first line has: {', '.join(table.columns[:8])}"
    found.add("missing-column", message + hint, line=1, column=name)


def _translate(sources: dict[str, str], params: dict[str, object], column: str, meanings: Mapping[str, str]) -> None:
    if meanings and column in sources:
        params[f"from_{column}"], params[f"to_{column}"] = list(meanings), list(meanings.values())
        was = sources[column]
        sources[column] = f"coalesce(map($from_{column}, $to_{column})[{was}], {was})"


def _statement(relation: str, table: str, sources: Mapping[str, str], set_aside: set[str]) -> str:
    blank = "''"
    label, reason = sources.get("label", blank), sources.get("abstain_reason", blank)
    # Without a status column a label is a label, and a reason beside no label an abstention.
    inferred = f"case when {label} = '' and {reason} <> '' then 'abstained' else 'labelled' end"
    named = {**dict.fromkeys(COLUMNS, blank), "origin": "'own'", "status": inferred, **sources}
    columns = ", ".join(f'{named[name]} "{name}"' for name in COLUMNS)
    # The version a file does not give is that of the frozen item: a frame has one version of each.
    version = "coalesce(f.frozen, o.frozen, '')" if "item_version" not in sources else "n.item_version"
    reasons = {
        "gold": "n.origin = 'gold'",
        "other-round": "f.frozen is null and o.frozen is not null",
        "other-version": f"f.frozen <> {version}",
    }
    cases = " ".join(f"when {reasons[why]} then '{why}'" for why in reasons if why in set_aside)
    return f"""
        create temp table {relation} as
        with named as (select s.rowid src_row, {columns} from {table} s),
        here as (select item_id, item_version frozen from frame_item where study_id = $study and round_id = $round),
        others as (select item_id, max(item_version) frozen from frame_item
                   where study_id = $study and round_id <> $round group by item_id)
        select n.* replace ({version} as item_version),
          regexp_full_match(n.labelled_at, '{ZONED_PATTERN}') zoned,
          -- Without a zone it is read as UTC: never in the machine's own zone.
          case when not regexp_full_match(n.labelled_at, '{TIME_PATTERN}') then null
               when zoned then try_cast(n.labelled_at as timestamptz)
               else try_cast(n.labelled_at as timestamp) at time zone 'UTC' end moment,
          (n.labelled_at = '' or moment is not null)::varchar time_ok,
          coalesce(f.frozen, '') frame_version, o.frozen is not null elsewhere,
          {f"case {cases} else '' end" if cases else blank} set_aside, 1::integer occurrence
        from named n left join here f using (item_id) left join others o using (item_id)"""


def _default_notes(mapped: Mapping[str, str], constants: Mapping[str, str], names: RoundFile | None) -> list[str]:
    notes = [
        f"{name} not in the file" for name in ("item_version", "status", "guideline_version") if name not in mapped
    ]
    declared = names.constants if names else {}
    return [note for note in notes if note.split()[0] not in declared]


def drop(con: Connection, labels: LabelRows) -> None:
    con.execute(f"drop table if exists {labels.relation}")


def count(con: Connection, relation: str, where: str = "true") -> int:
    return int(rows(con, f"select count(*) from {relation} where {where}")[0][0])
