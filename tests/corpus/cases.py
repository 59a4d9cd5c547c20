"""Malformed files, each a good one with one or more things wrong, and the exact refusal of each in expected.json.

    python tests/corpus/cases.py --renew

writes what is refused now; read the difference before you commit it. A case is a name, a kind of file and an edit.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from agreement.errors import GoldgateError
from flows.adjudicate import adjudicate
from flows.close import close_round
from flows.ingest import ingest
from flows.measure import measure
from flows.open import open_round
from flows.register import register
from flows.storage.project import Project

EXPECTED = Path(__file__).parent / "expected.json"
STUDY = """\
study: promises
question: Does the answer promise too much?
unit: one answer
guideline: {version: "1.0", file: guideline.md}
scale: nominal
categories:
  - {value: "yes", positive: true, definition: It does.}
  - {value: "no", definition: It does not.}
abstention_reasons: [unreadable]
roster:
  annotators: [{id: ada}, {id: bo}]
  adjudicators: [{id: dee}]
passes: 2
slices:
  uniform: {rate: "0.10"}
  strata:
    - {name: hard, rate: "0.50", where: {column: mark, equals: "hard"}}
interval: {level: "0.95", resamples: 100, seed: 7}
release: {contested: adjudicated, unresolved: refuse}
gate:
  use: judge answers
  because: it is a test
  attempts: 1
  rules:
    - {slice: uniform, statistic: union_positives, at_least: "1"}
    - {slice: uniform, statistic: positive_specific_agreement, at_least: "0.50"}
    - {slice: uniform, statistic: krippendorff_alpha, at_least: "0"}
