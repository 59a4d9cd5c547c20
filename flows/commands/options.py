"""Arguments and options several commands share, and the project they speak of."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from flows.storage.project import Project

ROOT_VARIABLE = "GOLDGATE_ROOT"
DEFAULT_ROOT = "data"

Round = Annotated[str, typer.Argument(help="Round, or STUDY/ROUND where two studies use one name.", metavar="ROUND")]
Study = Annotated[str, typer.Argument(help="Id of the study.", metavar="STUDY")]
Files = Annotated[list[Path], typer.Argument(help="Files, as exported.", metavar="FILE…")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
OfStudy = Annotated[str | None, typer.Option("--study", help="Which study, where a folder or a name serves several.")]
AsOf = Annotated[int | None, typer.Option("--as-of", help="The state after this ledger event.", metavar="N")]
Reason = Annotated[str, typer.Argument(help="Why, in a sentence; kept for ever.", metavar="REASON")]


def root() -> Path:
    """The project folder: --root, else GOLDGATE_ROOT, else data/."""
    return Path(os.environ.get(ROOT_VARIABLE) or DEFAULT_ROOT)


def project() -> Project:
    """The project in that folder. ConfigError if there is none: a misspelt folder must not become a new project."""
    found = new_project()
    if not found.ledger_path.exists() and not found.read_ledger():
        from agreement.errors import ConfigError, Problem

        raise ConfigError(
            "there is no project in this folder",
            [Problem("no-project", "no ledger.jsonl", "Name its folder with --root.", value=str(root()))],
            next_step="A project begins with its first study: `goldgate register STUDY.yaml`.",
        )
    return found


def new_project() -> Project:
    """The project in that folder, which need not exist yet."""
    from flows.storage.project import Project

    return Project(root())
