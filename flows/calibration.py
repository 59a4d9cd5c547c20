"""A calibration session: people talked about items, so these items are not labelled blind by this study any more."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from agreement.errors import ConfigError, Problem
from flows.close import Done
from flows.reading.findings import Findings
from flows.reading.intake import take_in
from flows.reading.tables import read_table
from flows.storage.order import require_study
from flows.storage.parquet_object import put_query
from flows.storage.project import Project
from flows.storage.store import rows
from schemas.names import ID_PATTERN, person_fault, shown


def hold_calibration(project: Project, study_id: str, file: Path, people: Sequence[str]) -> Done:
    """Record a session: which items (a file with `item_id`) and which people.

    It must be over before a measured round of the study opens, and its items are refused there. Raises OutOfOrder while
    a measured round is open, InputRefused for the file, ConfigError for the people.
    """
    _check_people(people)
    with project.changing() as change:
        study_state = change.state.study(study_id)
        require_study("calibration", study_state, change.state)
        intake = take_in(file, change.objects)
        for event in study_state.calibrations:
            if event.payload["raw"] == intake.digest and event.payload["people"] == sorted(set(people)):
                return Done(True, event)
        table = read_table(intake, change.con)
        found = Findings(table.file)
        if not table.has("item_id"):
            found.add("missing-column", "no column item_id", line=1, column="item_id")
            raise found.refusal(table.n_rows)
        item = table.sql("item_id")
        query = f"select rowid, {item} from {table.relation} where not regexp_full_match({item}, ?) order by rowid"
        for row, text in rows(change.con, query, [ID_PATTERN]):
            found.add("id-characters", "not an id", line=table.line_of(row), column="item_id", value=text)
        found.raise_if_any(table.n_rows)
        items = put_query(
            change.con, change.objects, f"select distinct {item} item_id from {table.relation} order by 1"
        )
        event = change.commit(
            "calibration.held",
            {
                "study_id": study_id,
                "file_name": intake.name,
                "raw": intake.digest,
                "items": items,
                "n_items": table.n_rows,
                "people": sorted(set(people)),
            },
        )
        return Done(False, event)


def _check_people(people: Sequence[str]) -> None:
    problems = [
        Problem("bad-person", f"a person's id {fault}", "Use ids as on the roster.", value=shown(who))
        for who in people
        if (fault := person_fault(who)) is not None
    ]
    if not people:
        problems.append(Problem("no-people", "nobody is named", "Name who took part with --people."))
    if problems:
        raise ConfigError("calibration: nothing stored", problems)
