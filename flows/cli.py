"""`goldgate`: every command, and the one place where refusals become messages and exit codes."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from flows.commands import audit, changes, exports, figures, options, printing, rounds, studies

PANELS = {
    "Look": (figures.agreement, studies.plan, studies.curve),
    "Study": (
        studies.register,
        changes.amend,
        changes.calibration,
        studies.release,
        changes.withdraw,
        changes.diff,
        studies.history,
    ),
    "Round": (
        rounds.open,
        rounds.ingest,
        rounds.status,
        rounds.close,
        rounds.reopen,
        rounds.reassign,
        changes.deviation,
    ),
    "Figures": (figures.measure, figures.report, figures.gate, exports.export, figures.adjudicate, changes.outcome),
    "Automatic": (rounds.run, rounds.serve),
    "Check": (audit.verify, audit.rebuild, changes.redact, audit.demo),
}

app = typer.Typer(
    name="goldgate",
    help="Decide whether human labels may be used as ground truth.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
for panel, commands in PANELS.items():
    for command in commands:
        app.command(rich_help_panel=panel)(command)


@app.callback()
def settings(
    ctx: typer.Context,
    root: Annotated[
        Path | None,
        typer.Option(help=f"The project folder; else ${options.ROOT_VARIABLE}, else {options.DEFAULT_ROOT}/."),
    ] = None,
) -> None:
    if root is not None:
        os.environ[options.ROOT_VARIABLE] = str(root)
    ledger = options.root() / "ledger.jsonl"
    before = ledger.stat().st_size if ledger.is_file() else 0
    ctx.call_on_close(lambda: printing.new_head(ledger, before, beside="--json" in sys.argv))


def main() -> None:
    """Run the command line. Where nobody reads on (`| head`) it ends as other tools do: by SIGPIPE, and quietly."""
    out = None if sys.stdout is None else os.dup(1)  # Typer and rich mute a broken pipe, then exit with 1
    try:
        _run()
    except BrokenPipeError:
        _end_unread()
    except SystemExit as ended:
        if ended.code == 1 and out is not None and _is_unread(out):
            _end_unread()
        raise


def _run() -> None:
    """A mistake, or what the system says of a file, is one message and its exit code; a bug keeps its traceback."""
    try:
        app()
    except Exception as error:
        from agreement.errors import GoldgateError  # not before it is needed: it brings numpy along

        refusal = _of_a_file(error) if isinstance(error, OSError) and error.filename is not None else error
        if not isinstance(refusal, GoldgateError):
            raise
        printing.error(refusal)
        sys.exit(refusal.exit_code)


def _of_a_file(error: OSError) -> Exception:
    from flows.storage.disk import as_refusal

    return as_refusal(options.root(), error)


def _is_unread(out: int) -> bool:
    """Whether this is a pipe that nobody reads any more."""
    import select

    poll = select.poll()
    poll.register(out, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def _end_unread() -> None:
    import signal

    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGPIPE)


if __name__ == "__main__":
    main()
