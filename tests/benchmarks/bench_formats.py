"""How long reading an export takes, beside what the standard library needs to parse the same bytes.

    python tests/benchmarks/bench_formats.py            about 5 MB of each format
    python tests/benchmarks/bench_formats.py 20         about 20 MB

JSON is compared with json.loads (of each line, where the format has lines), delimited text with csv.reader. Parquet,
Arrow and Excel have no such peer. Prints Markdown; the aim is a ratio of at most 5.
"""

import csv
import io
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "flows" / "formats"))

import ten_items as t

from flows.formats.flat import read as read_flat
from flows.formats.reading import ReadOptions
from flows.formats.recognise import read_export
from schemas.format_map import FormatMap

REPEATS = 9
TEXT = ReadOptions(content=("text",))
KEY = ReadOptions(item_key="key")
MIN = ReadOptions(question="verdict", item_key="ext_id")
WIDE = FormatMap(format="wide", about="w", wide=t.PEOPLE, columns={"item_id": "item_id"})
CASES = [
    ("label-studio", t.label_studio, ReadOptions()),
    ("label-studio-min", t.label_studio_min, MIN),
    ("label-studio CSV", t.label_studio_csv, MIN),
    ("prodigy", t.prodigy_choice, ReadOptions(item_key="item")),
    ("argilla flat", t.argilla_flat, ReadOptions()),
    ("argilla nested", t.argilla_nested, ReadOptions()),
    ("argilla 1.x", t.argilla_old, ReadOptions()),
    ("doccano", t.doccano_files, KEY),
    ("labelbox", t.labelbox, ReadOptions()),
    ("ground-truth", t.ground_truth_in_line, KEY),
    ("potato", t.potato, ReadOptions()),
    ("mturk", t.mturk, ReadOptions(question="verdict", item_key="Input.key", content=("Input.text",))),
    ("toloka", t.toloka, ReadOptions(item_key="INPUT:key", content=("INPUT:text",))),
    ("langsmith", t.langsmith, ReadOptions()),
    ("langfuse", t.langfuse, ReadOptions()),
    ("plain CSV", t.plain_csv, TEXT),
    ("plain JSON Lines", t.plain_json_lines, TEXT),
    ("wide CSV", t.wide_csv, ReadOptions(format_map=WIDE)),
]


def main(megabytes: float) -> None:
    print("| format | MB | rows | standard library, s | here, s | ratio |\n|---|---|---|---|---|---|")
    for name, write, options in CASES:
        files = files_of(write, megabytes)
        read = read_flat if name.startswith("plain") else read_export
        base, here = seconds(lambda files=files: parse(files)), seconds(lambda f=files, o=options, r=read: r(f, o))
        size, rows = sum(map(len, files.values())) / 1e6, len(read(files, options).rows)
        print(f"| {name} | {size:.1f} | {rows:,} | {base:.3f} | {here:.3f} | {here / base:.1f} |", flush=True)


def files_of(write, megabytes: float) -> dict[str, bytes]:
    """About so many bytes of a format: as many items as it takes, with texts of a usual length."""
    many(100)
    n = int(megabytes * 1e6 / sum(map(len, write().values())) * 100)
    many(n)
    return write()


def many(n: int) -> None:
    text = "an answer of some thirty words, as they are shown to annotators, with a comma and a number: "
    t.ITEMS[:] = [
        (f"q-{i:06}", f"{text}{i} " * 2, ("yes", "no")[i % 7 > 0], ("yes", "no")[i % 5 > 0]) for i in range(n)
    ]
    t.LABELS[:] = [
        (item, words, person, label)
        for item, words, *both in t.ITEMS
        for person, label in zip(t.PEOPLE, both, strict=True)
    ]


def parse(files: dict[str, bytes]) -> None:
    """What the standard library does with the same bytes."""
    for name, data in files.items():
        text = data.decode()
        if name.endswith((".csv", ".tsv")):
            list(csv.reader(io.StringIO(text, newline=""), delimiter="\t" if name.endswith(".tsv") else ","))
        elif name.endswith(".json"):
            json.loads(text)
        else:
            [json.loads(line) for line in text.split("\n") if line]


def seconds(work) -> float:
    """Processor time of the fastest of a few runs, which other work on the machine does not change."""
    best = float("inf")
    for _ in range(REPEATS):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 5)
