"""A project handed over whose ledger was written by somebody else, every hash made anew: all commands say the same."""

from __future__ import annotations

import ast
import io
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from agreement.errors import ConfigError, IntegrityError
from flows import cli, redaction, report
from flows.redact import redact
from flows.storage import ledger
from flows.storage.ledger import Event
from flows.storage.order import EVENT_STUDY_VERBS, EVENT_VERBS, EVENTS_ANYWHERE
from flows.told import record_deviation
from schemas.events import EVENTS
from schemas.report import to_json
from tests.flows.audit.forging import edited, of_type, rewrite
from tests.schemas.event_samples import FORGED, SAMPLES
from tests.torture import small_study

COMMANDS = (["verify"], ["status", "r1"], ["history", "promises"], ["gate", "r1"], ["rebuild"])
REPOSITORY = Path(__file__).parents[3]


def said(make: Any, arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> tuple[object, str]:
    """Exit code and everything printed."""
    monkeypatch.setattr("sys.argv", ["goldgate", "--root", str(make.project.root), *arguments])
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out), pytest.raises(SystemExit) as ended:
        cli.main()
    return ended.value.code, out.getvalue()


def forge(make: Any, *forged: tuple[str, dict[str, Any]], keep: int = 9) -> None:
    """These events after the first `keep` of the project, and no database that would tell."""

    def more(events: list[Event]) -> list[Event]:
        new = [Event(**{**vars(events[-1]), "type": type, "payload": payload}) for type, payload in forged]
        return [*events[:keep], *new]

    rewrite(make, more)
    make.project.database_path.unlink(missing_ok=True)


def everything(folder: Path) -> dict[str, str]:
    """Every file at and around the project but its lock, by digest."""
    return {
        str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".lock")
    }


