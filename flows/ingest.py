"""Labels in: every row of every file checked, then all stored or none."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from agreement.errors import ConfigError, InputRefused, OutOfOrder, Problem
from flows.formats.reading import ReadOptions
from flows.labels import set_checks
from flows.labels.exports_in import Export, left_to_translate, options_of, read_intake, read_plain
from flows.labels.ingest_result import FileResult, IngestResult
from flows.labels.label_notes import notes_on, time_span
from flows.labels.label_rows import LabelRows, Target, canonical, count
from flows.labels.row_checks import check_rows
from flows.labels.set_checks import Comparison
from flows.labels.trap_checks import check_traps
from flows.reading.findings import Findings
from flows.reading.intake import Intake, take_in
from flows.reading.places import at_places
from flows.reading.tables import Table, read_table
from flows.register import registered_study
from flows.storage.order import require
from flows.storage.parquet_object import put_query
from flows.storage.project import Change, Project
from flows.storage.state import NEVER, RoundState
from flows.storage.store import rows
from schemas.format_map import FormatMap, parse_format_map
from schemas.names import shown
from schemas.records import Codebook
from schemas.round_file import RoundFile, parse_round
from schemas.study import Study

# The keys of the round file that say how files are read.
_READ_BY = {
    *("columns", "constants", "ignore", "annotators", "labels"),
    *("project", "content", "abstentions", "empty_means"),
}
SET_ASIDE = ("other-version", "other-round", "gold")


@dataclass(frozen=True)
class _Batch:
    """What all files of one ingest share."""

    change: Change
    round: RoundState
    target: Target
    book: Codebook
    names: RoundFile | None
    set_aside: tuple[str, ...]
    revision: str | None
    declare_empty: bool
    options: ReadOptions
    format: str | None
    passes: int
    abstaining: Mapping[str, str]

    @property
    def map_digest(self) -> str:
        """Digest of how the files are read: the same bytes read otherwise are another submission."""
        how = self.options.format_map
        parts: dict[str, Any] = {"format": self.format, "question": self.options.question}
        parts |= {"map": how.model_dump(mode="json")} if how else {}
        if self.names is not None:
            parts |= {"names": self.names.model_dump(mode="json", include=_READ_BY)}
        if not any(parts.values()):
            return ""
        return self.change.objects.put(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode())


def ingest(
    project: Project,
    round_id: str,
    files: Sequence[Path],
    *,
    study_id: str | None = None,
    revision: str | None = None,
    set_aside: Iterable[str] = (),
    round_file: RoundFile | None = None,
    declare_empty: bool = False,
    format: str | None = None,
    question: str | None = None,
) -> IngestResult:
    """Bring files of labels into an open round. All files pass, or nothing of any is stored.

    revision: the reason why answers differ from those that came in before; without it such rows are refused.
    set_aside: kinds of row to keep and count without using them, of SET_ASIDE; refused otherwise.
    round_file: how the files name things; the one the round was opened with if left out.
    declare_empty: a file with a header and no rows is meant.
    format: name of the export's format, where its content shall not decide. question: which, where it holds several.
    Both go before what the round file says.

    Raises InputRefused with every problem of every file (each refused file is an event, its bytes are kept),
    OutOfOrder if the round does not take labels now, ConfigError for arguments.
    """
    set_aside = _checked_set_aside(set_aside, round_file)
    with project.changing() as change:
        round_state = change.state.round(round_id, study_id)
        require("ingest", round_state)
        batch = _batch(change, round_state, set_aside, revision, round_file, declare_empty)
        batch = _with_reading(batch, files, format, question)
        set_checks.begin(change.con, batch.target.params)
        prepared, refusals = [], []
        for path in files:
            try:
                prepared.append(_prepare(batch, path))
            except InputRefused as refusal:
                refusals.append(refusal)
                _record_refusal(batch, path, refusal)
        if refusals:
            raise _all_refusals(refusals, len(files))
        return IngestResult(tuple(_commit(batch, one) for one in prepared))


def _checked_set_aside(asked: Iterable[str], round_file: RoundFile | None) -> tuple[str, ...]:
    kinds = {*asked, *(round_file.set_aside if round_file else ())}
    unknown = sorted(kinds - set(SET_ASIDE))
    if unknown:
        raise ConfigError(
            f"--set-aside {', '.join(shown(k) for k in unknown)}: not a kind of row that can be set aside",
            [Problem("unknown-set-aside", "not a kind", f"Known: {', '.join(SET_ASIDE)}.", value=unknown[0])],
        )
    return tuple(kind for kind in SET_ASIDE if kind in kinds)


def _batch(
    change: Change,
    round_state: RoundState,
    set_aside: tuple[str, ...],
    revision: str | None,
    names: RoundFile | None,
    declare_empty: bool,
) -> _Batch:
    if names is None and round_state.opened.payload.get("round_file"):
        names = parse_round(change.objects.read(round_state.opened.payload["round_file"]), "round.yaml")
        set_aside = _checked_set_aside(set_aside, names)
    if revision is not None and not revision.strip():
        raise ConfigError(
            "--revision: give the reason for the change",
            code="blank-reason",
            next_step="Say in a sentence why; it is kept for ever.",
        )
    if revision is not None and round_state.results_seen < NEVER:
        raise OutOfOrder(
            f"ingest {round_state.round_id}: the results have been seen, so labels are not revised any more",
            [Problem("revision-after-results", "a revision comes before the round is measured or looked at")],
            next_step="Tell what is wrong with the labels: `goldgate deviation ROUND TEXT`. The report will print it.",
        )
    study = registered_study(change.objects, change.state, round_state)
    target = Target(round_state.study_id, round_state.round_id, round_state.guideline_version)
    book = codebook(study, round_state.guideline_version)
    return _Batch(
        change, round_state, target, book, names, set_aside, revision, declare_empty, ReadOptions(), None,
        study.passes, _abstaining(change, round_state, names),
    )  # fmt: skip


def _abstaining(change: Change, round_state: RoundState, names: RoundFile | None) -> dict[str, str]:
    """How abstaining is written by this round's file, and was by those of the study's other rounds: to where."""
    known = dict.fromkeys(names.abstentions if names else (), "in this round.yaml")
    for other in reversed(change.state.rounds_of(round_state.study_id)):
        digest = other.opened.payload.get("round_file")
        if digest and other.round_id != round_state.round_id:
            declared = parse_round(change.objects.read(digest), "round.yaml").abstentions
            known = dict.fromkeys(declared, f"in round {other.round_id}") | known
    return known


def _with_reading(batch: _Batch, files: Sequence[Path], format: str | None, question: str | None) -> _Batch:
    """How exports of other tools are read: what the caller says, else the round file."""
    names = batch.names
    how = None
    if names is not None:
        served = {entry.study: entry.question for entry in names.studies()}
        question = question or served.get(batch.target.study_id)
        format = format or names.format
        how = _format_map(files, names.map) if names.map and files else None
    return replace(batch, options=options_of(names, question, how, batch.book.categories), format=format)


def _format_map(files: Sequence[Path], name: str) -> FormatMap:
    """The map of a flat export, in the folder of the files."""
    path = files[0].parent / name
    if not path.is_file():
        fix = "Put it beside the files, or correct `map:` in round.yaml."
        raise ConfigError(f"{name}: there is no such map", [Problem("no-such-file", "is not there", fix, file=name)])
    return parse_format_map(path.read_bytes(), name)


def codebook(study: Study, guideline_version: str) -> Codebook:
    """What the study allows in a row."""
    values = study.category_values()
    return Codebook(
        categories=values,
        abstention_reasons=study.abstention_reasons,
        annotators=study.annotator_ids(),
        adjudicators=study.adjudicator_ids(),
        guideline_version=guideline_version,
        duplicates=study.duplicates,
        positive=tuple(v for v, is_positive in zip(values, study.positive_mask(), strict=True) if is_positive),
    )


@dataclass(frozen=True)
class _Prepared:
    """A file that passed: its payload with the canonical rows stored, or None if it brings nothing new."""

    result: FileResult
    payload: dict[str, Any] | None


def _prepare(batch: _Batch, path: Path) -> _Prepared:
    """Read and check one file. InputRefused with everything that is wrong with it."""
    con = batch.change.con
    intake = take_in(path, batch.change.objects)
    if _came_before(batch, intake):
        return _Prepared(FileResult(intake.name, True, 0, notes=("already done: the same bytes came in before",)), None)
    export = _export(batch, intake)
    faults = Findings(intake.name)
    table = read_table(intake, con, faults=faults) if export is None else export.table
    names = batch.names if export is None else left_to_translate(batch.names)
    try:
        return _checked(batch, intake, table, names, export, faults)
    except InputRefused as refusal:
        raise at_places(refusal, table.paths) from refusal


def _export(batch: _Batch, intake: Intake) -> Export | None:
    """The file as another tool's export; None if it is a plain table that needs no more than columns named."""
    con, options = batch.change.con, batch.options
    export = read_intake(intake, con, options, batch.format)
    if export is None and (options.abstentions or options.empty_means):
        export = read_plain(intake, con, options)
    return export


