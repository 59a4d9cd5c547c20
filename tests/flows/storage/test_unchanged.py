"""Whatever a verdict rests on is what objects and ledger give, or nothing is decided."""

from __future__ import annotations

from typing import Any

import pytest

from agreement.errors import IntegrityError
from flows.audit.rebuild import rebuild
from flows.close import close_round
from flows.measure import measure

LABELS = {"uniform": {"++": 2, "+-": 10, "-+": 10, "--": 38}}
FLIP = """insert into raw_label select study_id, round_id, ingest_seq + 100, item_id, item_version, annotator_id,
          status, 'yes', abstain_reason, guideline_version, labelled_at, origin, set_aside, occurrence, late
          from raw_label where label = 'no'"""


def tamper(make: Any) -> None:
    with make.project.changing() as change:
        change.con.execute(FLIP)


def test_a_round_is_not_measured_on_rows_that_were_changed_in_the_database(make: Any) -> None:
    make.register(make.study())
    make.open(LABELS)
    make.ingest()
    make.close()
    tamper(make)
    with pytest.raises(IntegrityError, match="does not hold what objects and ledger give") as refused:
        measure(make.project, "r1")
    assert [problem.message for problem in refused.value.problems] == ["table raw_label was changed"]
    assert make.types()[-1] == "round.closed"


def test_nor_closed_on_them(make: Any) -> None:
    make.register(make.study())
    make.open(LABELS)
    make.ingest()
    tamper(make)
    with pytest.raises(IntegrityError):
        close_round(make.project, "r1")
    rebuild(make.project)
    assert not close_round(make.project, "r1").already_done


def test_a_changed_object_is_never_replayed(make: Any) -> None:
    make.register(make.study())
    make.open(LABELS)
    result = make.ingest()
    path = make.project.objects.path(result.event.payload["canonical"])
    path.chmod(0o644)
    path.write_bytes(path.read_bytes() + b" ")
    for command in (lambda: close_round(make.project, "r1"), lambda: rebuild(make.project)):
        with pytest.raises(IntegrityError, match="is not what it was"):
            command()
