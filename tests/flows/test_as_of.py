"""The state after an earlier event comes out as it came out then, byte for byte, whatever happened since."""

from __future__ import annotations

from typing import Any

import pytest
from typer.testing import CliRunner

from flows import cli
from flows.adjudicate import adjudicate
from flows.amend import amend
from flows.gate import evaluate
from flows.measure import measure
from flows.redact import redact
from flows.releases.release import release

pytestmark = pytest.mark.usefixtures("plain_pages")

PASSING = {"uniform": {"++": 20, "+-": 1, "--": 18, "-.": 1}}


def said(make: Any, *arguments: object) -> bytes:
    found = CliRunner().invoke(cli.app, [str(a) for a in arguments], env={"GOLDGATE_ROOT": str(make.project.root)})
    assert found.exit_code == 0, found.output
    return found.stdout_bytes


def history_now(make: Any, *as_of: object) -> bytes:
    return said(make, "history", "promises", "--json", *as_of)


def page_now(make: Any, *as_of: object) -> bytes:
    page = make.folder / "history.html"
    said(make, "history", "promises", "--html", page, *as_of)
    return page.read_bytes()


def test_every_past_report_and_history_comes_out_byte_for_byte(make: Any) -> None:
    make.register()
    make.measured(PASSING)
    make.report()
    histories = {len(make.events()): history_now(make)}
    make.bring("item_id,annotator_id,label\nr1-uniform-40,bo,no\n", name="late.csv")
    rules = ['{slice: uniform, statistic: union_positives, at_least: "2"}']
    rules += ['{slice: uniform, statistic: krippendorff_alpha, at_least: "0"}']
    amend(make.project, make.study(rules=rules), "one rule less")
    measure(make.project, "r1")
    make.report()
    evaluate(make.project, "r1")
    histories[len(make.events())] = history_now(make)
    gated, page = len(make.events()), page_now(make)
    adjudicate(make.project, "r1", make.decide(["r1-uniform-21"]))
    release(make.project, "promises", "1")
    histories[len(make.events())] = history_now(make)
    written = [
        (event.seq, (make.project.root / event.payload["folder"] / "report.json").read_bytes())
        for event in make.events()
        if event.type == "report.written"
    ]
    assert len(written) == 2
    assert written[0][1] != written[1][1]
    redact(make.project, "r1-uniform-2", "somebody asked")
    for seq, report in written:
        assert said(make, "report", "r1", "--as-of", seq) == report
    assert said(make, "report", "r1", "--as-of", written[1][0] - 1) == written[0][1]
    for seq, before in histories.items():
        assert history_now(make, "--as-of", seq) == before
    assert page_now(make, "--as-of", gated) == page
