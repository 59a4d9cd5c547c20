"""Files from a generator: what is accepted says exactly what the file said, and comes back the same when written again.

    python roundtrip.py [--files N] [--seed N] [--control]

Each file goes through ingest's own reading and checking, up to the canonical rows. One that is right must be accepted,
with exactly its rows; these, written as another file, must give the same object, byte for byte. One with a defect in a
cell must be refused with the line and the code of every defect. One with a byte changed is refused with a place, or
accepted with exactly the rows Python's own readers see in it. `--control` plants a reader that loses the last row,
which must be caught.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from generated_files import COLUMNS, ITEMS, LABELS, REASON, Generated, generate, independent_rows, written
from in_child import in_child
from late_imports import import_late
from progress import progress
from small_study import ROUND, in_memory, project_in

from agreement.errors import InputRefused
from flows import ingest
from flows.labels import set_checks
from flows.open import open_round
from flows.reading.tables import Table
from flows.register import register
from flows.storage import store
from flows.storage.store import Connection, rows

SHARE = 500  # files of one child: the database of a process grows with what it has read
TEMPORARY = """
    select table_name, 'table' from duckdb_tables() where temporary
    union all select view_name, 'view' from duckdb_views() where temporary and not internal"""
STUDY = """\
study: promises
question: Does the answer promise too much?
unit: one answer
guideline: {version: "1.0", file: guideline.md}
scale: nominal
abstention_reasons: [REASON]
categories:
CATEGORIES
roster: {annotators: [{id: ada}, {id: bo}, {id: cy}], adjudicators: [{id: dee}]}
passes: 3
slices: {uniform: {rate: "0.10"}}
interval: {level: "0.95", resamples: 100, seed: 7}
gate:
  use: judge answers
  because: it is a test
  rules:
    - {slice: uniform, statistic: union_positives, at_least: "1"}
    - {slice: uniform, statistic: krippendorff_alpha, judged_on: lower, at_least: "0"}
"""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--control", action="store_true", help="plant a bug")
    options = parser.parse_args(arguments)
    if options.control:
        _plant_bug()
    store.SETTINGS["threads"] = 1
    import_late()
    counts: Counter[str] = Counter()
    failures: list[str] = []
    for first in range(0, options.files, SHARE):
        done = in_child(partial(_share, first, min(SHARE, options.files - first), options.seed))
        if "value" not in done:
            failures.append(f"files from {first}: {done}")
            break
        counts.update(done["value"]["counts"])
        failures += done["value"]["failures"]
        progress("so far", files=counts.total(), failures=len(failures), **dict(sorted(counts.items())))
    print(json.dumps({"files": options.files, **dict(sorted(counts.items())), "failures": len(failures)}))
    print(*failures[:10], sep="\n")
    return 1 if failures else 0


def _share(first: int, n_files: int, seed: int) -> dict[str, object]:
    counts: Counter[str] = Counter()
    failures = []
    with tempfile.TemporaryDirectory(prefix="goldgate-roundtrip-", dir=in_memory()) as scratch:
        project = project_in(Path(scratch) / "project")
        register(project, _inputs(Path(scratch)) / "study.yaml")
        open_round(project, Path(scratch) / "r1")
        with project.changing() as change:
            batch = ingest._batch(change, change.state.round("r1"), (), None, None, False)
            kept = {path.name for path in change.objects.folder.iterdir()}
            for number in range(first, first + n_files):
                rng = random.Random(seed * 1_000_003 + number)
                made = generate(rng)
                outcome, problem = _judged(batch, made, rng, Path(scratch))
                counts[outcome] += 1
                failures += [f"file {number} ({made.name}, {made.data[:200]!r}): {problem}"] if problem else []
                for path in change.objects.folder.iterdir():
                    if path.name not in kept:
                        path.unlink()
    return {"counts": counts, "failures": failures}


def _inputs(folder: Path) -> Path:
    (folder / "r1").mkdir()
    categories = "\n".join(
        f"  - {{value: {json.dumps(label, ensure_ascii=False)}, definition: It is., positive: {str(n == 0).lower()}}}"
        for n, label in enumerate(LABELS)
    )
    frame = "".join(json.dumps({"item_id": item, "item_version": "v1"}) + "\n" for item in ITEMS)
    texts = {
        "study.yaml": STUDY.replace("CATEGORIES", categories).replace("REASON", REASON),
        "guideline.md": "Flag what nobody promised.\n",
        "r1/round.yaml": ROUND.replace("frame.csv", "frame.jsonl"),
        "r1/frame.jsonl": frame,
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    return folder


def _judged(batch: ingest._Batch, made: Generated, rng: random.Random, folder: Path) -> tuple[str, str]:
    """What became of a file, and what is wrong with that; nothing if all is well."""
    try:
        digest, found = _accepted(batch, made, folder)
    except InputRefused as refusal:
        return _refused(made, refusal)
    if made.planted:
        return "accepted", f"accepted, in spite of {made.planted}"
    try:
        expected = independent_rows(made) if made.mutated else made.rows
    except (ValueError, KeyError, AttributeError) as error:
        return "accepted", f"accepted, and Python sees no table in it: {error}"
    if found != sorted(expected):
        return "accepted", f"accepted as {found[:3]}"
    again, _ = _accepted(batch, written(rng, rng.sample(found, len(found))), folder)
    return "accepted and the same again", "" if again == digest else "written again, it is another object"


def _refused(made: Generated, refusal: InputRefused) -> tuple[str, str]:
    if made.mutated:
        whole = all(p.code and p.message and p.file for p in refusal.problems)
        return "refused, a byte changed", "" if refusal.problems and whole else f"refused without a place: {refusal}"
    if not made.planted:
        return "refused", f"nothing is wrong with it: {refusal.problems}"
    named = {(p.code, p.line) for p in refusal.problems}
    for row, codes in made.planted.items():
        line = row + made.first_line
        if not any(code in codes and (line == at or not made.first_line) for code, at in named):
            return "refused", f"row {row} has {codes}, and the refusal names {named}"
    return "refused, every defect named", ""


def _accepted(batch: ingest._Batch, made: Generated, folder: Path) -> tuple[str, list[tuple[str, ...]]]:
    """The digest of a file's canonical rows, and the rows. Nothing is committed."""
    path = folder / made.name
    path.write_bytes(made.data)
    change = batch.change
    try:
        set_checks.begin(change.con, batch.target.params)
        payload = ingest._prepare(batch, path).payload
        assert payload is not None  # nothing came in before it
        digest = payload["canonical"]
        columns = ", ".join(COLUMNS)
        stored = rows(change.con, f"select {columns} from read_parquet(?)", [str(change.objects.path(digest))])
        return digest, sorted(stored)
    finally:
        for name, kind in rows(change.con, TEMPORARY):
            change.con.execute(f'drop {kind} "{name}"')


def _plant_bug() -> None:
    honest = ingest.read_table

    def forgetful(intake: object, con: Connection) -> Table:
        from dataclasses import replace

        table = honest(intake, con)  # type: ignore[arg-type]
        con.execute(f"delete from {table.relation} where rowid = (select max(rowid) from {table.relation})")
        return replace(table, n_rows=table.n_rows - 1)

    ingest.read_table = forgetful


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
