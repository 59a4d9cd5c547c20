"""An open round shows what is in, what is out and what was flagged, and nothing that compares annotators."""

from __future__ import annotations

import json
from typing import Any

import pytest

from flows.status import status

LABELS = {"uniform": {"++": 1, "+-": 2, "-+": 3, "--": 4, "+.": 1, ".-": 1, "d-": 1, "n+": 1, "a-": 1, "s-": 1}}
N_ITEMS = 16


def test_a_project_without_rounds_has_no_status(make: Any) -> None:
    assert status(make.project) == []
    make.register()
    assert status(make.project) == []


def test_what_is_in_what_is_out_and_what_was_flagged(make: Any) -> None:
    make.register()
    make.open(LABELS)
    make.ingest()
    (found,) = status(make.project)
    assert (found["state"], found["kind"], found["guideline_version"]) == ("open", "measured", "1.0")
    # ada: no row, a draft, one never shown; bo: no row
    assert found["annotators"] == {"ada": {"expected": 16, "in": 13}, "bo": {"expected": 16, "in": 15}}
    assert (found["labels_expected"], found["labels_in"], found["complete"]) == (32, 28, False)
    # flagged by anybody, with or without a second label yet: 1 + 2 + 3 + 1 + 1
    assert found["union_positives"] == {"uniform": 8}


def test_nothing_in_it_compares_annotators(make: Any) -> None:
    """Exchanging who of two flagged what, item by item, changes agreement and must not change the status."""
    texts = set()
    for name, labels in (("r1", {"++": 2, "--": 4}), ("r2", {"+-": 2, "-+": 2, "--": 2})):
        if name == "r1":
            make.register()
        make.open({"uniform": labels}, name)
        make.ingest(name)
        found = status(make.project, name)[0]
        del found["round"], found["union_positives"]
        texts.add(json.dumps(found))
    assert len(texts) == 1


@pytest.mark.parametrize("closed", [False, True])
def test_a_closed_round_is_shown_only_by_name(make: Any, closed: bool) -> None:
    make.register()
    make.open({"uniform": {"++": 2}})
    make.ingest()
    if closed:
        make.close()
    assert len(status(make.project)) == (0 if closed else 1)
    assert status(make.project, "r1")[0]["state"] == ("closed" if closed else "open")
    assert status(make.project, "r1")[0]["complete"] is True
