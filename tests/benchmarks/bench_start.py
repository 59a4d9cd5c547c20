"""How long `goldgate --help` takes beside `python -c "import duckdb"`. Printed; no test.

Wall seconds of the fastest of a few runs, the two in turn, as both mostly wait for the same files.
"""

from __future__ import annotations

import subprocess
import sys
import time

GOAL = 3.0
REPEATS = 7
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "python -c 'import duckdb'": [sys.executable, "-c", "import duckdb"],
    "goldgate --help": [sys.executable, "-m", "flows.cli", "--help"],
    "goldgate history (of nothing)": [sys.executable, "-m", "flows.cli", "--root", "/nonexistent", "history", "x"],
}


def main() -> None:
    best = dict.fromkeys(COMMANDS, float("inf"))
    for _ in range(REPEATS):
        for name, command in COMMANDS.items():
            start = time.perf_counter()
            subprocess.run(command, capture_output=True, check=False)
            best[name] = min(best[name], time.perf_counter() - start)
    beside = best["python -c 'import duckdb'"]
    print(f"| command | seconds | beside import duckdb (goal for --help: at most {GOAL:g}) |")
    print("|---|---|---|")
    for name, took in best.items():
        print(f"| {name} | {took:.3f} | {took / beside:.2f} |")


if __name__ == "__main__":
    main()
