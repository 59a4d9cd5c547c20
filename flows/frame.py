"""The items of a round and who was asked about each: read, checked, and put away as objects."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from agreement.errors import InputRefused
from flows.reading.findings import Findings
from flows.reading.intake import take_in
from flows.reading.tables import Table, read_table
from flows.slice_conditions import check_conditions, unchecked
from flows.storage.parquet_object import put_query
from flows.storage.project import Change
from flows.storage.store import rows
from schemas.names import id_fault
from schemas.round_file import RoundFile
from schemas.study import Study

VERSION_COLUMNS = ("item_version", "content_hash")
# Ids that need no second look; whatever else there is goes through `id_fault`, text by text.
PLAIN_ID = "[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,99}"
PROBABILITY = re.compile(r"0?\.[0-9]+|1|1\.0+|[0-9]{1,18}/0*[1-9][0-9]{0,17}", re.ASCII)
CORE = ("item_id", *VERSION_COLUMNS, "cell", "slice", "inclusion_probability")
# Code, column, SQL of the value, SQL of what makes a row wrong, and that condition's parameters.
_Check = tuple[str, str, str, str, list[object]]


@dataclass(frozen=True)
class Frame:
    """A round's items as frozen.

    digest: of the Parquet object, whatever the order of the file's rows. metadata: names of the further columns kept in
    it. unchecked: slices whose condition could not be checked, because the file does not have its column.
    """

    file: str
    digest: str
    n_items: int
    slices: tuple[tuple[str, int], ...]
    metadata: tuple[str, ...]
    unchecked: tuple[str, ...]


def read_frame(change: Change, path: Path, study: Study) -> Frame:
    """Read a file of items: item_id, item_version (or content_hash), slice, and optionally cell,
    inclusion_probability and any metadata. InputRefused with every problem, nothing stored.

    Where the study has one slice the column may be absent; without `cell` an item's cell is its slice, or `rest` in
    the uniform one.
    """
    table = read_table(take_in(path, change.objects), change.con)
    found = Findings(table.file)
    version = next((name for name in VERSION_COLUMNS if table.has(name)), None)
    needed = [name for name in ("item_id", "slice", study.cluster) if name and not table.has(name)]
    if len(study.slice_names()) == 1 and "slice" in needed:
        needed.remove("slice")
    for name in (*needed, *([] if version else ["item_version"])):
        found.add("missing-column", f"no column {name}", line=1, column=name)
    if found:
        raise found.refusal(table.n_rows)
    columns = _columns(table, study, str(version))
    _check_items(change, table, columns, study, found)
    check_conditions(change, table, columns["slice"], study, found)
    if found:
        raise found.refusal(table.n_rows)
    metadata = tuple(name for name in table.columns if name not in CORE)
    return Frame(
        file=table.file,
        digest=_put(change, table, columns, metadata),
        n_items=table.n_rows,
        slices=tuple(
            rows(change.con, f"select {columns['slice']} s, count(*) from {table.relation} group by s order by s")
        ),
        metadata=metadata,
        unchecked=unchecked(table, study),
    )


def read_assignments(change: Change, folder: Path, round_file: RoundFile, study: Study, frame: Frame) -> str:
    """Digest of the assignments as frozen: the file's, or every regular annotator on every item.

    Every item needs two annotators or more, all of the roster, none of them a reserve or a model.
    """
    frame_path = str(change.objects.path(frame.digest))
    if round_file.assignments is None:
        return _everyone(change, study, frame, frame_path)
    table = read_table(take_in(folder / round_file.assignments, change.objects), change.con)
    found = Findings(table.file)
    for name in ("item_id", "annotator_id"):
        if not table.has(name):
            found.add("missing-column", f"no column {name}", line=1, column=name)
    if not found:
        _check_assignments(change, table, study, frame_path, found)
    if found:
        raise found.refusal(table.n_rows)
    item, who = table.sql("item_id"), table.sql("annotator_id")
    query = f"select {item} item_id, {who} annotator_id from {table.relation} order by all"
    return put_query(change.con, change.objects, query)


def _columns(table: Table, study: Study, version: str) -> dict[str, str]:
    """SQL for each column of a frame. Only names of the temporary table and quoted constants."""
    slices = study.slice_names()
    the_slice = table.sql("slice") if table.has("slice") else f"'{slices[0]}'"
    default_cell = f"case when {the_slice} = 'uniform' then 'rest' else {the_slice} end"
    return {
        "item_id": table.sql("item_id"),
        "item_version": table.sql(version),
        "cell": table.sql("cell") if table.has("cell") else default_cell,
        "slice": the_slice,
        "inclusion_probability": table.sql("inclusion_probability") if table.has("inclusion_probability") else "''",
        "cluster": table.sql(study.cluster) if study.cluster else "''",
    }


def _check_items(change: Change, table: Table, columns: dict[str, str], study: Study, found: Findings) -> None:
    item, probability = columns["item_id"], columns["inclusion_probability"]
    for name in ("item_id", "item_version", "cell"):
        _check_ids(change, table, name, columns[name], found)
    wrong = [
        text
        for (text,) in rows(change.con, f"select distinct {probability} from {table.relation}")
        if not is_probability(text)
    ]
    checks: Sequence[_Check] = (
        (
            "unknown-slice",
            "slice",
            columns["slice"],
            f"not list_contains(?, {columns['slice']})",
            [list(study.slice_names())],
        ),
        (
            "bad-probability",
            "inclusion_probability",
            probability,
            f"list_contains(?, {probability})",
            [wrong],
        ),
        (
            "duplicate-item",
            "item_id",
            item,
            f"{item} in (select {item} from {table.relation} group by 1 having count(*) > 1)",
            [],
        ),
    )
    _add_rows(change, table, checks, found)


def is_probability(text: str) -> bool:
    """Whether a text may stand for an item's chance of being drawn: above 0, at most 1, or empty where unknown."""
    if text == "":
        return True
    if PROBABILITY.fullmatch(text) is None:
        return False
    return 0 < Fraction(text) <= 1


