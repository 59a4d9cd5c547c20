"""Registering: the exact bytes are frozen, once per study and guideline version; grades follow the ledger's order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from agreement.errors import ConfigError, IntegrityError, OutOfOrder
from flows import register as registering
from flows.gate import evaluate
from flows.measure import measure
from flows.register import grade, guideline_digest, register

LABELS = {"uniform": {"++": 2, "+-": 1, "--": 3}}


def test_a_registration_freezes_the_bytes_of_study_and_guideline(make: Any) -> None:
    study_file = make.study()
    found = make.register(study_file)
    payload = found.event.payload
    assert (found.already_done, found.event.seq) == (False, 2)
    assert payload["study_file"] == sha256(study_file.read_bytes()).hexdigest()
    assert make.project.objects.read(payload["study_file"]) == study_file.read_bytes()
    assert make.project.objects.read(payload["guideline"]) == (make.folder / "guideline-1.0.md").read_bytes()
    assert payload["definitions"] == ["krippendorff_alpha/1", "positive_specific_agreement/1", "union_positives/1"]


def test_the_same_again_is_already_done(make: Any) -> None:
    first = make.register()
    before = make.project.ledger_path.read_bytes()
    again = make.register()
    assert (again.already_done, again.event) == (True, first.event)
    assert make.project.ledger_path.read_bytes() == before


CHANGES: list[tuple[str, Callable[[Path], object], str]] = [
    (
        "a lower threshold",
        lambda f: (f / "promises-1.0.yaml").write_text(low((f / "promises-1.0.yaml").read_text())),
        "study file",
    ),
    ("one more space", lambda f: append(f / "promises-1.0.yaml", "\n"), "study file"),
    ("another guideline text", lambda f: append(f / "guideline-1.0.md", "And hints.\n"), "guideline text"),
]


def low(text: str) -> str:
    return text.replace('at_least: "0.50"', 'at_least: "0.10"')


def append(path: Path, text: str) -> None:
    path.write_text(path.read_text() + text)


@pytest.mark.parametrize(("change", "what"), [case[1:] for case in CHANGES], ids=[case[0] for case in CHANGES])
def test_other_bytes_under_a_registered_version_are_refused(
    make: Any, change: Callable[[Path], object], what: str
) -> None:
    study_file = make.study()
    make.register(study_file)
    before = make.project.ledger_path.read_bytes()
    change(make.folder)
    with pytest.raises(OutOfOrder, match=f"{what} differs from what was registered") as refused:
        register(make.project, study_file)
    assert refused.value.exit_code == 8
    assert make.project.ledger_path.read_bytes() == before


def test_the_next_guideline_version_stands_beside_the_first(make: Any) -> None:
    make.register()
    make.register(make.study(version="2.0"))
    assert list(make.project.state().study("promises").registrations) == ["1.0", "2.0"]


def test_figures_stamped_into_a_guideline_are_not_part_of_what_annotators_follow(make: Any) -> None:
    plain = b"Flag what nobody promised.\n"
    stamped = plain + b"<!-- goldgate:begin -->\nalpha 0.7\n<!-- goldgate:end -->\n"
    assert guideline_digest(stamped) == guideline_digest(plain) != guideline_digest(plain + b"x")
    study_file = make.study()
    (make.folder / "guideline-1.0.md").write_bytes(plain)
    make.register(study_file)
    (make.folder / "guideline-1.0.md").write_bytes(stamped)
    assert register(make.project, study_file).already_done


@pytest.mark.parametrize("missing", ["promises-1.0.yaml", "guideline-1.0.md"])
def test_a_file_that_is_not_there_is_named_and_nothing_is_registered(make: Any, missing: str) -> None:
    study_file = make.study()
    (make.folder / missing).unlink()
    with pytest.raises(ConfigError, match=missing) as refused:
        register(make.project, study_file)
    assert refused.value.problems[0].code == "unreadable-file"
    assert not make.project.ledger_path.exists()


BAD_RULES = [
    # faults.md 48 and issue 2, "Bad input"
    ('{slice: uniform, statistic: union_positives, at_least: "1.5"}', "rule-threshold"),
    ('{slice: uniform, statistic: coverage, at_least: "1.5"}', "bad-threshold|rule-threshold"),
    ('{slice: uniform, statistic: positive_specific_agreement, at_least: "0.65"}', "rule-without-chance"),
    ('{slice: elsewhere, statistic: coverage, at_least: "0.9"}', "rule-slice"),
    ('{slice: uniform, statistic: agreeableness, at_least: "0.9"}', "rule-statistic"),
]


@pytest.mark.parametrize(("rule", "codes"), BAD_RULES)
def test_a_study_that_cannot_be_judged_is_refused_with_file_and_place(make: Any, rule: str, codes: str) -> None:
    with pytest.raises(ConfigError) as refused:
        make.register(make.study(rules=[rule]))
    found = {problem.code: problem for problem in refused.value.problems}
    (code,) = set(codes.split("|")) & set(found)
    assert found[code].file == "promises-1.0.yaml"
    assert found[code].line is not None
    assert str(found[code].column).startswith("gate.rules[0]")
    assert make.types() == []


def test_a_rule_on_flags_needs_a_positive_category(make: Any) -> None:
    study_file = make.study(text=lambda text: text.replace("positive: true, ", ""))
    with pytest.raises(ConfigError) as refused:
        make.register(study_file)
    assert "rule-needs-positive" in {problem.code for problem in refused.value.problems}


def test_an_installation_that_computes_wrongly_registers_nothing(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registering, "self_check", lambda: ["cohen_kappa gives 0.5"])
    with pytest.raises(IntegrityError, match="cohen_kappa gives"):
        make.register()
    assert make.types() == []


@pytest.mark.parametrize("verb", ["open", "measure", "gate"])
def test_a_study_registered_with_another_definition_goes_no_further(
    make: Any, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    """Only another definition of a statistic it uses refuses a study, never a mere upgrade (audit.md, C1)."""
    make.register()
    if verb != "open":
        make.open(LABELS)
        make.ingest()
        make.close()
    if verb == "gate":
        measure(make.project, "r1")
    changed = {"union_positives": "union_positives/2", "cohen_kappa": "cohen_kappa/2"}
    now = {name: replace(one, version=changed.get(name, one.version)) for name, one in registering.STATISTICS.items()}
    monkeypatch.setattr(registering, "STATISTICS", now)
    verbs = {
        "open": make.open,
        "measure": lambda _: measure(make.project, "r1"),
        "gate": lambda _: evaluate(make.project, "r1"),
    }
    with pytest.raises(ConfigError, match="computes another definition") as refused:
        verbs[verb](LABELS)
    assert [(p.code, p.value) for p in refused.value.problems] == [("other-definition", "union_positives/1")]


# Grades (audit.md, part C). The round opens on 2026-04-01 at 12:00 UTC.


def dated(make: Any, *times: str) -> str:
    """The grade of a round whose labels carry these times."""
    make.register()
    make.open({"uniform": {"..": len(times)}})
    body = "".join(f"r1-uniform-{n},ada,no,{time}\n" for n, time in enumerate(times, start=1))
    make.bring("item_id,annotator_id,label,labelled_at\n" + body)
    make.close()
    state = make.project.state()
    return grade(state, state.round("r1"))


DATES = [
    (["2026-04-01T13:00:00Z", "2026-04-01T13:00:00Z"], "preregistered"),
    (["2026-03-31T12:00:00Z", "2026-03-30T12:00:00Z"], "retrospective"),  # 24 h or more before, all of them
    (["2026-03-31T12:00:01Z", "2026-03-30T12:00:00Z"], "preregistered"),  # one of them a second less
    (["2026-03-31T14:00:00+02:00"], "retrospective"),  # the same instant as 12:00Z
    (["2026-03-31T12:30:00+02:00"], "retrospective"),
    (["2026-03-31T11:30:00-02:00"], "preregistered"),  # 13:30Z
    (["2026-03-01T12:00:00"], "preregistered"),  # no zone: flagged, not judged
    (["2026-03-01T12:00:00Z", ""], "preregistered"),  # one label without a time
    (["", ""], "preregistered"),
]


@pytest.mark.parametrize(("times", "expected"), DATES)
def test_typed_dates_can_only_lower_a_grade(make: Any, times: list[str], expected: str) -> None:
    assert dated(make, *times) == expected


def test_labels_that_were_there_before_are_shown_and_never_gated(make: Any) -> None:
    from flows.gate import evaluate
    from flows.measure import measure

    dated(make, "2026-03-01T12:00:00Z")
    measure(make.project, "r1")
    with pytest.raises(OutOfOrder, match="retrospective"):
        evaluate(make.project, "r1")


def test_a_late_label_does_not_lift_a_grade(make: Any) -> None:
    from flows.measure import measure

    assert dated(make, "2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z") == "retrospective"
    measure(make.project, "r1")
    make.bring("item_id,annotator_id,label\nr1-uniform-1,bo,no\n", name="late.csv")
    state = make.project.state()
    assert state.round("r1").submissions[-1].payload["late"]
    assert grade(state, state.round("r1")) == "retrospective"


@pytest.mark.parametrize("kind", ["pilot", "retrospective"])
def test_some_kinds_of_round_are_a_grade_of_their_own(make: Any, kind: str) -> None:
    make.register()
    make.open(LABELS, kind=kind)
    state = make.project.state()
    assert grade(state, state.round("r1")) == kind


def test_times_of_registration_are_those_of_the_clock_argument(make: Any, new_maker: Callable[..., Any]) -> None:
    other = new_maker(clock=lambda: datetime(2027, 1, 2, 3, 4, 5, tzinfo=UTC))
    assert other.register().event.ts == "2027-01-02T03:04:05Z"
    assert make.register().event.ts == "2026-04-01T12:00:00Z"


def test_the_same_words_under_a_new_number_are_no_new_guideline(make: Any) -> None:
    """A round that did not pass cannot be tried again by renumbering: attempts are counted per version."""
    make.register()
    make.gated({"uniform": {"++": 2, "+-": 10, "-+": 10, "--": 38}})
    again = make.study(version="1.1")
    first = (make.folder / "guideline-1.0.md").read_text()
    (make.folder / "guideline-1.1.md").write_text(first.replace(" ", "  ") + "\n")
    with pytest.raises(OutOfOrder) as refused:
        register(make.project, again)
    assert [p.code for p in refused.value.problems] == ["same-guideline-text"]
    (make.folder / "guideline-1.1.md").write_text(first + "A discount nobody offered is a promise too.\n")
    assert not register(make.project, again).already_done


def test_before_anything_was_judged_a_version_may_be_renumbered(make: Any) -> None:
    make.register()
    again = make.study(version="1.1")
    (make.folder / "guideline-1.1.md").write_text((make.folder / "guideline-1.0.md").read_text())
    assert not register(make.project, again).already_done
