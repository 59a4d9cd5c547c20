"""Commands about a study: register it, look at any file, release, history."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands import options, printing

if TYPE_CHECKING:
    from flows.storage.ledger import Event


def register(
    study_file: Annotated[Path, typer.Argument(help="The study file.", metavar="STUDY.yaml")],
    json: options.Json = False,
) -> None:
    """Freeze a study: its file, its guideline and its thresholds, before labels are seen."""
    from flows.operating import curve_lines
    from flows.register import register as do

    found = do(options.new_project(), study_file)
    study = found.study
    if json:
        printing.as_json({"already_done": found.already_done, "event": found.event.seq, "head": _head(found.event)})
        return
    printing.done(
        found.already_done,
        f"{study.study}, guideline {study.guideline.version}, is registered with {len(study.gate.rules)} rules.",
    )
    printing.line("Item and annotator ids stay for ever: they must not be personal data.")
    for text in curve_lines(study):
        printing.line(text)


def plan(
    agreement: Annotated[float | None, typer.Option(help="Positive specific agreement expected, 0 to 1.")] = None,
    from_round: Annotated[
        str | None,
        typer.Option("--from", help="Take agreement and densities from this measured round.", metavar="ROUND"),
    ] = None,
    half_width: Annotated[float | None, typer.Option(help="Half the width the interval may have.")] = None,
    at_least: Annotated[float | None, typer.Option(help="Threshold the lower bound should reach.")] = None,
    density: Annotated[
        list[str] | None, typer.Option(help="Union positives per item of a slice; repeat it.", metavar="NAME=D")
    ] = None,
    annotators: Annotated[int, typer.Option(help="Labels per item.", min=2)] = 2,
    seconds: Annotated[float, typer.Option(help="Seconds per label.")] = 90,
    attempts: Annotated[int, typer.Option(help="Registered attempts; each bound at 1 - 0.05/k.", min=1)] = 1,
    known: Annotated[str, typer.Option(help="An earlier round, for the rule of thumb.", metavar="N=WIDTH")] = "",
    json: options.Json = False,
) -> None:
    """How many union positives, items and person-hours an interval or a threshold needs."""
    from flows.plan import Wish, plan_lines, plans

    wish = Wish(half_width, at_least, annotators, seconds, attempts)
    found = plans(options.new_project(), wish, agreement, from_round, density or [], known)
    if json:
        printing.as_json([one.as_json() for one in found])
    else:
        for one in found:
            for text in plan_lines(one):
                printing.line(text)


def curve(
    study_file: Annotated[Path, typer.Argument(help="A study file; it need not be registered.", metavar="STUDY.yaml")],
    html: Annotated[Path | None, typer.Option(help="Write the page with the picture here.", metavar="FILE")] = None,
    json: options.Json = False,
) -> None:
    """How often the study's gate passes if the true agreement is x: its operating curve."""
    from flows.operating import curve_lines, curve_page, curve_records
    from flows.register import read_small
    from schemas.study import parse_study

    study = parse_study(read_small(study_file, "study file"), study_file.name)
    if html is not None:
        html.write_bytes(curve_page(study))
        printing.line(f"Written to {html}.")
    elif json:
        printing.as_json(curve_records(study))
    else:
        for text in curve_lines(study):
            printing.line(text)


def release(study: options.Study, version: Annotated[str, typer.Argument(help="Its version.")]) -> None:
    """Publish the labels of the rounds that passed, as a version that never changes."""
    from flows.releases.release import release as do

    found = do(options.project(), study, version)
    printing.done(found.already_done, f"release {version} of {study} is in {options.root() / found.folder}.")
    printing.line(f"Release id: {found.release_id}")


def history(
    study: options.Study,
    json: options.Json = False,
    html: Annotated[Path | None, typer.Option(help="Write the page to this file.", metavar="FILE")] = None,
    as_of: options.AsOf = None,
) -> None:
    """Every round of a study per guideline version: figures, verdicts, attempts, releases."""
    from flows.history import history as do

    record = do(options.project(), study, as_of)
    if html is not None:
        from flows.pages.history_page import render_history_html

        html.write_bytes(render_history_html(record))
        printing.line(f"Written to {html}.")
    elif json:
        printing.as_json(record.model_dump(mode="json"))
    else:
        from flows.commands.history_table import print_history

        print_history(record)


def _head(event: Event) -> str:
    return f"{event.hash}@{event.seq}"