def refused_by_all(make: Any, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command: exit 6, these words once, what to do, and nothing changed anywhere."""
    (make.folder / "victim").mkdir()
    (make.folder / "victim" / "precious.txt").write_text("x")
    (make.folder / "victim.txt").write_text("y")
    before = everything(make.folder)
    for command in COMMANDS:
        code, text = said(make, command, monkeypatch)
        assert (code, words in text) == (6, True), (command, text)
        assert ("FAIL" in text) is (command == ["verify"])
        assert "ledger.jsonl from a backup" in text
        assert "Nothing was changed." in text
        assert "Traceback" not in text
    assert everything(make.folder) == before


@pytest.mark.parametrize(("type", "name", "value", "words"), FORGED, ids=[f"{t} {n}" for t, n, *_ in FORGED])
def test_a_forged_field_is_refused_by_every_command_in_the_same_words(
    copy: Any, type: str, name: str, value: Any, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    payload = {**SAMPLES[type], name: value}
    if type == "project.created":
        rewrite(copy, lambda events: [edited(events[0], format=value), *events[1:]])
        copy.project.database_path.unlink()
        refused_by_all(copy, f"event 1 ({type}) is wrong: {words}", monkeypatch)
        return
    forge(copy, (type, payload))
    refused_by_all(copy, f"ledger.jsonl is not intact: event 10 ({type}) is wrong: the field", monkeypatch)
    with pytest.raises(IntegrityError) as refused:
        copy.project.events()
    assert words in refused.value.headline


def test_an_unknown_type_or_field_is_of_a_newer_version_or_forged(copy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    forge(copy, ("weird.thing", {"a": [1]}))
    refused_by_all(copy, "event 10 (weird.thing) is wrong: no event of this type is known", monkeypatch)
    _, text = said(copy, ["history", "promises"], monkeypatch)
    assert "A newer version of goldgate wrote it (it names goldgate " in text
    assert "), or somebody forged it: use that version, or restore" in text


# What comes once, and what follows from what came before.

DIGESTS = dict.fromkeys(("study_file", "guideline", "guideline_digest"), "c" * 64)
ONCE: list[tuple[str, Callable[[Any], list[tuple[str, dict[str, Any]]]], int, str]] = [
    (
        "a version registered again with another study file",
        lambda m: [("study.registered", {**of_type(m, "study.registered").payload, **DIGESTS})],
        9,
        "event 10 (study.registered) is wrong: promises, guideline 1.0, is registered already by event 2",
    ),
    (
        "an open round opened again",
        lambda m: [("round.opened", of_type(m, "round.opened").payload)],
        9,
        "event 10 (round.opened) is wrong: r1 of promises is open already by event 3",
    ),
    (
        "a round under a study file nobody registered",
        lambda m: [("round.opened", {**of_type(m, "round.opened").payload, "round_id": "r2", "study_file": "c" * 64})],
        9,
        "event 10 (round.opened) is wrong: study_file: not what event 2 registered",
    ),
    (
        "a measured round that names no registration",
        lambda m: [("round.opened", {**of_type(m, "round.opened").payload, "round_id": "r2", "registration": None})],
        9,
        "the registration it names is none, and what stands for guideline 1.0 is event 2",
    ),
    (
        "a measured round of a version nobody registered",
        lambda m: [
            (
                "round.opened",
                {
                    **of_type(m, "round.opened").payload,
                    "round_id": "r2",
                    "registration": None,
                    "guideline_version": "2.0",
                },
            )
        ],
        9,
        "event 10 (round.opened) is wrong: a measured round needs a registration",
    ),
    (
        "a second attempt at no round",
        lambda m: [("round.opened", {**of_type(m, "round.opened").payload, "round_id": "r2", "attempt_of": "r0"})],
        9,
        "it replaces r0, and no event opened such a round of promises",
    ),
    (
        "an amendment that follows another event",
        lambda m: [("study.amended", {**SAMPLES["study.amended"], "predecessor": 3})],
        9,
        "event 10 (study.amended) is wrong: it amends event 3, and what stands is event 2",
    ),
    (
        "an amendment of what is not registered",
        lambda m: [("study.amended", {**SAMPLES["study.amended"], "guideline_version": "2.0"})],
        9,
        "event 10 (study.amended) is wrong: promises, guideline 2.0, is not registered",
    ),
    (
        "late labels that are not marked so",
        lambda m: [("submission.ingested", {**of_type(m, "submission.ingested").payload, "late": False})],
        9,
        "its labels are not marked late, and the round was measured yet",
    ),
    (
        "a round closed twice",
        lambda m: [("round.closed", of_type(m, "round.closed").payload)],
        9,
        "event 10 (round.closed) is wrong: r1 is closed already by event 5",
    ),
    (
        "a reopening of another closing",
        lambda m: [("round.reopened", {**SAMPLES["round.reopened"], "closing": 4})],
        5,
        "event 6 (round.reopened) is wrong: it undoes event 4, and what closed the round is event 5",
    ),
    (
        "a second verdict on one measuring",
        lambda m: [("gate.evaluated", of_type(m, "gate.evaluated").payload)],
        9,
        "event 10 (gate.evaluated) is wrong: event 8 says already what the gate found in this measuring",
    ),
    (
        "a verdict on no measuring",
        lambda m: [("gate.evaluated", {**of_type(m, "gate.evaluated").payload, "measured": 5})],
        7,
        "it rests on the measuring of event 5, and the last one before it is event 6",
    ),
    (
        "a report that skips a number",
        lambda m: [("report.written", {**SAMPLES["report.written"], "version": 3, "folder": "reports/promises/r1/v3"})],
        9,
        "event 10 (report.written) is wrong: it is report 3 of r1, and 1 were written before it",
    ),
    (
        "a version released twice",
        lambda m: [("release.promoted", of_type(m, "release.promoted").payload)],
        9,
        "event 10 (release.promoted) is wrong: version 1.0 is released already by event 9",
    ),
    (
        "a release of no round",
        lambda m: [("release.promoted", {**SAMPLES["release.promoted"], "rounds": ["r9"]})],
        9,
        "event 10 (release.promoted) is wrong: no event opened a round r9 of promises",
    ),
    (
        "a withdrawal of what was never released",
        lambda m: [("release.withdrawn", SAMPLES["release.withdrawn"])],
        9,
        "event 10 (release.withdrawn) is wrong: no event released version 9 with this id",
    ),
    (
        "a study nobody registered or opened",
        lambda m: [("calibration.held", {**SAMPLES["calibration.held"], "study_id": "other"})],
        9,
        "event 10 (calibration.held) is wrong: no event before it speaks of a study other",
    ),
    (
        "a round nobody opened",
        lambda m: [("deviation.recorded", {"study_id": "promises", "round_id": "r9", "text": "x"})],
        9,
        "event 10 (deviation.recorded) is wrong: it speaks of what no event before it made",
    ),
    (
        "a removal of a measurement",
        lambda m: [_removal(m, of_type(m, "round.measured").payload["measurement"])],
        8,
        "is none a removal takes: a verdict rests on it",
    ),
    (
        "a removal of a study file",
        lambda m: [_removal(m, of_type(m, "study.registered").payload["study_file"])],
        9,
        "is none a removal takes: a verdict rests on it",
    ),
    (
        "a measurement that was removed before",
        lambda m: [
            _removal(m, of_type(m, "round.measured").payload["measurement"]),
            ("round.measured", of_type(m, "round.measured").payload),
        ],
        5,
        "event 7 (round.measured) is wrong: its measurement was removed by event 6",
    ),
    (
        "a release removed that is in force",
        lambda m: [_removal(m, releases=[of_type(m, "release.promoted").payload["folder"]])],
        9,
        "event 10 (redacted) is wrong: no event withdrew releases/promises/1.0-",
    ),
    (
        "the same removed twice",
        lambda m: [_removal(m), _removal(m)],
        9,
        "event 11 (redacted) is wrong: the same was removed already by event 10",
    ),
]


def _removal(make: Any, *digests: str, releases: list[str] | None = None) -> tuple[str, dict[str, Any]]:
    objects = [[digest, make.project.objects.path(digest).stat().st_size, ""] for digest in digests]
    return "redacted", {**SAMPLES["redacted"], "objects": objects, "releases": releases or [], "withdrawn": []}


@pytest.mark.parametrize(("forged", "keep", "words"), [case[1:] for case in ONCE], ids=[case[0] for case in ONCE])
def test_what_does_not_follow_from_the_events_before_it_is_refused_by_every_command(
    copy: Any, forged: Callable[[Any], list[tuple[str, dict[str, Any]]]], keep: int, words: str, monkeypatch: Any
) -> None:
    forge(copy, *forged(copy), keep=keep)
    refused_by_all(copy, words, monkeypatch)


# What an event names as an object of one kind must be one.


def test_a_measurement_that_is_none_and_a_study_file_that_is_none_are_named(
    copy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = of_type(copy, "submission.ingested").payload["raw"]
    forge(copy, ("round.measured", {**SAMPLES["round.measured"], "measurement": raw}))
    for command in (["gate", "r1"], ["report", "r1"]):  # the history shows the last report that was written
        code, text = said(copy, command, monkeypatch)
        assert (code, f"object {raw[:12]} is named as a measurement, and is none" in text) == (6, True), command
    forge(copy, ("study.registered", {**SAMPLES["study.registered"], "guideline_version": "2.0", "study_file": raw}))
    code, text = said(copy, ["history", "promises"], monkeypatch)
    assert (code, f"object {raw[:12]} is registered as a study file, and is none" in text) == (6, True)
    assert said(copy, ["verify"], monkeypatch)[0] == 6


# The second wall: names are looked at once more where something is removed or written.


def test_nothing_outside_is_removed_even_where_the_ledger_was_not_looked_at(copy: Any) -> None:
    (copy.folder / "victim.txt").write_text("y")
    (copy.folder / "victim").mkdir()
    event = copy.events()[-1]
    for payload in (
        {"objects": [["../../victim.txt", 1, ""]], "releases": []},
        {"objects": [], "releases": [str(copy.folder / "victim")]},
    ):
        forged = Event(**{**vars(event), "type": "redacted", "payload": {**SAMPLES["redacted"], **payload}})
        with pytest.raises(IntegrityError, match="is wrong: the field"):
            redaction.enforce(copy.project.root, copy.project.objects, [forged])
    assert (copy.folder / "victim.txt").read_text() == "y"
    assert (copy.folder / "victim").is_dir()


@pytest.mark.parametrize("linked", ["releases/promises", "releases", "objects"])
def test_a_link_that_leads_out_is_not_followed_by_a_removal(copy: Any, linked: str) -> None:
    inside = copy.project.root / linked
    inside.rename(copy.folder / "elsewhere")
    inside.symlink_to(copy.folder / "elsewhere")
    before = everything(copy.folder / "elsewhere")
    with pytest.raises(IntegrityError, match="leads out of the project's folder") as refused:
        redact(copy.project, "r1-uniform-1", "somebody asked")
    assert refused.value.next_step == "Put the folder itself where the link is. Nothing was removed or written there."
    assert before.items() <= everything(copy.folder / "elsewhere").items()


def test_a_link_that_leads_out_gets_no_report(copy: Any) -> None:
    inside = copy.project.root / "reports" / "promises"
    inside.rename(copy.folder / "elsewhere")
    inside.symlink_to(copy.folder / "elsewhere")
    (copy.folder / "elsewhere" / "r1" / "v1" / "report.md").unlink()
    with pytest.raises(IntegrityError, match=r"^reports/promises/r1 leads out of the project's folder$"):
        report.write_report(copy.project, "r1")
    assert not (copy.folder / "elsewhere" / "r1" / "v1" / "report.md").exists()


# What is written is what is read.


def test_every_event_every_verb_writes_is_in_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`small_study` plays every verb there is; what none of them writes, or writes otherwise, would be missed here."""
    monkeypatch.setattr(report, "render", lambda record: {"report.json": to_json(record)})
    small_study.write_inputs(tmp_path / "inputs")
    project = small_study.project_in(tmp_path / "project")
    for step in small_study.STEPS.values():
        step(project, tmp_path / "inputs")
    written = {event.type: event.payload.keys() for event in project.events()}
    assert written == {type: fields.keys() for type, fields in EVENTS.items()}


def test_every_type_the_code_names_is_in_the_table() -> None:
    """First arguments of `commit` and `append` with a payload, and the keys of the tables of order and replay."""
    named = {ledger.BEGINNING, *EVENT_VERBS, *EVENT_STUDY_VERBS, *EVENTS_ANYWHERE}
    for path in (REPOSITORY / "flows").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = getattr(node.func, "attr", "") if isinstance(node, ast.Call) else ""
            if called in ("commit", "append") and len(node.args) == 2 and isinstance(node.args[0], ast.Constant):
                named.add(node.args[0].value)
    assert named == EVENTS.keys()


def test_a_verb_that_would_write_what_no_reader_takes_writes_nothing(copy: Any) -> None:
    before = copy.project.ledger_path.read_bytes()
    with copy.project.changing() as change:
        for type, payload in (("noted", {}), ("round.measured", {"measurement": "zz"})):
            with pytest.raises(RuntimeError, match=r"^not written: ledger\.jsonl is not intact: event 10"):
                change.commit(type, payload)
    assert copy.project.ledger_path.read_bytes() == before


def test_a_name_that_is_not_one_line_acts_nowhere(copy: Any, new_maker: Any) -> None:
    from dataclasses import replace

    project = replace(copy.project, actor=lambda: "ro\x1bot")
    before = project.ledger_path.read_bytes()
    with pytest.raises(ConfigError, match="whoever acts has no name of one line") as refused:
        record_deviation(project, "r1", "x")
    assert refused.value.next_step == "Set GOLDGATE_ACTOR to a name of one line, without control characters."
    assert project.ledger_path.read_bytes() == before
