"""Commands about figures: measure, report, gate, adjudicate, and looking at any file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.commands import options, printing


def agreement(
    file: Annotated[Path, typer.Argument(help="Any file of labels: CSV, TSV, JSONL, Parquet, Excel.", metavar="FILE")],
    item: Annotated[
        str, typer.Option(help="Column of the item (its number from 1 without a header); A,B to join.")
    ] = "",
    annotator: Annotated[str, typer.Option(help="Column of the annotator.")] = "",
    label: Annotated[str, typer.Option(help="Column of the label.")] = "",
    wide: Annotated[str, typer.Option(help="One column per annotator instead.", metavar="COL,COL")] = "",
    categories: Annotated[str, typer.Option(help="All labels, in order.", metavar="A,B,C")] = "",
    positive: Annotated[str, typer.Option(help="The label looked for; several with commas.")] = "",
    missing: Annotated[str, typer.Option(help="Spellings that mean no label.", metavar="A,B")] = "",
    by: Annotated[str, typer.Option(help="Figures for each value of this column too.", metavar="COL")] = "",
    duplicates: Annotated[str, typer.Option(help="refuse, first, last or drop-conflicting.")] = "refuse",
    scale: Annotated[str, typer.Option(help="nominal, ordinal, interval or ratio.")] = "nominal",
    interval: Annotated[str, typer.Option(help="design (the gate's own) or percentile.")] = "design",
    question: Annotated[str, typer.Option(help="Which question, where an export holds several.")] = "",
    format: Annotated[str, typer.Option(help="Format of an export; told from its content if left out.")] = "",
    map: Annotated[Path | None, typer.Option(help="Map of a flat export (see configs/formats).")] = None,
    weights: Annotated[
        str, typer.Option(help="Near misses count in part: linear, quadratic, ordinal ...; needs --categories.")
    ] = "",
    compare: Annotated[
        str, typer.Option(help="Two statistics, two --by values or two sets of annotators (a+b).", metavar="A,B")
    ] = "",
    no_header: Annotated[bool, typer.Option("--no-header", help="The first line is data.")] = False,
    json: options.Json = False,
) -> None:
    """Look at the agreement in any labels file. No study, no label stored; a project notes that you looked."""
    from flows.look import look
    from flows.looks.options import LookOptions

    chosen = LookOptions(
        item=item,
        annotator=annotator,
        label=label,
        wide=wide,
        categories=categories,
        positive=positive,
        missing=missing,
        by=by,
        duplicates=duplicates,
        scale=scale,
        interval=interval,
        header=not no_header,
        question=question,
        format=format,
        map=map,
        weights=weights,
        compare=compare,
    )
    found = look(file, chosen, revealed=lambda labels: _note_look(file, labels))
    if json:
        printing.as_json(found)
    else:
        from flows.commands.look_table import print_look

        print_look(found)


def _note_look(file: Path, labels: dict[str, list[str]]) -> None:
    """In a project the look itself is noted: the results of a round with these labels could be known now."""
    from flows.told import note_explored

    event = note_explored(options.new_project(), file, labels)
    if event is not None and event.payload["rounds"]:
        printing.warn("These labels are in a round that is not measured yet: that you looked is in its report now.")
    elif event is not None:
        printing.warn("The project notes that you looked: if this file comes into a round, its report will say so.")


def measure(round: options.Round, study: options.OfStudy = None) -> None:
    """Count and estimate everything of a closed round, and write its report. The first time is the first look."""
    from flows.measure import measure as do

    found = do(options.project(), round, study)
    printing.done(found.already_done, f"{round} is measured.")
    report(round, study)


def report(
    round: options.Round, study: options.OfStudy = None, json: options.Json = False, as_of: options.AsOf = None
) -> None:
    """Write the report of a measured round, or find it."""
    if as_of is not None:
        from flows.report import past_report
        from schemas.report import to_json

        typer.echo(to_json(past_report(options.project(), round, as_of, study)).decode(), nl=False)
        return
    from flows.report import write_report

    found = write_report(options.project(), round, study)
    if json:
        printing.as_json(found.report.model_dump(mode="json"))
        return
    folder = options.root() / found.folder
    printing.done(found.already_done, f"report {found.version} of {round} is {folder / 'report.html'}.")


def gate(round: options.Round, study: options.OfStudy = None, json: options.Json = False) -> None:
    """The verdict on a measured round, as text and as exit code: 0 passed, 4 failed, 5 not evaluable."""
    from flows.gate import evaluate

    found = evaluate(options.project(), round, study)
    if json:
        printing.as_json(found.report.verdict.model_dump(mode="json"))
    else:
        printing.verdict(found.report, found.next_step)
    raise typer.Exit(found.report.verdict.exit_code)


def adjudicate(
    round: options.Round,
    file: Annotated[Path, typer.Argument(help="item_id, label (or undecidable), adjudicator_id, reason.")],
    study: options.OfStudy = None,
) -> None:
    """Store a third person's decisions on contested items. They never enter agreement."""
    from flows.adjudicate import adjudicate as do

    found = do(options.project(), round, file, study)
    printing.done(found.already_done, f"{found.n_decisions:,} decisions on items of {round} are stored.")
    if found.n_superseding:
        printing.line(f"{found.n_superseding:,} of them supersede earlier decisions; both are kept.")
    if found.n_agreed:
        printing.line(f"{found.n_agreed:,} are on items the annotators agree on: a release keeps the agreed label.")
    left = (
        f"{found.n_left:,} contested items are still to be decided." if found.n_left else "No contested item is left."
    )
    printing.line(left)
