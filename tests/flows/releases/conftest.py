"""A round that passed and its release, made once for a file of tests and copied for each; their pages are not drawn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flows.adjudicate import adjudicate
from flows.gate import evaluate
from flows.releases.release import release

PASSING = {"uniform": {"++": 20, "--": 20, "+-": 1, "-+": 1, "a+": 1, ".-": 1}}
CONTESTED = ("r1-uniform-41", "r1-uniform-42")


def gated_and_reported(make: Any, labels: Any = PASSING, **study: Any) -> Any:
    """A gated and reported round; its pages are not drawn, which takes a while and is tested elsewhere."""
    make.register(make.study(**study))
    make.measured(labels)
    make.report()
    evaluate(make.project, "r1")
    return make


@pytest.fixture(scope="module")
def passed_once(tmp_path_factory: pytest.TempPathFactory, maker_in: Callable[..., Any], plain_pages: None) -> Any:
    return gated_and_reported(maker_in(tmp_path_factory.mktemp("passed")))


@pytest.fixture(scope="module")
def released_once(passed_once: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    make = passed_once.copied_to(tmp_path_factory.mktemp("released"))
    adjudicate(make.project, "r1", make.decide(CONTESTED))
    done = release(make.project, "promises", "1.0")
    make.folders["release"] = make.project.root / done.folder
    return make


@pytest.fixture
def passed(passed_once: Any, tmp_path: Path) -> Any:
    """A round that passed, with two contested items nobody has decided."""
    return passed_once.copied_to(tmp_path)


@pytest.fixture
def released(released_once: Any, tmp_path: Path) -> Any:
    """Release 1.0 of the same, the two contested items decided."""
    return released_once.copied_to(tmp_path)


@pytest.fixture
def ready(plain_pages: None) -> Callable[..., Any]:
    """Makes a gated and reported round of a project: `ready(make, labels, **study)`."""
    return gated_and_reported