def _checked(
    batch: _Batch, intake: Intake, table: Table, names: RoundFile | None, export: Export | None, found: Findings
) -> _Prepared:
    """Check every row of a table against the study, the frame and what came in before.

    found: lines that are no rows; the file is refused for them, with whatever else is wrong.
    """
    con, n_rows = batch.change.con, table.n_rows + sum(found.counts.values())
    if n_rows == 0 and not batch.declare_empty:
        found.add("no-rows", "has a header and no rows", line=1)
        raise found.refusal()
    try:
        labels = canonical(con, table, batch.target, names, batch.set_aside)
    except InputRefused as refusal:
        found.take(refusal)
        raise found.refusal() from refusal
    check_rows(con, labels, batch.book, found)
    set_checks.check_set(con, labels, batch.book.duplicates, found)
    check_traps(con, labels, batch.book, batch.passes, batch.abstaining, found)
    comparison = set_checks.compare_with_present(con, labels)
    if batch.revision is None:
        set_checks.changed(con, labels, comparison, found)
    found.raise_if_any(n_rows)
    return _accept(batch, intake, labels, comparison, export)


def _came_before(batch: _Batch, intake: Intake) -> bool:
    """The same bytes, read the same way, and nothing revised since: after a revision the rows have to be compared."""
    for event in reversed(batch.round.submissions):
        if event.payload["raw"] == intake.digest and event.payload["map"] == batch.map_digest:
            return True
        if event.payload["n_revised"]:
            return False
    return False


