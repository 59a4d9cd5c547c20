"""The rows of a delimited file that fit, where some do not: read so that all that is wrong is said at once."""

from __future__ import annotations

import csv

from flows.reading.findings import LISTED
from flows.reading.intake import Intake
from flows.reading.scan import LONGEST_RECORD, Scan
from flows.reading.text_table import Table, load_texts
from flows.storage.store import Connection

LARGEST = 64 << 20  # bytes held in memory for it
# Faults that leave the lines around them as they are.
_OF_ONE_LINE = frozenset({"blank-line", "ragged-row", "truncated"})


def can_go_on(intake: Intake, result: Scan) -> bool:
    """Whether all that is wrong are lines of their own, each of them known."""
    few = sum(result.counts.values()) <= LISTED and intake.census.size <= LARGEST
    return few and result.counts.keys() <= _OF_ONE_LINE and not result.long_records.size


def rows_that_fit(
    intake: Intake, con: Connection, mark: bytes, columns: tuple[str, ...], header: bool, result: Scan
) -> Table:
    """The table without the lines the scan found at fault."""
    bad = {fault.line for fault in result.faults}
    physical = intake.path.read_bytes().decode("utf-8-sig").removesuffix("\n").split("\n")
    kept = [line for line in range(1 + header, len(physical) + 1) if line not in bad]
    csv.field_size_limit(LONGEST_RECORD)
    cells = csv.reader((physical[line - 1].removesuffix("\r") for line in kept), delimiter=mark.decode(), strict=True)
    relation = load_texts(con, list(cells), len(columns))
    return Table(relation, columns, len(kept), intake.name, "CSV", lambda row: kept[row])
