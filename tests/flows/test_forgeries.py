"""What somebody would try who can write the project's files: each is noticed, in these words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flows.audit.verify import verify
from flows.storage import ledger

FAILING = {"uniform": {"++": 2, "+-": 10, "-+": 10, "--": 38}}


@pytest.fixture
def failed(make: Any) -> Any:
    make.register()
    make.gated(FAILING)
    return make


def test_an_event_edited_in_the_ledger_does_not_have_its_hash(failed: Any) -> None:
    path = failed.project.ledger_path
    path.write_bytes(path.read_bytes().replace(b'"how":"incomplete"', b'"how":"complete"  '))
    assert "event 5 is wrong: its bytes do not have the hash" in verify(failed.project).problems[0].message


def test_a_pass_with_fitting_hashes_does_not_follow_from_its_rules(failed: Any) -> None:
    """All of it re-hashed: the chain is whole again, and the verdict still does not follow from the figures."""
    _forge(failed.project.ledger_path, "gate.evaluated", {"verdict": "pass", "exit_code": 0})
    found = verify(failed.project)
    assert found.status == "FAIL"
    assert "V3" not in found.levels
    assert "verdict-differs" in {p.code for p in found.problems}


def test_a_failure_cut_off_the_ledger_is_missed_by_whoever_kept_a_head(failed: Any) -> None:
    head = str(ledger.head_of(failed.events()))
    lines = failed.project.ledger_path.read_bytes().splitlines(keepends=True)
    failed.project.ledger_path.write_bytes(b"".join(lines[:-1]))
    failed.project.database_path.unlink()
    assert verify(failed.project).status == "UNANCHORED"  # without a head nobody can know
    assert "a head of 7 events was kept" in verify(failed.project, [head]).problems[0].message


def _forge(path: Path, type: str, changes: dict[str, Any]) -> None:
    """A forger with all the time in the world: one event changed, and every hash after it made anew."""
    events = ledger.read(path)
    path.unlink()
    head = ledger.Head(0, ledger.GENESIS_PREV)
    for event in events:
        payload = {**event.payload, **changes} if event.type == type else event.payload
        again = ledger.next_event(
            head, ts=event.ts, actor=event.actor, tool=event.tool, type=event.type, payload=payload
        )
        ledger.append(path, again)
        head = ledger.Head(again.seq, again.hash)
