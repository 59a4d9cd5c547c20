"""A calibration session: people talked about items, so these items are not labelled blind by this study any more."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from agreement.errors import ConfigError, InputRefused, Problem
from flows.close import Done
from flows.reading.findings import Findings
from flows.reading.intake import take_in
from flows.reading.tables import read_table
from flows.storage.order import require_study
from flows.storage.parquet_object import put_query
from flows.storage.project import Change, Project
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


def require_not_discussed(change: Change, study_id: str, frame: Path, file: str) -> None:
    """Items of a calibration or an adjudication of this study may not be drawn into a measured round."""
    known = change.state.studies.get(study_id)
    held = (change.objects.standing(event.payload["items"]) for event in known.calibrations) if known else ()
    lists = [str(path) for path in held if path is not None]
    seen = [(item, "was discussed in a calibration") for item in _among(change, frame, lists)]
    decided = rows(
        change.con,
        """select distinct item_id from adjudication where study_id = ?
           and item_id in (select item_id from read_parquet(?)) order by item_id limit 1000""",
        [study_id, str(frame)],
    )
    seen += [(item, "was decided by an adjudicator") for (item,) in decided]
    if seen:
        raise InputRefused(
            f"{file}: {len(seen)} items were discussed in this study before; nothing stored",
            [Problem("item-shown-before", why, "Draw another item.", file=file, value=shown(i)) for i, why in seen],
            counts={"item-shown-before": len(seen)},
        )


def _among(change: Change, frame: Path, lists: list[str]) -> list[str]:
    if not lists:
        return []
    found = rows(
        change.con,
        """select distinct item_id from read_parquet($lists) where item_id in (select item_id from read_parquet($frame))
           order by item_id limit 1000""",
        {"lists": lists, "frame": str(frame)},
    )
    return [item for (item,) in found]


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
