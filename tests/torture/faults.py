"""Every call that changes a file, in every verb, made to fail or to be the process's last.

    python faults.py [--every N] [--control]

For each verb: count the calls of a clean run; then for each of them, from a fresh copy of the state before, run the
verb with a full disk, an I/O error, an interrupted call, a kill before the call, and a kill in the middle of a write.
After that: what was acknowledged is there; the ledger is a beginning of the expected one; the verb run again ends in
exactly the state of a clean run. `--control` plants a bug (a ledger that forgets) that must be caught.

A small C library does it (fault_shim.c), compiled here. Not modelled: a power cut.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from in_child import in_child
from late_imports import import_late
from progress import progress
from small_study import in_memory

HERE = Path(__file__).parent
MODES = {1: "ENOSPC", 2: "EIO", 3: "EINTR", 4: "kill", 5: "kill in a write"}


def main(arguments: list[str]) -> int:
    options = _options(arguments)
    with tempfile.TemporaryDirectory(prefix="goldgate-faults-", dir=in_memory()) as scratch:
        if "GOLDGATE_SHIM" not in os.environ:
            return subprocess.run(
                [sys.executable, __file__, *arguments], env=with_shim(Path(scratch)), check=False
            ).returncode
        found = Torture(Path(scratch), options).run()
    print(json.dumps(found["figures"]))
    for line in found["failures"][:20]:
        print(line)
    return 1 if found["failures"] else 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1, help="only every n-th fault")
    parser.add_argument("--only", default="", help="only this verb")
    parser.add_argument("--plain", action="store_true", help="reports without their pages, to save time")
    parser.add_argument("--control", action="store_true", help="plant a bug")
    return parser.parse_args(arguments)


def with_shim(scratch: Path) -> dict[str, str]:
    """The environment of a process whose calls can be made to fail."""
    library = scratch / "fault_shim.so"
    compiler = ["cc", "-shared", "-fPIC", "-O1", "-w", str(HERE / "fault_shim.c"), "-o", str(library), "-ldl"]
    subprocess.run(compiler, check=True)
    return {**os.environ, "LD_PRELOAD": str(library), "GOLDGATE_SHIM": str(library)}


class Torture:
    """The server: it imports everything once and does all work in forked children, so no connection is inherited."""

    def __init__(self, scratch: Path, options: argparse.Namespace) -> None:
        import small_study

        import flows.pages.report_page  # noqa: F401  # imported once here and not in every child

        import_late()
        self.small, self.scratch, self.options = small_study, scratch, options
        self.shim = ctypes.CDLL(os.environ["GOLDGATE_SHIM"])
        if options.plain:
            small_study.without_pages()
        self.inputs = scratch / "inputs"
        small_study.write_inputs(self.inputs)

    def run(self) -> dict[str, Any]:
        clean = self._clean_runs()
        possible, faults, acknowledged, failures, slowest = 0, 0, 0, [], 0.0
        for verb, (n_calls, expected) in clean.items():
            if self.options.only not in ("", verb):
                continue
            for mode in MODES:
                for n in range(1, n_calls + 1):
                    possible += 1
                    if possible % self.options.every:
                        continue
                    faults += 1
                    acked, seconds, problem = self._one(verb, n, mode, expected)
                    acknowledged += acked
                    slowest = max(slowest, seconds)
                    if problem:
                        failures.append(f"{verb}, call {n} of {n_calls}, {MODES[mode]}: {problem}")
            progress(f"after {verb}", faults=faults, acknowledged=acknowledged, failures=len(failures))
        figures = {"verbs": len(clean), "places": sum(n for n, _ in clean.values()), "faults": faults}
        figures |= {"acknowledged": acknowledged, "lost or partial": len(failures)}
        return {"figures": {**figures, "slowest recovery, s": round(slowest, 2)}, "failures": failures}

    def _clean_runs(self) -> dict[str, tuple[int, dict[str, Any]]]:
        """Per verb: how many calls, and the state after. The state before it is kept in a folder of its own."""
        found = {}
        before = self.scratch / "before-nothing"
        before.mkdir()
        for verb, step in self.small.STEPS.items():
            shutil.copytree(before, self.scratch / f"before-{verb}", dirs_exist_ok=True)
            after = self.scratch / f"after-{verb}"
            shutil.copytree(before, after)

            def clean(step: Any = step, after: Path = after) -> tuple[int, dict[str, Any]]:
                project = self.small.project_in(after)
                self.shim.shim_arm(0, 0)
                step(project, self.inputs)
                return int(self.shim.shim_count()), _plain(self.small.snapshot(project))

            result = in_child(clean)
            assert "value" in result, result
            found[verb] = result["value"]
            before = after
            if verb == self.options.only:
                break
        return found

    def _one(self, verb: str, n: int, mode: int, expected: dict[str, Any]) -> tuple[bool, float, str]:
        root = self.scratch / "now"
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(self.scratch / f"before-{verb}", root)
        project, step = self.small.project_in(root), self.small.STEPS[verb]
        size_before = len(project.ledger_path.read_bytes()) if project.ledger_path.exists() else 0

        def faulty() -> bool:
            from agreement.errors import GoldgateError

            if self.options.control:
                _plant_bug()
            self.shim.shim_arm(n, mode)
            try:
                step(project, self.inputs)
            except GoldgateError:
                return False
            return True

        result = in_child(faulty)
        acked = bool(result.get("value"))
        if "error" in result:
            return acked, 0.0, f"not a clean error: {result['error']}"
        return (acked, *self._check(verb, root, acked, size_before, expected))

    def _check(
        self, verb: str, root: Path, acked: bool, size_before: int, expected: dict[str, Any]
    ) -> tuple[float, str]:
        ledger = root / "ledger.jsonl"
        data = ledger.read_bytes() if ledger.exists() else b""
        whole = data[: data.rfind(b"\n") + 1]
        final = bytes.fromhex(expected["ledger"])
        if len(whole) < size_before or not final.startswith(whole):
            return 0.0, "the ledger is not a beginning of the expected one"
        if acked and whole != final:
            return 0.0, "acknowledged, and the ledger has not got it"

        def again() -> tuple[float, dict[str, Any]]:
            project = self.small.project_in(root)
            started = time.monotonic()
            with project.changing():
                pass
            seconds = time.monotonic() - started
            self.small.STEPS[verb](project, self.inputs)
            return seconds, _plain(self.small.snapshot(project))

        result = in_child(again)
        if "value" not in result:
            return 0.0, f"running it again: {result}"
        seconds, found = result["value"]
        differing = [key for key in expected if found[key] != expected[key]]
        return seconds, f"run again, another {' and '.join(differing)}" if differing else ""


def _plain(snapshot: dict[str, Any]) -> dict[str, Any]:
    # A database set aside by a rebuild and the pid of the last holder are no state.
    return {**snapshot, "ledger": snapshot["ledger"].hex()}


def _plant_bug() -> None:
    """A ledger that forgets to write what it acknowledges, for the third event on."""
    from flows.storage import ledger

    honest = ledger.append

    def forgetful(path: Path, event: ledger.Event) -> None:
        if event.seq < 3:
            honest(path, event)

    ledger.append = forgetful


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
