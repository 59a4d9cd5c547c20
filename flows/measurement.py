"""What one measuring found, as an object: the counts everything rests on, and the report made from them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from agreement.errors import IntegrityError
from agreement.patterns import Patterns
from flows.counts import SliceCounts
from flows.storage.published import canonical_json, digest_of
from schemas.report import Report

FORMAT = 1


def to_bytes(slices: Sequence[SliceCounts], cells: Sequence[str], report: Report) -> bytes:
    """The measurement as canonical JSON. cells: their names, by the numbers used in the patterns."""
    record = {
        "format": FORMAT,
        "counts": counts_json(slices),
        "cells": list(cells),
        "report": report.model_dump(mode="json"),
    }
    return canonical_json(record)


def counts_json(slices: Sequence[SliceCounts]) -> list[dict[str, Any]]:
    return [{"slice": part.name, **_pattern_json(part.patterns)} for part in slices]


def counts_of(data: bytes) -> tuple[list[dict[str, Any]], list[str]]:
    """The counts as `counts_json` writes them, and the names of the cells."""
    with _a_measurement(data):
        record = json.loads(data)
        return record["counts"], record["cells"]


def report_of(data: bytes) -> Report:
    with _a_measurement(data):
        return Report.model_validate(json.loads(data)["report"])


def cells_of(data: bytes) -> tuple[str, ...]:
    """Names of the cells, by the numbers used in the patterns."""
    with _a_measurement(data):
        return tuple(json.loads(data)["cells"])


def patterns_of(data: bytes) -> dict[str, Patterns]:
    """The counts a measurement rests on, by slice."""
    with _a_measurement(data):
        return {part["slice"]: _patterns(part) for part in json.loads(data)["counts"]}


@contextmanager
def _a_measurement(data: bytes) -> Iterator[None]:
    """IntegrityError where an event names something else as one."""
    try:
        yield
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise IntegrityError(
            f"object {digest_of(data)[:12]} is named as a measurement, and is none",
            next_step="Use the version of goldgate the ledger names, or compare the ledger with a backup.",
            code="object-no-measurement",
        ) from error


def _pattern_json(patterns: Patterns) -> dict[str, Any]:
    def listed(values: Any) -> Any:
        return None if values is None else values.tolist()

    return {
        "annotators": list(patterns.annotators),
        "categories": list(patterns.categories),
        "codes": listed(patterns.codes),
        "multiplicity": listed(patterns.multiplicity),
        "clusters": listed(patterns.clusters),
        "cells": listed(patterns.cells),
    }


def _patterns(part: dict[str, Any]) -> Patterns:
    def array(values: Any) -> Any:
        return None if values is None else np.array(values, dtype=np.int64)

    n_annotators = len(part["annotators"])
    return Patterns(
        annotators=tuple(part["annotators"]),
        categories=tuple(part["categories"]),
        codes=np.array(part["codes"], dtype=np.int64).reshape(-1, n_annotators),
        multiplicity=np.array(part["multiplicity"], dtype=np.int64),
        clusters=array(part["clusters"]),
        cells=array(part["cells"]),
    )
