"""The short form of every harness here, and its planted bug: a harness that misses its own bug proves nothing.

`make torture` runs the long forms and prints their figures.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# Harness -> arguments of its short form, and of its control.
SHORT = {
    "faults.py": ["--every", "250", "--plain"],
    "soak.py": ["--kills", "5"],
    "ledger_damage.py": ["--events", "8", "--every", "29"],
    "files_damaged.py": ["--every", "6000"],
    "crowd.py": ["--processes", "4", "--jobs", "3", "--kills", "2"],
    "same_bytes.py": ["--runs", "2"],
    "model.py": ["--sequences", "1", "--steps", "25"],
}
CONTROL = {
    "faults.py": ["--every", "60", "--only", "open"],
    "soak.py": ["--kills", "4"],
    "ledger_damage.py": ["--events", "4", "--every", "29"],
    "files_damaged.py": ["--every", "20000"],
    "crowd.py": ["--processes", "4", "--jobs", "4"],
    "same_bytes.py": ["--runs", "2"],
    "model.py": ["--sequences", "4", "--steps", "25"],
}


def run(harness: str, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    if harness == "faults.py" and shutil.which("cc") is None:
        pytest.skip("no C compiler: the library that makes calls fail cannot be built")
    return subprocess.run([sys.executable, HERE / harness, *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("harness", SHORT)
def test_the_short_form_finds_nothing(harness: str) -> None:
    done = run(harness, SHORT[harness])
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("harness", CONTROL)
def test_the_planted_bug_is_caught(harness: str) -> None:
    done = run(harness, [*CONTROL[harness], "--control"])
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    assert done.stdout.startswith("{"), done.stdout  # the harness ran to its end and counted
