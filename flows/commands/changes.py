"""Commands that change what stands, openly: amend, calibration, deviation, outcome, withdraw, redact, diff."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from flows.commands import options, printing

Why = Annotated[str, typer.Option("--why", "--reason", help="Why, in a sentence; kept for ever.", metavar="REASON")]


def amend(
    study_file: Annotated[Path, typer.Argument(help="The study file as it should be.", metavar="STUDY.yaml")], why: Why
) -> None:
    """Change a registered study openly. After results it is a deviation: both verdicts are shown, the worse counts."""
    from flows.amend import amend as do

    found = do(options.project(), study_file, why)
    study = found.study
    printing.done(found.already_done, f"{study.study}, guideline {study.guideline.version}, is amended.")
    for line in found.event.payload.get("what", []):
        printing.line(f"  {line}")
    for name, effect in found.effects:
        words = "governed by it" if effect == "replaces" else "a deviation there: measure it again"
        printing.line(f"  {name}: {words}")


def calibration(
    study: options.Study,
    items: Annotated[Path, typer.Argument(help="A file with item_id: what was talked about.", metavar="ITEMS")],
    people: Annotated[str, typer.Option(help="Who took part.", metavar="A,B")],
) -> None:
    """Record a session in which people talked about items: they are not labelled blind by this study any more."""
    from flows.calibration import hold_calibration

    found = hold_calibration(options.project(), study, items, [who for who in people.split(",") if who])
    n, who = found.event.payload["n_items"], ", ".join(found.event.payload["people"])
    printing.done(found.already_done, f"a calibration on {n:,} items with {who} is recorded.")


def deviation(
    round: options.Round,
    text: Annotated[str, typer.Argument(help="What was done otherwise, and why.", metavar="TEXT")],
    study: options.OfStudy = None,
) -> None:
    """Tell that a round did not go as registered. Its report prints it."""
    from flows.told import record_deviation

    found = record_deviation(options.project(), round, text, study)
    printing.done(found.already_done, f"the deviation of {round} is recorded.")


def outcome(
    round: options.Round,
    file: Annotated[Path, typer.Argument(help="item_id, label (the right one), source (appeal, incident …).")],
    study: options.OfStudy = None,
) -> None:
    """Store an outside check of labels. It is shown and never gates."""
    from flows.outcome import record_outcome

    found = record_outcome(options.project(), round, file, study)
    printing.done(found.already_done, f"an outside check of {found.event.payload['n_items']:,} items is stored.")


def withdraw(
    study: options.Study, version: Annotated[str, typer.Argument(help="The release's version.")], why: Why
) -> None:
    """Take a release back: an event and a marker. The folder stays as it is, and the version is never used again."""
    from flows.releases.withdraw import withdraw as do

    found = do(options.project(), study, version, why)
    printing.done(found.already_done, f"release {version} of {study} is withdrawn.")


def redact(
    target: Annotated[str, typer.Argument(help="An item id, or a file's name or digest.", metavar="ITEM|FILE")],
    why: Why,
) -> None:
    """Honour a deletion request: bytes go, a stub stays, every reader skips the rows."""
    from flows.redact import redact as do

    found = do(options.project(), target, why)
    printing.done(found.already_done, f"{target} is removed ({found.n_objects:,} objects).")
    if found.whole:
        printing.line(f"  gone whole, with every other row in it: {', '.join(found.whole)}")
    if found.n_rewritten:
        printing.line(f"  without its rows from now on: {found.n_rewritten:,} tables")
    for study, name, n in found.event.payload["rounds"]:
        printing.line(
            f"  {study}/{name}: {n:,} labels. If it was measured, measure it again: `goldgate measure {name}`."
        )
    for name in found.withdrawn:
        printing.line(f"  release {name} held it: withdrawn, its folder removed.")


def diff(
    study: options.Study,
    first: Annotated[str, typer.Argument(help="A release, or with --states a ledger event.", metavar="V1")],
    second: Annotated[str, typer.Argument(help="The other one.", metavar="V2")],
    states: Annotated[bool, typer.Option("--states", help="Compare two states of the study.")] = False,
    json: options.Json = False,
) -> None:
    """What differs between two releases of a study: items added, removed, labels changed and why."""
    from flows.releases.diff import diff_releases, diff_states

    if states:
        between = diff_states(options.project(), study, _event(first), _event(second))
        if json:
            printing.as_json(between.as_json())
            return
        printing.line(f"{len(between.events):,} events; rows {between.rows_before:,}, then {between.rows_after:,}")
        for (table, change), n in Counter((one.table, one.change) for one in between.rows).items():
            printing.line(f"  {table}: {n:,} rows {change} (--json lists them)")
        for text in (*between.rules, *(f"{c.item_id}: {c.before!r}, now {c.after!r}" for c in between.labels)):
            printing.line(f"  {text}")
        return
    found = diff_releases(options.project(), study, first, second)
    if json:
        printing.as_json(found.as_json())
        return
    n_added, n_removed, n_changed = len(found.added), len(found.removed), len(found.changed)
    printing.line(f"{n_added:,} added, {n_removed:,} removed, {n_changed:,} changed, {found.same:,} the same")
    for item in found.added:
        printing.line(f"  + {item}")
    for item, why in found.removed:
        printing.line(f"  - {item}: {why}")
    for one in found.changed:
        printing.line(f"  {one.item_id}: {one.before}, now {one.after} ({one.why})")


def _event(text: str) -> int:
    from agreement.errors import ConfigError

    if not (text.isascii() and text.isdigit()):
        raise ConfigError(
            f"diff --states: {text!r} is not the number of a ledger event",
            code="bad-event-number",
            next_step="Give the numbers of two events; `goldgate history` shows them.",
        )
    return int(text)
