"""Files of labels from a seeded generator: rows that are right, in a dialect drawn at random, some with a defect."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from flows.labels.label_rows import COLUMNS

ITEMS = ("i1", "a b", "Größe", "o'k#1", "x,y", "0017", "日本")
ANNOTATORS = ("ada", "bo", "cy")
LABELS = ("yes", "no", "it, depends", "größer", 'so "so"')
REASON = "cannot-tell"
# A defect -> the column it is in, what stands there, and the codes one of which must name it.
DEFECTS: dict[str, tuple[str, str, set[str]]] = {
    "a label nobody declared": ("label", "perhaps", {"unknown-label"}),
    "a label in capitals": ("label", "YES", {"near-miss-label"}),
    "a blank behind a label": ("label", "yes ", {"near-miss-label"}),
    "two labels": ("label", "yes|no", {"several-labels"}),
    "a stranger": ("annotator_id", "zoe", {"unknown-annotator"}),
    "the adjudicator": ("annotator_id", "dee", {"adjudicator-as-annotator"}),
    "an item of no round": ("item_id", "i999", {"unknown-item"}),
    "no item": ("item_id", "", {"blank-id"}),
    "a combining accent": ("item_id", "Gro\u0308ße", {"id-not-nfc"}),
}
Cells = dict[str, str]


@dataclass
class Generated:
    """A file. rows: what it says, complete. planted: row number from 0 -> codes of which one must name it.
    first_line: the physical line of row 0; 0 where rows have no lines.
    """

    name: str
    data: bytes
    rows: list[tuple[str, ...]]
    planted: dict[int, set[str]] = field(default_factory=dict)
    first_line: int = 0
    mutated: bool = False
    delimiter: str = ","


def generate(rng: random.Random) -> Generated:
    """Three of ten with a defect in a cell, three more with a byte changed."""
    columns = _columns(rng)
    body = [_row(rng, item, who, columns) for item, who in _pairs(rng)]
    kind = rng.choices(("csv", "jsonl", "parquet", "xlsx"), (60, 25, 10, 5))[0]
    what = rng.choices(("right", "defect", "mutated"), (40, 30, 30))[0]
    planted = _plant(rng, body) if what == "defect" else {}
    made = WRITERS[kind](rng, columns, body)
    made.rows, made.planted = [_complete(row) for row in body], planted
    if what == "mutated" and kind in ("csv", "jsonl"):
        made.data, made.mutated = _mutated(rng, made.data), True
    return made


def written(rng: random.Random, rows: list[tuple[str, ...]]) -> Generated:
    """Complete rows as another file."""
    body = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    return WRITERS[rng.choice(("csv", "jsonl", "parquet"))](rng, list(COLUMNS), body)


def independent_rows(made: Generated) -> list[tuple[str, ...]]:
    """What Python's own readers see in a file of text. Raises ValueError where they see no table."""
    text = made.data.decode("utf-8-sig")
    if made.name.endswith("jsonl"):
        body = [json.loads(line, parse_int=str, parse_float=str) for line in text.split("\n") if line.strip()]
    else:
        head, *lines = [line for line in csv.reader(io.StringIO(text, newline=""), delimiter=made.delimiter) if line]
        body = [dict(zip(head, line, strict=True)) for line in lines]
    return [_complete(row) for row in body]


def _columns(rng: random.Random) -> list[str]:
    columns = ["item_id", "annotator_id", "label", "abstain_reason"]
    columns += [name for name in COLUMNS if name not in columns and rng.random() < 0.3]
    rng.shuffle(columns)
    return columns


def _pairs(rng: random.Random) -> list[tuple[str, str]]:
    pairs = [(item, who) for item in ITEMS for who in ANNOTATORS]
    return rng.sample(pairs, rng.randint(1, len(pairs)))


def _row(rng: random.Random, item: str, who: str, columns: list[str]) -> Cells:
    abstains = rng.random() < 0.1
    row = {
        "item_id": item,
        "item_version": "v1",
        "annotator_id": who,
        "status": "abstained" if abstains else "labelled",
        "label": "" if abstains else rng.choice(LABELS),
        "abstain_reason": REASON if abstains else "",
        "guideline_version": "1.0",
        "labelled_at": rng.choice(("", "2026-04-01", "2026-04-01T12:00:00Z", "2026-04-01 12:00:00.5+02:00")),
        "origin": "own",
    }
    return {name: row[name] for name in columns}


def _complete(row: Cells) -> tuple[str, ...]:
    inferred = "abstained" if not row["label"] and row.get("abstain_reason") else "labelled"
    given = {"item_version": "v1", "status": inferred, "guideline_version": "1.0", "origin": "own"}
    return tuple({**dict.fromkeys(COLUMNS, ""), **given, **row}[name] for name in COLUMNS)


def _plant(rng: random.Random, body: list[Cells]) -> dict[int, set[str]]:
    """One to three rows with one defect each."""
    planted = {}
    for n in rng.sample(range(len(body)), min(len(body), rng.randint(1, 3))):
        column, value, codes = DEFECTS[rng.choice(list(DEFECTS))]
        if column == "label" and not body[n]["label"]:
            continue
        body[n] = {**body[n], column: value}
        planted[n] = codes
    return planted


def _mutated(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data))
    return rng.choice(
        (
            data[:at] + data[at + 1 :],
            data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :],
            data[:at] + rng.choice((b'"', b",", b"\n", b"\r", b"\x00", b"\t", b"'")) + data[at:],
            data[: at + 1],
        )
    )


def _csv(rng: random.Random, columns: list[str], body: list[Cells]) -> Generated:
    delimiter, end = rng.choice((",", ",", ";", "\t")), rng.choice(("\n", "\n", "\r\n"))
    out = io.StringIO()
    quoting = rng.choice((csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerows([columns, *([row[name] for name in columns] for row in body)])
    text = out.getvalue() if rng.random() < 0.8 else out.getvalue().removesuffix(end)
    data = (b"\xef\xbb\xbf" if rng.random() < 0.2 else b"") + text.encode()
    name = "labels.tsv" if delimiter == "\t" else "labels.csv"
    return Generated(name, data, [], first_line=2, delimiter=delimiter)


def _json_lines(rng: random.Random, columns: list[str], body: list[Cells]) -> Generated:
    ascii_only, end = rng.random() < 0.5, rng.choice(("\n", "\r\n"))
    lines = [json.dumps({name: row[name] for name in columns}, ensure_ascii=ascii_only) for row in body]
    return Generated("labels.jsonl", "".join(line + end for line in lines).encode(), [], first_line=1)


def _parquet(rng: random.Random, columns: list[str], body: list[Cells]) -> Generated:
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    table = {name: pa.array([row[name] for row in body], pa.string()) for name in columns}
    pq.write_table(pa.table(table), out, compression=rng.choice(("snappy", "zstd", "none")))
    return Generated("labels.parquet", out.getvalue(), [])


def _workbook(rng: random.Random, columns: list[str], body: list[Cells]) -> Generated:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for at, row in enumerate([columns, *([row[name] for name in columns] for row in body)], start=1):
        for column, value in enumerate(row, start=1):
            cell = sheet.cell(at, column)
            cell.value = value or None
            if value:
                cell.data_type = "s"  # '=1+1' is an item here and no formula
    out = io.BytesIO()
    book.save(out)
    return Generated("labels.xlsx", out.getvalue(), [], first_line=2)


WRITERS: dict[str, Callable[[random.Random, list[str], list[Cells]], Generated]] = {
    "csv": _csv,
    "jsonl": _json_lines,
    "parquet": _parquet,
    "xlsx": _workbook,
}
