"""Commands for whoever checks: verify, rebuild, and the demonstration."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.commands import options, printing


def verify(
    head: Annotated[list[str] | None, typer.Option(help="A head kept earlier.", metavar="HASH@N")] = None,
    full: Annotated[bool, typer.Option("--full", help="Measure and release everything again too (V4).")] = False,
    json: options.Json = False,
) -> None:
    """Prove what can be proved: ledger, objects, database, reports and releases agree."""
    from flows.audit.verify import verify as do

    found = do(options.project(), head or [], full=full)
    if json:
        printing.as_json(found.as_json())
    else:
        printing.line(f"{found.status} ({', '.join(found.levels) or 'no level'})")
        for problem in found.problems:
            printing.line(f"  {printing.problem_line(problem)}")
        for note in found.notes:
            printing.line(f"  note: {note}")
        printing.line(found.paragraph)
        printing.line(f"Ledger head: {found.head}")
    raise typer.Exit(found.exit_code)


def rebuild() -> None:
    """Make the database anew from objects and ledger."""
    from flows.audit.rebuild import rebuild as do

    project = options.project()
    digests = do(project)
    if any(round_state.closed is None for round_state in project.state().rounds.values()):
        digests["raw_label"] = "not shown while a round is open: a digest of few labels lets anyone guess them"
    for table, digest in digests.items():
        printing.line(f"{table}: {digest}")
    printing.line("The database is rebuilt; the old file is kept beside it as goldgate.duckdb.old.")
    printing.line("Files as they came in are not read by this: `goldgate verify` says whether they are what they were.")


def demo(
    out: Annotated[Path | None, typer.Option(help="An empty or new folder; a temporary one if left out.")] = None,
) -> None:
    """Play the sample study from registration to release, in a scratch folder."""
    from flows.demo import demo as do

    do(out, printing.line)
