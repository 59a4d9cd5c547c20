"""Check one goldgate release: its files are those its manifest names and no others, each report has the rules that
registration/rules.json holds and passes them, the labels have the columns they may have. Needs Python 3.11 alone:

    python verify.py [FOLDER] [--id RELEASE_ID]

This file comes from the same hands as the release: run a copy of your own, with the release id you noted. Without --id
it shows only that the folder is consistent in itself. Exit code 0: all as named. 6: something differs."""

import csv
import hashlib
import io
import json
import re
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

COLUMNS = "item_id,item_version,label,how,slice,cell,inclusion_probability,round_id,guideline_version"
RULE = ("slice", "statistic", "category", "judged_on", "missing", "comparison", "asked")
NUMBER = re.compile(r"-?[0-9]{1,40}(\.[0-9]{1,6})?")


def differences(folder: Path, release_id: str | None = None) -> list[str]:
    """What does not agree with the manifest, a line each; empty if all does. Nothing outside the folder is read."""
    at, found, contents = "manifest.json", list[str](), dict[str, bytes]()
    try:
        manifest_bytes = b"" if (folder / at).is_symlink() else (folder / at).read_bytes()
        manifest = json.loads(manifest_bytes)
        canonical = json.dumps(manifest, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
        found += [] if canonical == manifest_bytes else ["manifest.json is not in canonical form"]
        own_id = hashlib.sha256(manifest_bytes).hexdigest()
        found += [] if release_id in (None, own_id) else [f"the release id is {own_id}, not {release_id}"]
        if folder.resolve().name != f"{manifest['version']}-{own_id[:12]}" and folder.name[:9] != ".staging-":
            found.append("the folder's name does not carry version and release id")
        named = {str(entry["path"]): (entry["size"], entry["sha256"]) for entry in manifest["files"]}
        present = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if not p.is_dir() or p.is_symlink()}
        del present[at]
        found += [f"{path} is missing" for path in sorted(named.keys() - present.keys())]
        found += [f"{path} is not in the manifest" for path in sorted(present.keys() - named.keys())]
        for at in sorted(named.keys() & present.keys()):
            file, (size, digest) = present[at], named[at]
            same = file.is_file() and not file.is_symlink() and file.stat().st_size == size
            contents[at] = file.read_bytes() if same else b""
            if not same or hashlib.sha256(contents[at]).hexdigest() != digest:
                found.append(f"{at} is a link" if file.is_symlink() else f"{at} is not what it was")
        passed = manifest["verdict"] == "pass" and manifest["rounds"]
        found += [] if passed else ["the manifest's verdict is not pass"]
        if found:
            return found
        rules = json.loads(contents["registration/rules.json"])
        for name in [entry["round"] for entry in passed]:
            at = f"report/{name}/report.json"
            found += _report(json.loads(contents[at]), rules, manifest["study"], name)
        at = "labels.csv"
        return found + _labels(contents, manifest["labels"])
    except Exception as error:
        return [*found, f"{at} cannot be read: {type(error).__name__}"]


def _report(report: dict[str, Any], registered: dict[str, Any], study: str, name: str) -> list[str]:
    """It is of this study and round, has the rules that were registered, and passes them by its own figures."""
    verdict, rules = report["verdict"]["status"], report["verdict"]["rules"]
    wrong = [] if verdict == "pass" and rules else [f"{name}: the report's verdict is not pass"]
    of = [report["round"]["round_id"], report["study"]["study_id"], registered["study"]]
    wrong += [] if of == [name, study, study] else [f"{name}: the report is of another study or round"]
    same = [[rule[key] for key in RULE] for rule in rules] == registered["rounds"][name]
    wrong += [] if same else [f"{name}: the report's rules are not those that were registered"]
    for rule in rules:
        pair = [rule["found"], rule["asked"]][:: 1 if rule["comparison"] == "at_least" else -1]
        readable = all(NUMBER.fullmatch(str(number)) for number in pair)
        if rule["verdict"] != "pass" or not readable or Fraction(pair[0]) < Fraction(pair[1]):
            wrong.append(f"{name}: rule {rule['number']} does not pass")
    return wrong


def _labels(contents: dict[str, bytes], n_labels: int) -> list[str]:
    """The labels have the columns they may have and no other, and as many rows as the manifest says."""
    rows = list(csv.reader(io.StringIO(contents["labels.csv"].decode(), newline="")))
    wrong = [] if rows[:1] == [COLUMNS.split(",")] else ["labels.csv has other columns than a release may have"]
    wrong += [] if len(rows) == n_labels + 1 else [f"labels.csv does not hold {n_labels} labels"]
    is_parquet = contents["labels.parquet"][:4] == contents["labels.parquet"][-4:] == b"PAR1"
    return wrong + ([] if is_parquet else ["labels.parquet is no Parquet file"])


def main(arguments: list[str]) -> int:
    at = arguments.index("--id") if "--id" in arguments[:-1] else len(arguments)
    release_id, rest = next(iter(arguments[at + 1 : at + 2]), None), arguments[:at] + arguments[at + 2 :]
    found = differences(Path(rest[0]) if rest else Path(__file__).parent, release_id)
    for line in found:
        print(f"FAIL: {line.encode('unicode_escape').decode()}")
    anchored = "OK: %s; the id agrees" if release_id else "UNANCHORED: %s; the verdict is as the publisher wrote it"
    print(end="" if found else anchored % "every file is as named" + "\n")
    return 6 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
