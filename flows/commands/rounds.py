"""Commands about a round: open, labels in, close, and the ways around."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands import options, printing

if TYPE_CHECKING:
    from schemas.round_file import RoundFile

Folder = Annotated[Path, typer.Argument(help="The round's folder, with its round.yaml.", metavar="ROUND_FOLDER")]


def open(folder: Folder, study: options.OfStudy = None) -> None:
    """Open a round: its items and who labels what are frozen."""
    from flows.open import open_round

    found = open_round(options.project(), folder, study)
    payload = found.event.payload
    slices = ", ".join(f"{name} {n:,}" for name, n in payload["slices"])
    printing.done(found.already_done, f"{payload['round_id']} is open with {payload['n_items']:,} items ({slices}).")
    for name in payload["unchecked_slices"]:
        printing.line(f"Not checked: slice {name} is of items by a column that the frame does not have.")


KEPT_AS_EVIDENCE = "No row came in; the bytes of a refused file are kept (`goldgate redact` removes them)."


def ingest(
    round: options.Round,
    files: options.Files,
    study: options.OfStudy = None,
    revision: Annotated[str | None, typer.Option(help="Why answers differ from those that came in.")] = None,
    set_aside: Annotated[
        str, typer.Option(help="Kinds of rows to keep unused: other-version,other-round,gold.", metavar="KINDS")
    ] = "",
    empty: Annotated[bool, typer.Option("--empty", help="A file without rows is meant.")] = False,
    format: Annotated[
        str | None, typer.Option(help="Format of the files; told from their content if left out.")
    ] = None,
    question: Annotated[str | None, typer.Option(help="Which question, where the files hold several.")] = None,
    json: options.Json = False,
) -> None:
    """Bring labels in: every row is checked, then all of it is stored or nothing."""
    from agreement.errors import InputRefused
    from flows.ingest import ingest as do

    kinds = [kind for kind in set_aside.split(",") if kind]
    try:
        found = do(
            options.project(),
            round,
            files,
            study_id=study,
            revision=revision,
            set_aside=kinds,
            round_file=_round_file(files, round),
            declare_empty=empty,
            format=format,
            question=question,
        )
    except InputRefused as refusal:
        refusal.next_step = f"{refusal.next_step} {KEPT_AS_EVIDENCE}".strip()
        raise
    if json:
        printing.as_json([{k: v for k, v in vars(one).items() if k != "event"} for one in found.files])
        return
    for one in found.files:
        parts = [f"{one.n_new:,} new", f"{one.n_already_there:,} already there"]
        parts += [f"{n:,} {what}" for n, what in ((one.n_revised, "revised"), (one.n_set_aside, "set aside")) if n]
        parts += [f"{one.n_extra:,} extra (not assigned)"] if one.n_extra else []
        what = "nothing new" if one.already_done else f"{one.n_rows:,} rows, {', '.join(parts)}"
        printing.done(one.already_done, f"{one.file}: {what}.")
        for note in one.notes:
            printing.line(f"  note: {note}")
        for sentence in one.loss:
            printing.line(f"  cannot say: {sentence}")


def _round_file(files: list[Path], round_id: str) -> RoundFile | None:
    """The round file beside the labels, if it is this round's: it may say how the files name things."""
    from flows.open import ROUND_FILE, read_round_file

    folders = {file.parent for file in files}
    if len(folders) != 1 or not (folder := folders.pop()).joinpath(ROUND_FILE).is_file():
        return None
    found = read_round_file(folder)
    return found if found.round == round_id.rpartition("/")[2] else None


def status(
    round: Annotated[str | None, typer.Argument(help="One round; all open ones if left out.")] = None,
    study: options.OfStudy = None,
    json: options.Json = False,
) -> None:
    """Open rounds: labels in and expected, union positives. Nothing that compares annotators."""
    from flows.status import status as do

    found = do(options.project(), round, study)
    if json:
        printing.as_json(found)
        return
    if not found:
        printing.line("No round is open.")
    for one in found:
        printing.line(
            f"{one['study']}/{one['round']}, {one['kind']}, guideline {one['guideline_version']}, {one['state']}: "
            f"{one['labels_in']:,} of {one['labels_expected']:,} labels in."
        )
        for who, row in one["annotators"].items():
            printing.line(f"  {who}: {row['in']:,} of {row['expected']:,}")
        for name, n in (one["union_positives"] or {}).items():
            printing.line(f"  {name}: {n:,} items flagged by anybody")


def close(
    round: options.Round,
    incomplete: Annotated[str | None, typer.Option(help="Why not everything came in.", metavar="REASON")] = None,
    cut_short: Annotated[str | None, typer.Option(help="Why the round ends ungated.", metavar="REASON")] = None,
    study: options.OfStudy = None,
) -> None:
    """End a round's collection."""
    from flows.close import close_round

    found = close_round(options.project(), round, study_id=study, incomplete=incomplete, cut_short=cut_short)
    printing.done(found.already_done, f"{round} is closed ({found.event.payload['how']}).")
    _announce(found.event.payload["study_id"], found.event.payload["round_id"])


def _announce(study_id: str, round_id: str) -> None:
    """Tell a running Prefect server, if one is configured, so that `serve` measures the round at once."""
    import os

    folder = options.root() / "inbox" / study_id / round_id
    if os.environ.get("PREFECT_API_URL") and folder.is_dir():
        from flows.serve import announce_closed

        announce_closed(study_id, round_id, folder)


def reopen(round: options.Round, reason: options.Reason, study: options.OfStudy = None) -> None:
    """Take labels in again, before anything was measured."""
    from flows.close import reopen_round

    reopen_round(options.project(), round, reason, study_id=study)
    printing.line(f"{round} is open again.")


def reassign(
    round: options.Round,
    from_annotator: Annotated[str, typer.Argument(help="Who drops out.")],
    to_annotator: Annotated[str, typer.Argument(help="A reserve of the roster.")],
    reason: options.Reason,
    study: options.OfStudy = None,
) -> None:
    """Give what an annotator has not answered to a reserve."""
    from flows.close import reassign as do

    found = do(options.project(), round, from_annotator, to_annotator, reason, study_id=study)
    printing.done(found.already_done, f"{round}: what {from_annotator} has not answered goes to {to_annotator}.")


def run(folder: Folder) -> None:
    """The whole round with Prefect: ingest, close, measure, report, gate."""
    from flows.run import run as do

    raise typer.Exit(do(folder, options.project().root, printing.line))


def serve(
    cron: Annotated[str, typer.Option(help="When to look into the inbox.")] = "0 * * * *",
) -> None:
    """Schedule it: by cron, and as soon as a round is closed. Needs a Prefect server."""
    from flows.serve import serve as do

    do(options.project().root, cron, printing.line)
