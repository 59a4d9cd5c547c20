"""A Hugging Face data set on disk: Parquet or Arrow shards whose class numbers have names.

The names come from the shard's own metadata, else from dataset_info.json or the card beside it. A class list that
was changed in the middle renumbers; so numbers without names are refused, and -1 means no label.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from flows.formats.arrow import table_of
from flows.formats.columns import Columns
from flows.formats.flat import read_columns
from flows.formats.json_bytes import as_text, document
from flows.formats.reading import Format, Reading, ReadOptions
from flows.formats.sniff import Files, Sniff
from flows.reading.findings import Findings, refuse

_CAN = frozenset({"content", "annotator", "time"})
_NO_LABEL = -1
_BESIDE = ("dataset_info.json", "state.json", "dataset_dict.json", "README.md")


def recognises(look: Sniff) -> bool:
    beside = any(PurePosixPath(name).name in ("dataset_info.json", "state.json") for name in look.names)
    if any(name.endswith((".responses", ".responses.users")) for name in look.header):
        return False  # Argilla, pushed to a hub
    return look.kind == "arrow" or (look.kind == "parquet" and (beside or look.head == "huggingface")) or (
        beside and look.kind in ("json-object", "jsonl")
    )  # fmt: skip


def read(files: Files, options: ReadOptions) -> Reading:
    described = _features(files)
    shards = [(file, data) for file, data in files.items() if PurePosixPath(file).name not in _BESIDE]
    if not shards:
        raise refuse("no-answers", "only descriptions were given, no data file", file=next(iter(files)))
    label = options.columns.get("label", "label")
    return read_columns(FORMAT, [_columns(file, data, described, label) for file, data in shards], options)


def _features(files: Files) -> Mapping[str, Any]:
    for file, data in files.items():
        if PurePosixPath(file).name == "dataset_info.json":
            info = document(data, file)
            return info.get("features") or {} if isinstance(info, dict) else {}
    return {}


def _columns(file: str, data: bytes, described: Mapping[str, Any], label: str) -> Columns:
    table = table_of(data, file)
    own = (table.schema.metadata or {}).get(b"huggingface")
    features = json.loads(own).get("info", {}).get("features", {}) if own else described
    refusals = Findings()
    if not features and label in table.column_names and str(table.schema.field(label).type).startswith("int"):
        refusals.add("no-class-names", f"'{label}' holds class numbers, and their names are missing", file=file)
    values = {name: _values(name, table[name], features.get(name), refusals, file) for name in table.column_names}
    refusals.raise_if_any()
    return Columns(file, values, list(range(1, table.num_rows + 1)), "row")


def _values(name: str, column: Any, feature: Any, refusals: Findings, file: str) -> list[str]:
    values = column.to_pylist()
    names = _class_names(feature)
    if names is None:
        return [_plain(value) for value in values]
    texts = []
    for i, value in enumerate(values):
        if value is None or value == _NO_LABEL:
            texts.append("")
        elif isinstance(value, int) and 0 <= value < len(names):
            texts.append(names[value])
        else:
            message = f"class {value} of '{name}' has no name among {len(names)}"
            refusals.add("class-out-of-range", message, file=file, column=f"row {i + 1}", value=str(value))
            texts.append("")
    return texts


def _plain(value: Any) -> str:
    return value.isoformat() if hasattr(value, "isoformat") else as_text(value)


def _class_names(feature: Any) -> list[str] | None:
    if isinstance(feature, dict) and feature.get("_type") == "ClassLabel":
        names = feature.get("names")
        return [str(name) for name in names] if isinstance(names, list) else None
    return None


FORMAT = Format(
    "hugging-face", "Hugging Face data set on disk (Parquet, Arrow)", _CAN, recognises, read,
    also=("a blank or missing class number is no label: skipped, empty and never shown look alike",),
)  # fmt: skip
