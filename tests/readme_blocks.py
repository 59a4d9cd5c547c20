"""The tables of README.md that are made from the code. cog writes them in: `make format`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agreement.rules import Definition


def commands() -> str:
    """Every command with what its help says first."""
    import typer

    from flows.cli import app

    group = typer.main.get_command(app)
    listed = getattr(group, "commands", {})
    rows = [(f"`goldgate {name}`", _first_paragraph(listed[name].help or "")) for name in listed]
    return table(("command", "does"), rows)


def exit_codes() -> str:
    from agreement.errors import GoldgateError

    kinds = sorted(GoldgateError.__subclasses__(), key=lambda kind: kind.exit_code)
    rows = [(str(kind.exit_code), _first_paragraph(kind.__doc__ or "")) for kind in kinds]
    return table(("code", "means"), [("0", "Done, or passed."), ("1", "A bug, with its traceback."), *rows])


# Names of facts in flows/storage/order.py that a reader would not understand as they stand.
FACT_WORDS = {
    "closed unless measured": "closed (but after measuring, as a late label)",
    "current": "measured since the last change",
    "evaluated": "through the gate",
    "cut-short": "cut short",
    "discussed": "talked over in a calibration since",
    "collecting": "collecting in a measured round",
}


def order() -> str:
    """What each command on a round or a study needs to have happened, and what must not have happened yet."""
    from flows.cli import app
    from flows.storage.order import ORDER, STUDY_ORDER

    known = {command.name or getattr(command.callback, "__name__", "") for command in app.registered_commands}
    rows = [
        (f"`{verb}`", what, _facts(step.needs), _facts(step.forbids), ", ".join(step.kinds) or "all")
        for what, steps in (("study", STUDY_ORDER), ("round", ORDER))
        for verb, step in steps.items()
        if verb in known and (step.needs or step.forbids)
    ]
    return table(("command", "on a", "which is", "and not", "kinds of round"), rows)


def _facts(names: Iterable[str]) -> str:
    return ", ".join(FACT_WORDS.get(name, name) for name in names) or "-"


def statistics() -> str:
    """What a rule may name, and what it may be judged on."""
    from agreement.gate import STATISTICS

    rows = [
        (
            f"`{name}`",
            {"count": "a whole number", "rate": "0 to 1", "coefficient": "-1 to 1"}[definition.kind],
            "value, lower, upper" if definition.interval else "value",
            "yes" if definition.worst else "-",
            ", ".join(need for need, needed in _needs(definition) if needed) or "-",
        )
        for name, definition in STATISTICS.items()
    ]
    return table(("statistic", "range", "judged on", "`missing: worst`", "needs"), rows)


def _needs(definition: Definition) -> Iterable[tuple[str, bool]]:
    yield "a positive category", definition.positive
    yield "two annotators", definition.annotators == 2
    yield "`weights:`", definition.weights
    yield "`because:`", definition.because


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _first_paragraph(text: str) -> str:
    paragraph = " ".join(text.strip().split("\n\n")[0].split())
    return paragraph.replace("|", "\\|")
