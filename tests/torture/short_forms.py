"""The short form of every harness, and its control, in forked children of one process that has imported all of it.

    python short_forms.py

Prints, for each form, the exit code, what it printed and how long it took, as JSON.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from in_child import in_child
from late_imports import import_late
from small_study import in_memory, released, without_pages

# Harness -> arguments of its short form, and of its control. The controls are tried at their own planted bug.
SHORT = {
    "faults": ["--every", "500", "--plain"],
    "soak": ["--kills", "5"],
    "ledger_damage": ["--events", "8", "--every", "29"],
    "files_damaged": ["--every", "9000", "--plain"],
    "database_damaged": ["--every", "120"],
    "roundtrip": ["--files", "30"],
    "crowd": ["--processes", "4", "--jobs", "3", "--kills", "2"],
    "same_bytes": ["--runs", "2", "--plain"],
    "model": ["--sequences", "1", "--steps", "30"],
}
CONTROL = {
    "faults": ["--every", "24", "--only", "open", "--plain"],
    "soak": ["--kills", "5"],
    "ledger_damage": ["--events", "4", "--every", "29"],
    "files_damaged": ["--every", "20000", "--plain"],
    "database_damaged": ["--every", "1000"],
    "roundtrip": ["--files", "10"],
    "crowd": ["--processes", "4", "--jobs", "4", "--kills", "0"],
    "same_bytes": ["--runs", "2", "--plain"],
    "model": ["--sequences", "4", "--steps", "25"],
}


def main() -> int:
    if "GOLDGATE_SHIM" not in os.environ and shutil.which("cc"):
        with tempfile.TemporaryDirectory(prefix="goldgate-shim-") as scratch:
            from faults import with_shim

            return subprocess.run([sys.executable, __file__], env=with_shim(Path(scratch)), check=False).returncode
    import_late()
    with tempfile.TemporaryDirectory(prefix="goldgate-played-", dir=in_memory()) as played:
        in_child(partial(_play, Path(played)))
        os.environ["GOLDGATE_PLAYED"] = played
        print(json.dumps(_forms()))
    return 0


def _play(folder: Path) -> None:
    without_pages()
    released(folder)


def _forms() -> dict[str, object]:
    found = {}
    for harness in SHORT:
        if harness != "faults" or "GOLDGATE_SHIM" in os.environ:
            importlib.import_module(harness)
            found[harness] = _form(harness, SHORT[harness])
            found[f"{harness}, control"] = _form(harness, [*CONTROL[harness], "--control"])
    return found


def _form(harness: str, arguments: list[str]) -> dict[str, object]:
    started = time.monotonic()
    with tempfile.TemporaryFile() as out:
        ended = in_child(partial(_run, harness, arguments, out.fileno()))
        out.seek(0)
        printed = out.read().decode()
    return {"ended": ended, "printed": printed, "seconds": round(time.monotonic() - started, 1)}


def _run(harness: str, arguments: list[str], out: int) -> int:
    os.dup2(out, 1)
    code = importlib.import_module(harness).main(arguments)
    sys.stdout.flush()
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