def _check_ids(change: Change, table: Table, name: str, column: str, found: Findings) -> None:
    query = f"select rowid, {column} from {table.relation} where not regexp_full_match({column}, ?) order by rowid"
    for row, text in rows(change.con, query, [PLAIN_ID]):
        if (fault := id_fault(text)) is not None:
            found.add("id-characters", f"not an id: it {fault}", line=table.line_of(row), column=name, value=text)


def _add_rows(change: Change, table: Table, checks: Sequence[_Check], found: Findings) -> None:
    for code, name, value, condition, params in checks:
        query = f"select rowid, {value} from {table.relation} where {condition} order by rowid"
        for row, text in rows(change.con, query, params):
            found.add(code, _MESSAGES[code], line=table.line_of(row), column=name, value=text)


_MESSAGES = {
    "unknown-slice": "not a registered slice",
    "bad-probability": "not a probability",
    "duplicate-item": "the item stands more than once",
    "unknown-annotator": "not a regular annotator of the roster",
    "unknown-item": "not an item of the frame",
    "duplicate-assignment": "assigned twice to the same annotator",
}


def _put(change: Change, table: Table, columns: dict[str, str], metadata: tuple[str, ...]) -> str:
    core = ", ".join(f"{sql} {name}" for name, sql in columns.items())
    # Names out of the file are quoted; they are only ever column names of a file of our own.
    extra = "".join(f", {table.sql(name)} {_quoted(name)}" for name in metadata)
    return put_query(change.con, change.objects, f"select {core}{extra} from {table.relation} order by item_id")


def _quoted(name: str) -> str:
    return '"meta:' + name.replace('"', '""') + '"'


def _everyone(change: Change, study: Study, frame: Frame, frame_path: str) -> str:
    people = sorted(study.regular_ids())
    if len(people) < 2:
        raise InputRefused(
            f"{frame.file}: {len(people)} regular annotator on the roster, and agreement needs two; nothing stored",
            code="one-annotator",
            next_step="Register a roster of at least two people who are no reserves.",
        )
    query = "select item_id, unnest($people) annotator_id from read_parquet($frame) order by all"
    return put_query(change.con, change.objects, query, {"people": people, "frame": frame_path})


def _check_assignments(change: Change, table: Table, study: Study, frame_path: str, found: Findings) -> None:
    item, who = table.sql("item_id"), table.sql("annotator_id")
    regular = list(study.regular_ids())
    checks: Sequence[_Check] = (
        ("unknown-annotator", "annotator_id", who, f"not list_contains(?, {who})", [regular]),
        ("unknown-item", "item_id", item, f"{item} not in (select item_id from read_parquet(?))", [frame_path]),
        (
            "duplicate-assignment",
            "item_id",
            item,
            f"({item}, {who}) in (select {item}, {who} from {table.relation} group by all having count(*) > 1)",
            [],
        ),
    )
    _add_rows(change, table, checks, found)
    few = rows(
        change.con,
        f"""select item_id, count({who}) n from read_parquet(?) left join {table.relation} on {item} = item_id
            group by item_id having n < 2 order by item_id""",
        [frame_path],
    )
    for text, n in few:
        message = f"assigned to {n} annotator{'' if n == 1 else 's'}, and agreement needs two"
        found.add("one-annotator", message, column="item_id", value=text)
