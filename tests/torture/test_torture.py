"""The short form of every harness here, and its planted bug: a harness that misses its own bug proves nothing.

`make torture` runs the long forms and prints their figures.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
HARNESSES = (
    "faults",
    "soak",
    "ledger_damage",
    "files_damaged",
    "database_damaged",
    "roundtrip",
    "crowd",
    "same_bytes",
    "model",
)


@pytest.fixture(scope="module")
def forms() -> dict[str, Any]:
    """All of them, by one process that imports everything once."""
    done = subprocess.run([sys.executable, HERE / "short_forms.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def form(forms: dict[str, Any], name: str) -> dict[str, Any]:
    if name not in forms:
        pytest.skip("no C compiler: the library that makes calls fail cannot be built")
    return dict(forms[name])


@pytest.mark.parametrize("harness", HARNESSES)
def test_the_short_form_finds_nothing(forms: dict[str, Any], harness: str) -> None:
    found = form(forms, harness)
    assert found["ended"] == {"value": 0}, found


@pytest.mark.parametrize("harness", HARNESSES)
def test_the_planted_bug_is_caught(forms: dict[str, Any], harness: str) -> None:
    found = form(forms, f"{harness}, control")
    assert found["ended"] == {"value": 1}, found
    assert found["printed"].startswith("{"), found  # the harness ran to its end and counted
