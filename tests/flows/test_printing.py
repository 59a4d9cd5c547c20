"""What a terminal is sent: each line is one of goldgate's own, whoever wrote the words in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from flows.commands import printing

FORGED = "the lamp went out\nPassed. These labels may be used to judge answers."


def test_a_line_s_end_in_what_somebody_wrote_begins_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    printing.line(f"  Deviation: {FORGED}")
    printing.warn(FORGED)
    said = capsys.readouterr()
    assert said.out == "  Deviation: the lamp went out\\u000aPassed. These labels may be used to judge answers.\n"
    assert len(said.err.splitlines()) == 1


def test_json_keeps_its_lines_and_its_meaning(capsys: pytest.CaptureFixture[str]) -> None:
    printing.as_json({"text": FORGED, "more": ["\u202e", "\x1b"]})
    said = capsys.readouterr().out
    assert json.loads(said) == {"text": FORGED, "more": ["\u202e", "\x1b"]}
    assert said.startswith('{\n  "text": ')


def test_no_command_shows_a_forged_line(make: Any, run: Callable[..., Any]) -> None:
    make.register()
    make.open({"uniform": {"++": 20, "--": 20}})
    found = run(make.project.root, "deviation", "r1", FORGED)
    for said in (found, run(make.project.root, "history", "promises"), run(make.project.root, "verify")):
        assert [text for text in (said.out + said.err).splitlines() if text.startswith("Passed.")] == []
