"""Check one goldgate release: its files are those its manifest names, nothing is missing, nothing was added, the labels
have the columns they may have, and each report's verdict follows from its rules. Needs Python 3.11 and nothing else:

    python verify.py [FOLDER] [--id RELEASE_ID]

Whoever noted the release's id when it came out gives it with --id; without it this shows only that the folder is
consistent in itself. Exit code 0: all as named. 6: something differs.
"""

import csv
import hashlib
import json
import sys
from fractions import Fraction
from pathlib import Path

COLUMNS = "item_id,item_version,label,how,slice,cell,inclusion_probability,round_id,guideline_version"


def differences(folder: Path, release_id: str | None = None) -> list[str]:
    """What does not agree with the manifest, a line each; empty if all does."""
    try:
        manifest_bytes = (folder / "manifest.json").read_bytes()
        manifest = json.loads(manifest_bytes)
        named = {entry["path"]: (entry["size"], entry["sha256"]) for entry in manifest["files"]}
        rounds, n_labels, verdict = [r["round"] for r in manifest["rounds"]], manifest["labels"], manifest["verdict"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        return [f"manifest.json cannot be read: {type(error).__name__}"]
    found = []
    actual_id = hashlib.sha256(manifest_bytes).hexdigest()
    canonical = json.dumps(manifest, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    if canonical != manifest_bytes:
        found.append("manifest.json is not in canonical form")
    if release_id is not None and release_id != actual_id:
        found.append(f"the release id is {actual_id}, not {release_id}")
    if not folder.resolve().name.endswith(actual_id[:12]) and not folder.name.startswith(".staging-"):
        found.append("the folder's name does not carry the release id")
    present = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if not p.is_dir() or p.is_symlink()}
    present.pop("manifest.json", None)
    found += [f"{path} is missing" for path in sorted(named.keys() - present.keys())]
    found += [f"{path} is not in the manifest" for path in sorted(present.keys() - named.keys())]
    for path in sorted(named.keys() & present.keys()):
        size, digest = named[path]
        try:
            data = present[path].read_bytes()
        except OSError as error:
            found.append(f"{path} cannot be read: {error.strerror}")
            continue
        if present[path].is_symlink():
            found.append(f"{path} is a link")
        elif len(data) != size or hashlib.sha256(data).hexdigest() != digest:
            found.append(f"{path} is not what it was")
    if verdict != "pass" or not rounds:
        found.append("the manifest's verdict is not pass")
    try:
        return found or [line for name in rounds for line in _verdict(folder, name)] + _labels(folder, n_labels)
    except (OSError, ValueError, KeyError, TypeError) as error:
        return [f"what the manifest names cannot be read: {type(error).__name__}"]


def _verdict(folder: Path, name: str) -> list[str]:
    """A report says pass, and every one of its rules does by its own figures."""
    verdict = json.loads((folder / "report" / name / "report.json").read_bytes())["verdict"]
    wrong = [f"{name}: the report's verdict is not pass"] if verdict["status"] != "pass" or not verdict["rules"] else []
    for rule in verdict["rules"]:
        sides = [Fraction(rule["found"] or 0), Fraction(rule["asked"])]
        sides = sides if rule["comparison"] == "at_least" else sides[::-1]
        if rule["found"] is None or rule["verdict"] != "pass" or sides[0] < sides[1]:
            wrong.append(f"{name}: rule {rule['number']} does not pass")
    return wrong


def _labels(folder: Path, n_labels: int) -> list[str]:
    """The labels have the columns they may have and no other, and as many rows as the manifest says."""
    with (folder / "labels.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines))
    wrong = [] if rows[:1] == [COLUMNS.split(",")] else ["labels.csv has other columns than a release may have"]
    return wrong + ([] if len(rows) == n_labels + 1 else [f"labels.csv does not hold {n_labels} labels"])


def main(arguments: list[str]) -> int:
    release_id = None
    if "--id" in arguments[:-1]:
        at = arguments.index("--id")
        release_id = arguments[at + 1]
        del arguments[at : at + 2]
    folder = Path(arguments[0]) if arguments else Path(__file__).parent
    found = differences(folder, release_id)
    for line in found:
        print(f"FAIL: {line}")
    if not found:
        anchored = "OK: %s; the id agrees" if release_id else "UNANCHORED: %s; no release id to compare with"
        print(anchored % "every file is as named")
    return 6 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