"""
ROUND = """\
study: promises
round: r1
kind: measured
guideline_version: "1.0"
frame: frame.csv
assignments: assignments.csv
files: [labels.csv]
"""
FRAME = "item_id,item_version,slice,inclusion_probability\n" + "".join(
    f"i{n},v1,{'hard' if n > 3 else 'uniform'},0.10\n" for n in range(1, 6)
)
ASSIGNMENTS = "item_id,annotator_id\n" + "".join(f"i{n},{who}\n" for n in range(1, 6) for who in ("ada", "bo"))
LABELS = "item_id,item_version,annotator_id,status,label,abstain_reason\n" + "".join(
    f"i{n},v1,{who},labelled,{'yes' if n < 3 else 'no'},\n" for n in range(1, 6) for who in ("ada", "bo")
)
DECISIONS = "item_id,label,adjudicator_id,reason\ni1,yes,dee,read it twice\n"
GOOD = {"study": STUDY, "round": ROUND, "frame": FRAME, "assignments": ASSIGNMENTS, "labels": LABELS}
GOOD |= {"decisions": DECISIONS}

# kind of file -> edits: (old, new), applied once; a name is made from the edit.
EDITS: dict[str, list[tuple[str, str]]] = {
    "study": [
        ("study: promises", "study: Promises"),
        ("study: promises", "study: ../x"),
        ("study: promises", "study: con"),
        ("study: promises", "study: p\nstudy: q"),
        ("study: promises", "study: [a]"),
        ("study: promises", "study: !!str promises"),
        ("study: promises", "study: &x promises"),
        ("study: promises", "surprise: 1\nstudy: promises"),
        ("study: promises\n", ""),
        ("question: Does the answer promise too much?", 'question: ""'),
        ("unit: one answer\n", ""),
        ('version: "1.0"', "version: 1.0"),
        ('version: "1.0"', 'version: "1/0"'),
        ("file: guideline.md", "file: /etc/passwd"),
        ("file: guideline.md", "file: ../guideline.md"),
        ("file: guideline.md", "file: nowhere.md"),
        ("scale: nominal", "scale: norminal"),
        ("scale: nominal", "scale: interval"),
        ("scale: nominal", "scale: nominal\nweights: linear"),
        ("scale: nominal", 'scale: ordinal\nweights: [["1"]]'),
        ("scale: nominal", 'scale: ordinal\nweights: [["1", "0.5"], ["0.4", "1"]]'),
        ("scale: nominal", 'scale: ordinal\nweights: [["1", "2"], ["2", "1"]]'),
        ('value: "no"', 'value: "yes"'),
        ('value: "no"', 'value: "Yes"'),
        ('value: "no"', 'value: "no", positive: true'),
        ('value: "no"', 'value: " no"'),
        ('  - {value: "no", definition: It does not.}\n', ""),
        ("definition: It does not.", "defintion: It does not."),
        ("[unreadable]", "[unreadable, unreadable]"),
        ("[unreadable]", "[Un Readable]"),
        ("[{id: ada}, {id: bo}]", "[{id: ada}]"),
        ("[{id: ada}, {id: bo}]", "[{id: ada}, {id: ada}]"),
        ("[{id: ada}, {id: bo}]", "[{id: ada}, {id: Ada}]"),
        ("[{id: ada}, {id: bo}]", "[{id: ada}, {id: bo@example.org}]"),
        ("[{id: ada}, {id: bo}]", "[{id: ada}, {id: bo, kind: robot}]"),
        ("[{id: ada}, {id: bo}]", "[{id: ada}, {id: bo, reserve: true}]"),
        ("[{id: dee}]", "[{id: ada}]"),
        ("passes: 2", "passes: 1"),
        ("passes: 2", "passes: two"),
        ("passes: 2", "passes: 2.0"),
        ("passes: 2", "passes: 3"),
        ('{rate: "0.10"}', '{rate: "10%"}'),
        ('{rate: "0.10"}', "{rate: 0.10}"),
        ('{rate: "0.10"}', '{rate: "1.5"}'),
        ('{rate: "0.10"}', '{rate: "0,1"}'),
        ("name: hard", "name: traffic"),
        ("name: hard", "name: Hard"),
        ('equals: "hard"', 'equals: "hard", below: "3"'),
        (', equals: "hard"', ""),
        ('level: "0.95"', 'level: "95"'),
        ('level: "0.95"', 'level: ".nan"'),
        ("resamples: 100", "resamples: 10"),
        ("resamples: 100", "resamples: 1_000"),
        ("seed: 7", "seed: -7"),
        (", seed: 7", ""),
        ("unresolved: refuse", "unresolved: out"),
        ("contested: adjudicated", "contested: vote"),
        ("  use: judge answers\n", ""),
        ("attempts: 1", "attempts: 0"),
        ("attempts: 1", "attempts: 999"),
        ('at_least: "0.50"', 'at_least: "70%"'),
        ('at_least: "0.50"', "at_least: 0.5"),
        ('at_least: "0.50"', 'at_least: "0,5"'),
        ('at_least: "0.50"', 'at_least: ".inf"'),
        ('at_least: "0.50"', 'at_least: "1.5"'),
        ('at_least: "0.50"', 'at_least: "0.50001"'),
        ('at_least: "0.50"', 'at_most: "0.50", at_least: "0.50"'),
        (', at_least: "0.50"', ""),
        ("statistic: positive_specific_agreement", "statistic: agreement"),
        ("statistic: krippendorff_alpha", "statistic: gwet_ac1"),
        ("statistic: krippendorff_alpha", "statistic: weighted_kappa"),
        ('    - {slice: uniform, statistic: krippendorff_alpha, at_least: "0"}\n', ""),
        ('    - {slice: uniform, statistic: union_positives, at_least: "1"}\n', ""),
        ("slice: uniform, statistic: union", "slice: elsewhere, statistic: union"),
        ("slice: uniform, statistic: union", "slice: traffic, statistic: union"),
        ("gate:", "stop: {union_positives: 9, at_most_items: 3}\ngate:"),
        ("gate:", "  gate:"),
        ("gate:", "gate"),
        ("study: promises", "study: promises\t"),
        ("study: promises", "<<: {a: b}\nstudy: promises"),
    ],
    "round": [
        ("study: promises", "study: nowhere"),
        ("study: promises", "study: []"),
        ("round: r1", "round: R1"),
        ("round: r1", "round: ../r1"),
        ("round: r1\n", ""),
        ("kind: measured", "kind: measure"),
        ('guideline_version: "1.0"', "guideline_version: 1.0"),
        ('guideline_version: "1.0"', 'guideline_version: "2.0"'),
        ("frame: frame.csv\n", ""),
        ("frame: frame.csv", "frame: nowhere.csv"),
        ("frame: frame.csv", "frame: ../frame.csv"),
        ("[labels.csv]", "[labels.csv, Labels.csv]"),
        ("[labels.csv]", "labels.csv"),
        ("kind: measured", "kind: measured\nattempt_of: r1"),
        ("kind: measured", "kind: measured\nattempt_of: r0"),
        ("kind: measured", "kind: measured\ncolumns: {item_id: a, label: a}"),
        ("kind: measured", "kind: measured\nset_aside: [everything]"),
        ("kind: measured", "kind: measured\nlabels: {yes: no, no: yes}"),
        ("kind: measured", "kind: measured\npool: {uniform: -3}"),
    ],
    "frame": [
        ("item_id,item_version", "item,item_version"),
        ("item_id,item_version", "item_id,version"),
        ("slice,inclusion_probability", "slice,mark"),
        ("i2,v1", "i1,v1"),
        ("i2,v1,uniform", "i2,v1,nowhere"),
        ("i2,v1,uniform,0.10", "i2,v1,uniform,10%"),
        ("i2,v1", ",v1"),
        ("i2,v1", " i2,v1"),
        ("i2,v1", "i\u200b2,v1"),
        ("i2,v1,uniform,0.10", "i2,v1,uniform"),
        ("hard", "uniform"),
        (
            "\n",
            "\r",
        ),
    ],
    "assignments": [
        ("annotator_id", "who"),
        ("i1,ada", "i1,eve"),
        ("i1,ada", "i9,ada"),
        ("i1,ada", "i1,bo"),
        ("i1,ada\n", ""),
    ],
    "labels": [
        ("item_id,", "item,"),
        ("item_id,", "item_id ,"),
        ("item_id,item_version", "item_id,item_id"),
        ("item_id,item_version", "item_id,Item_ID"),
        ("item_id,item_version", ",item_version"),
        ("abstain_reason\n", "abstain_reason,guess\n"),
        ("i1,v1,ada,labelled,yes,", "i1,v1,ada,labelled,maybe,"),
        ("i1,v1,ada,labelled,yes,", "i1,v1,ada,labelled,Yes,"),
        ("i1,v1,ada,labelled,yes,", "i1,v1,ada,labelled, yes,"),
        ("i1,v1,ada,labelled,yes,", "i1,v1,ada,labelled,,"),
        ("i1,v1,ada,labelled,yes,", "i1,v1,ada,labelled,yes|no,"),
        ("i1,v1,ada,labelled,yes,", "i1,v1,ada,labelled,NA,"),
        ("i1,v1,ada,labelled,yes,", "i1,v1,ada,abstained,,"),
        ("i1,v1,ada,labelled,yes,", "i1,v1,ada,abstained,,tired"),
        ("i1,v1,ada,labelled,yes,", "i1,v1,ada,abstained,yes,unreadable"),
        ("i1,v1,ada,labelled,yes,", "i1,v1,ada,skipped,yes,"),
        ("i1,v1,ada,labelled,yes,", "i1,v1,ada,labelled,yes,unreadable"),
        ("i1,v1,ada,labelled,yes,", "i1,v1,ada,done,yes,"),
        ("i1,v1,ada,labelled,yes,", "i1,v1,eve,labelled,yes,"),
        ("i1,v1,ada,labelled,yes,", "i1,v1,Ada,labelled,yes,"),
        ("i1,v1,ada,labelled,yes,", "i1,v1,dee,labelled,yes,"),
        ("i1,v1,ada,labelled,yes,", "i1,v2,ada,labelled,yes,"),
        ("i1,v1,ada,labelled,yes,", "i9,v1,ada,labelled,yes,"),
        ("i1,v1,ada,labelled,yes,", "I1,v1,ada,labelled,yes,"),
        ("i1,v1,ada,labelled,yes,", "01,v1,ada,labelled,yes,"),
        ("i1,v1,ada,labelled,yes,", ",v1,ada,labelled,yes,"),
        ("i1,v1,ada,labelled,yes,", "i\u0301,v1,ada,labelled,yes,"),
        ("i1,v1,ada,labelled,yes,", "i\u202e1,v1,ada,labelled,yes,"),
        ("i1,v1,ada,labelled,yes,", "ｉ1,v1,ada,labelled,yes,"),
        ("i1,v1,ada,labelled,yes,", "x" * 300 + ",v1,ada,labelled,yes,"),
        ("i1,v1,ada,labelled,yes,", "i2,v1,ada,labelled,yes,"),
        ("i1,v1,ada,labelled,yes,", "i2,v1,ada,labelled,no,"),
        ("i1,v1,ada,labelled,yes,", "i1,v1,ada,labelled,yes"),
        ("i1,v1,ada,labelled,yes,", "i1,v1,ada,labelled,yes,,"),
        ("i1,v1,ada,labelled,yes,", 'i1,v1,ada,labelled,"ye"s,'),
        ("i1,v1,ada,labelled,yes,", 'i1,v1,ada,labelled,y"e"s,'),
        ("i1,v1,ada,labelled,yes,", 'i1,v1,ada,labelled,"yes,'),
        ("i1,v1,ada,labelled,yes,", "i1,v1,ada,labelled,y\x00es,"),
        ("i1,v1,ada,labelled,yes,", "i1,v1,ada,labelled,y\x07es,"),
        ("i1,v1,ada,labelled,yes,\n", "i1,v1,ada,labelled,yes,\r"),
        ("i1,v1,ada,labelled,yes,\n", "\ni1,v1,ada,labelled,yes,\n"),
        ("i1,v1,ada,labelled,yes,", "i1;v1;ada;labelled;yes;"),
        ("i5,v1,bo,labelled,no,\n", "i5,v1,bo,lab"),
    ],
    "decisions": [
        ("reason\n", "why\n"),
        ("reason\n", "reason,note\n"),
        ("i1,yes", "i9,yes"),
        ("i1,yes", "i1,perhaps"),
        ("i1,yes,dee", "i1,yes,eve"),
        ("i1,yes,dee", "i1,yes,ada"),
        ("read it twice", " "),
        ("i1,yes,dee,read it twice\n", "i1,yes,dee,once\ni1,no,dee,twice\n"),
    ],
}
# Whole files of labels that are not text, or no file of labels at all.
BYTES: dict[str, bytes] = {
    "empty": b"",
    "white space": b" \n\t\n",
    "header only": LABELS.splitlines(keepends=True)[0].encode(),
    "no header": LABELS.partition("\n")[2].encode(),
    "utf-16": LABELS.encode("utf-16"),
    "utf-32": LABELS.encode("utf-32"),
    "latin-1": LABELS.replace("i1", "ï1").encode("latin-1"),
    "a broken byte in line 7": LABELS.replace("i3,v1,bo", "i3,v1,b\udc80").encode("utf-8", "surrogateescape"),
    "gzip": gzip.compress(LABELS.encode(), mtime=0),
    "bzip2": b"BZh91AY&SY",
    "xz": b"\xfd7zXZ\x00",
    "zstd": b"\x28\xb5\x2f\xfd",
    "7-zip": b"7z\xbc\xaf\x27\x1c",
    "rar": b"Rar!\x1a\x07",
    "half a parquet": b"PAR1" + bytes(100),
    "half a workbook": b"PK\x03\x04" + bytes(100),
    "a JSON list": b'[{"item_id": "i1"}]',
    "a JSON line cut": b'{"item_id": "i1", "annotator_id": "ada", "label": "yes"}\n{"item_id": "i2", "an',
    "a JSON key twice": b'{"item_id": "i1", "item_id": "i2", "annotator_id": "ada", "label": "yes"}\n',
    "a JSON list inside": b'{"item_id": "i1", "annotator_id": "ada", "label": ["yes"]}\n',
    "a JSON NaN": b'{"item_id": "i1", "annotator_id": "ada", "label": NaN}\n',
    "one item id on every row": re.sub(r"^i\d", "i1", LABELS, flags=re.M).encode(),
    "annotators where items should be": b"item_id,annotator_id,label\nada,i1,yes\nbo,i1,no\n",
    "one person behind all labels": LABELS.replace(",bo,", ",ada,").encode(),
    "an abstention as a label": LABELS.replace("i1,v1,ada,labelled,yes", "i1,v1,ada,labelled,not sure").encode(),
    "a web page": b"<!DOCTYPE html>\n<html><title>Sign in</title>\n<p>Sign in, please.</p></html>\n",
    "a web page in capitals": b'\xef\xbb\xbf\n<HTML lang="en"><BODY>Not found</BODY></HTML>',
    "bare CR at every line's end": LABELS.replace("\n", "\r").encode(),
    "a title above the header": b"Labels of round 1\n" + LABELS.encode(),
    "two titles, padded": b"Labels of round 1,,,,,\nexported by ada,,,,,\n" + LABELS.encode(),
    "a title above semicolons": b"Labels of round 1\r\n\r\n" + LABELS.replace(",", ";").encode(),
    "a line for spreadsheets": b"sep=;\n" + LABELS.replace(",", ";").encode(),
    "a picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
}
MANY = ["i1,v1,ada,labelled,yes,", "i1,v1,bo,labelled,yes,", "i2,v1,ada,labelled,yes,", "i2,v1,bo,labelled,yes,"]


def cases() -> Iterator[tuple[str, str, bytes]]:
    """Name, kind of file, bytes."""
    for kind, edits in EDITS.items():
        for n, (old, new) in enumerate(edits):
            assert old in GOOD[kind], (kind, old)
            # A bare carriage return everywhere, or one edit at one place.
            text = GOOD[kind].replace(old, new) if old in ("\n", "hard") else GOOD[kind].replace(old, new, 1)
            yield f"{kind} {n:02}: {old.strip()[:40]} -> {new.strip()[:40]}", kind, text.encode()
    for name, data in BYTES.items():
        yield f"labels: {name}", "labels", data
    many = LABELS
    for line, (_, wrong) in zip(MANY, EDITS["labels"][6:10], strict=True):
        many = many.replace(line, wrong.replace("i1,v1,ada", ",".join(line.split(",")[:3])), 1)
    yield "labels: several things wrong at once", "labels", many.encode()


def outcome(kind: str, data: bytes) -> dict[str, Any]:
    """What is said, and whether anything was left behind."""
    with tempfile.TemporaryDirectory(prefix="goldgate-corpus-") as scratch:
        folder = Path(scratch) / "case"
        shutil.copytree(prepared(kind).name, folder)
        (folder / FILES[kind]).write_bytes(data)
        return _said(project_in(folder), lambda project: READ[kind](project, folder))


FILES = {"study": "study.yaml", "round": "round.yaml", **{k: f"{k}.csv" for k in GOOD if k not in ("study", "round")}}
STEPS: dict[str, Callable[[Project, Path], object]] = {
    "register": lambda project, folder: register(project, folder / "study.yaml"),
    "open": lambda project, folder: open_round(project, folder),
    "ingest": lambda project, folder: ingest(project, "r1", [folder / "labels.csv"]),
    "close": lambda project, folder: close_round(project, "r1"),
    "measure": lambda project, folder: measure(project, "r1"),
    "adjudicate": lambda project, folder: adjudicate(project, "r1", folder / "decisions.csv"),
}
READ_BY = {"study": "register", "labels": "ingest", "decisions": "adjudicate"}
READ = {kind: STEPS[READ_BY.get(kind, "open")] for kind in GOOD}


@cache
def prepared(kind: str) -> tempfile.TemporaryDirectory[str]:
    """A folder with good files, and a project in it in which everything before the reading has been done."""
    scratch = tempfile.TemporaryDirectory(prefix="goldgate-corpus-")
    folder = Path(scratch.name)
    (folder / "guideline.md").write_text("Flag what nobody promised.\n")
    for name, text in GOOD.items():
        (folder / FILES[name]).write_text(text)
    for name, step in STEPS.items():
        if name == READ_BY.get(kind, "open"):
            break
        step(project_in(folder), folder)
    return scratch


def project_in(folder: Path) -> Project:
    return Project(
        folder / "project",
        clock=lambda: datetime(2026, 4, 1, 12, tzinfo=UTC),
        actor=lambda: "tester",
        new_id=lambda: "test",
    )


def _said(project: Project, read: Callable[[Project], object]) -> dict[str, Any]:
    before = len(project.events())
    try:
        read(project)
    except GoldgateError as refusal:
        added = {event.type for event in project.events()[before:]}
        return {
            "exit": refusal.exit_code,
            "headline": refusal.headline,
            "problems": [[p.code, p.line, p.column, p.message, p.fix] for p in refusal.problems],
            # Beginning a project, and the note that something was refused, are all that may be left behind.
            "left": sorted(added - {"project.created", "ingest.refused"}),
        }
    return {"accepted": True}


if __name__ == "__main__":
    found = {name: outcome(kind, data) for name, kind, data in cases()}
    if sys.argv[1:] == ["--renew"]:
        EXPECTED.write_text(json.dumps(found, indent=1, ensure_ascii=True) + "\n")
    accepted = [name for name, one in found.items() if "accepted" in one]
    codes = {problem[0] for one in found.values() for problem in one.get("problems", [])}
    left = [name for name, one in found.items() if one.get("left")]
    print(f"{len(found)} files, {len(codes)} codes, accepted: {accepted}, left behind: {left}")
