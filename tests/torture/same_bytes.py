"""The same study on other machines: threads, time zone, locale, hash seed, folder, order of files and rows.

    python same_bytes.py [--runs N] [--control]

Every run plays the small study to its release in a process of its own. All give one release id and equal table digests.
`--control` lets the clock into a release, which must be caught.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from itertools import cycle
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from in_child import in_child

ZONES = ("UTC", "Asia/Kolkata", "America/St_Johns")
LOCALES = ("C.UTF-8", "C", "de_DE.UTF-8")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--plain", action="store_true", help="reports without their pages, to save time")
    parser.add_argument("--control", action="store_true", help="plant a bug")
    parser.add_argument("--play", default="", help=argparse.SUPPRESS)
    parser.add_argument("--number", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.play:
        print(json.dumps(_play(Path(options.play), options.number, options)))
        return 0
    zones, locales = cycle(ZONES), cycle(LOCALES)
    found = set()
    with tempfile.TemporaryDirectory(prefix="goldgate-same-") as scratch:
        for number in range(options.runs):
            folder = Path(scratch) / ("other folder ü" if number % 2 else "x") / str(number)
            folder.mkdir(parents=True)
            environment = {
                **os.environ,
                "TZ": next(zones),
                "LC_ALL": next(locales),
                "PYTHONHASHSEED": str(number),
                "PYTHONUTF8": "1",
                "OMP_NUM_THREADS": str(1 + number % 2),
            }
            if options.control:  # its bug needs no other environment
                found.add(json.dumps(in_child(partial(_play, folder, number, options))["value"]))
                continue
            command = [sys.executable, __file__, "--play", str(folder), "--number", str(number)]
            command += ["--plain"] if options.plain else []
            done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
            found.add(done.stdout.strip() or done.stderr[-300:])
    print(json.dumps({"runs": options.runs, "different results": len(found)}))
    print(*sorted(found) if len(found) > 1 else (), sep="\n")
    return 0 if len(found) == 1 and json.loads(next(iter(found)))["release_id"] else 1


def _play(folder: Path, number: int, options: argparse.Namespace) -> dict[str, str]:
    from small_study import STEPS, project_in, snapshot, without_pages, write_inputs

    from flows.releases import release
    from flows.storage import store

    store.SETTINGS["threads"] = 1 + number % 2
    if options.plain:
        without_pages()
    if options.control:
        honest = release.card
        release.card = lambda *given: honest(*given) + f"made in run {number}\n".encode()
    inputs, project = folder / "inputs", project_in(folder / "project")
    write_inputs(inputs)
    if number % 3 == 0:  # the frame in another order is the same frame
        frame = inputs / "r1" / "frame.csv"
        head, *rows = frame.read_text().splitlines()
        frame.write_text("\n".join([head, *reversed(rows)]) + "\n")
    for verb, step in STEPS.items():
        step(project, inputs)
        if verb == "release":
            break
    event = project.events()[-1]
    return {"release_id": event.payload["release_id"], **snapshot(project)["database"]}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