def _accept(
    batch: _Batch, intake: Intake, labels: LabelRows, comparison: Comparison, export: Export | None
) -> _Prepared:
    """Store the rows that are new or revised; the event's payload is ready but nothing is committed yet."""
    con = batch.change.con
    fresh, n_new, n_there, n_revised = comparison.fresh, comparison.n_new, comparison.n_same, comparison.n_changed
    if labels.n_rows and not n_new + n_revised:
        note = "same-content: every row came in before"
        return _Prepared(FileResult(intake.name, True, labels.n_rows, n_already_there=n_there, notes=(note,)), None)
    opened = datetime.fromisoformat(batch.round.opened.ts) if batch.round.kind == "measured" else None
    notes, copied = notes_on(con, labels, batch.change.project.clock(), opened, batch.book.positive)
    notes = [*export.notes(), *notes] if export else notes
    loss = export.reading.loss if export else ()
    set_aside = dict(
        rows(con, f"select set_aside, count(*) from {fresh} where set_aside <> '' group by all order by all")
    )
    query = f"""select item_id, item_version, annotator_id, status, "label", abstain_reason, guideline_version,
                  labelled_at, origin, set_aside, occurrence
                from {fresh} order by all"""
    n_extra = _count_extra(batch, labels)
    payload = {
        "study_id": batch.target.study_id,
        "round_id": batch.target.round_id,
        "file_name": intake.name,
        "raw": intake.digest,
        "raw_size": intake.census.size,
        "canonical": put_query(con, batch.change.objects, query),
        "map": batch.map_digest,
        "n_rows": labels.n_rows,
        "n_new": n_new,
        "n_already_there": n_there,
        "n_revised": n_revised,
        "n_extra": n_extra,
        "set_aside": set_aside,
        "annotators": [a for (a,) in rows(con, f"select distinct annotator_id from {labels.relation} order by all")],
        "guideline_version": batch.target.guideline_version,
        "revision": batch.revision or "",
        "late": bool(batch.round.measured),
        "copied": [list(pair) for pair in copied],
        "notes": notes,
        "loss": list(loss),
        **time_span(con, labels),
    }
    result = FileResult(
        intake.name,
        False,
        labels.n_rows,
        n_new,
        n_there,
        n_revised,
        sum(set_aside.values()),
        n_extra,
        tuple(notes),
        loss,
    )
    set_checks.add_to_present(con, comparison)
    return _Prepared(result, payload)


def _count_extra(batch: _Batch, labels: LabelRows) -> int:
    """Answers on anything but a frozen assignment."""
    con = batch.change.con
    con.execute(
        """create or replace temp table asked as
           select item_id, annotator_id from assignment where study_id = $study and round_id = $round
           except all
           select item_id, annotator_id from released_assignment where study_id = $study and round_id = $round""",
        batch.target.params,
    )
    return count(
        con,
        f"{labels.relation} anti join asked using (item_id, annotator_id)",
        "set_aside = '' and origin = 'own' and status = 'labelled'",
    )


def _commit(batch: _Batch, prepared: _Prepared) -> FileResult:
    if prepared.payload is None:
        return prepared.result
    event = batch.change.commit("submission.ingested", prepared.payload)
    return FileResult(**{**vars(prepared.result), "event": event})


def _record_refusal(batch: _Batch, path: Path, refusal: InputRefused) -> None:
    """A refused file is an event: name, digest and counts per reason. Its bytes stay in objects/."""
    raw = ""
    with suppress(InputRefused):  # what could not be taken in has no bytes to keep
        raw = take_in(path, batch.change.objects).digest
    batch.change.commit(
        "ingest.refused",
        {
            "study_id": batch.target.study_id,
            "round_id": batch.target.round_id,
            "file_name": shown(path.name),
            "raw": raw,
            "counts": [[code, n] for code, n in sorted(refusal.counts.items())],
        },
    )


def _all_refusals(refusals: Sequence[InputRefused], n_files: int) -> InputRefused:
    """One refusal of a batch: every problem of every file."""
    if len(refusals) == 1 and n_files == 1:
        return refusals[0]
    problems = [p for refusal in refusals for p in refusal.problems]
    counts: dict[str, int] = {}
    for refusal in refusals:
        for code, n in refusal.counts.items():
            counts[code] = counts.get(code, 0) + n
    headlines = "; ".join(refusal.headline.removesuffix(", nothing stored") for refusal in refusals)
    return InputRefused(
        f"{headlines}; {len(refusals)} of {n_files} files refused, nothing of the batch stored",
        problems,
        "Correct the files named and run the command again.",
        counts,
    )
