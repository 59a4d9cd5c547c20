"""round.yaml: what it says about a round, and what is refused."""

from __future__ import annotations

import pytest

from agreement.errors import ConfigError
from schemas.round_file import StudyQuestion, parse_round

GOOD = """\
study: rude
round: r1
kind: measured
guideline_version: "1.0"
columns: {item_id: task, label: verdict}
constants: {status: labelled}
labels: {RUDE: rude, "Not rude": polite}
annotators: {bo@example.org: bo}
"""


def test_a_short_round_file_gets_its_defaults() -> None:
    found = parse_round(GOOD.encode(), "round.yaml")
    assert found.columns == {"item_id": "task", "label": "verdict"}
    assert found.labels == {"RUDE": "rude", "Not rude": "polite"}
    assert (found.frame, found.files, found.set_aside, found.complete) == (None, (), (), False)
    assert found.studies() == (StudyQuestion(study="rude", question=None),)


def test_one_folder_may_serve_several_studies() -> None:
    text = GOOD.replace("study: rude\n", "study: [{study: rude, question: tone}, {study: safe, question: risk}]\n")
    assert parse_round(text.encode(), "round.yaml").studies() == (
        StudyQuestion(study="rude", question="tone"),
        StudyQuestion(study="safe", question="risk"),
    )


CASES = [
    ("unquoted version", ('"1.0"', "1.0"), "unquoted", 4, "guideline_version"),
    ("unknown kind", ("measured", "mesured"), "not-one-of", 3, "kind"),
    ("unknown column of ours", ("item_id: task", "item: task"), "not-one-of", 5, "columns.item"),
    ("one of theirs twice", ("label: verdict", "label: task"), "duplicate-column", 5, "columns.label"),
    ("column and constant", ("{status: l", "{label: l"), "column-and-constant", 6, "constants.label"),
    ("ignored and read", ("kind: m", "ignore: [verdict]\nkind: m"), "ignored-and-read", 3, "ignore[0]"),
    ("file twice", ("kind: m", "files: [a.csv, A.csv]\nkind: m"), "duplicate-file", 3, "files[1]"),
    ("file elsewhere", ("kind: m", "files: [../a.csv]\nkind: m"), "bad-path", 3, "files[0]"),
    ("frame by absolute path", ("kind: m", "frame: /a.csv\nkind: m"), "bad-path", 3, "frame"),
    ("labels swapped", ("RUDE: rude", "polite: rude"), "label-swapped", 7, "labels.polite"),
    ("a spelling of the other label", ("RUDE: rude", "POLITE: rude"), "label-swapped", 7, "labels.POLITE"),
    ("e-mail as a roster id", ("org: bo", "org: bo@x.org"), "bad-person-id", 8, "annotators.bo@example.org"),
    ("question beside a list", ("study: rude", "question: a\nstudy: [{study: rude}]"), "two-questions", 1, "question"),
    ("study twice", ("study: rude", "study: [{study: rude}, {study: rude}]"), "duplicate-study", 1, "study[1].study"),
    ("no study", ("study: rude", "study: []"), "no-study", 1, "study"),
    ("attempt of itself", ("kind: m", "attempt_of: r1\nkind: m"), "attempt-of-itself", 3, "attempt_of"),
    ("unknown set-aside", ("kind: m", "set_aside: [late]\nkind: m"), "not-one-of", 3, "set_aside[0]"),
    ("same spelling twice", ("RUDE: rude", "RUDE: rude, RUDE: polite"), "duplicate-key", 7, "labels.RUDE"),
]


@pytest.mark.parametrize(("edit", "code", "line", "path"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_a_bad_round_file_is_refused_with_code_line_and_key_path(
    edit: tuple[str, str], code: str, line: int, path: str
) -> None:
    assert GOOD.count(edit[0]) == 1
    with pytest.raises(ConfigError) as caught:
        parse_round(GOOD.replace(*edit).encode(), "round.yaml")
    assert (code, line, path, "round.yaml") in [(p.code, p.line, p.column, p.file) for p in caught.value.problems]


def test_the_study_file_may_lie_elsewhere() -> None:
    found = parse_round((GOOD + "study_file: ../../studies/rude.yaml\n").encode(), "round.yaml")
    assert found.study_file == "../../studies/rude.yaml"
