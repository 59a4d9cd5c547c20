"""Run the benchmarks and write what they print where it is read.

    python tests/benchmarks/write_tables.py [--peers PYTHON]    all, into tests/benchmarks/README.md; minutes
    python tests/benchmarks/write_tables.py --hit-rates         in full, into agreement/README.md; 15 minutes

PYTHON: an interpreter that has irrCAC and evalaudit, see `bench_coefficients.py`.
"""

from __future__ import annotations

import argparse
import ast
import os
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent
START, END = "<!-- written by tests/benchmarks/write_tables.py -->\n", "<!-- end -->\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", metavar="PYTHON")
    parser.add_argument("--hit-rates", action="store_true")
    asked = parser.parse_args()
    if asked.hit_rates:
        page = HERE.parents[1] / "agreement" / "README.md"
        page.write_text(between_marks(page.read_text(), printed_by(HERE / "bench_hit_rate.py", "--full")))
        return
    options = {"bench_coefficients.py": ["--peers", asked.peers] if asked.peers else []}
    sections = [section(file, *options.get(file.name, [])) for file in sorted(HERE.glob("bench_*.py"))]
    (HERE / "README.md").write_text(introduction() + "".join(sections))


def introduction() -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "duckdb", "polars"))
    return (
        "# Benchmarks\n\n"
        "Written by `make bench`, which runs every `bench_*.py` here; they are no tests. What is compared was\n"
        "measured side by side in one run, so read the ratios: times are those of one machine on one day.\n\n"
        f"Python {platform.python_version()}, {packages}, {os.cpu_count()} processors, load"
        f" {os.getloadavg()[0]:.1f} at the start.\n"
    )


def section(file: Path, *options: str) -> str:
    """One benchmark: the first line of its docstring as heading, then what it prints."""
    title = (ast.get_docstring(ast.parse(file.read_text())) or file.stem).splitlines()[0]
    print(f"== {file.name}", flush=True)
    return f"\n## {title.split('. ')[0].rstrip('.')} (`{file.name}`)\n\n{printed_by(file, *options)}"


def printed_by(file: Path, *options: str) -> str:
    """What a benchmark prints, passed on as it comes. Stops with its exit code if it fails."""
    command = [sys.executable, "-u", str(file), *options]
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        for line in run.stdout or ():
            print(line, end="", flush=True)
            lines.append(line)
    if run.returncode:
        sys.exit(run.returncode)
    return "".join(lines)


def between_marks(page: str, text: str) -> str:
    """The page with the text between the two marks in place of what stood there."""
    before, rest = page.split(START)
    _, after = rest.split(END)
    return f"{before}{START}\n{text.strip()}\n\n{END}{after}"


if __name__ == "__main__":
    main()
