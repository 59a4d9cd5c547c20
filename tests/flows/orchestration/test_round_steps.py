"""The steps of a run, without Prefect: what each does by the round file, and that each can be done again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agreement.errors import OutOfOrder
from flows.orchestration import round_steps as steps
from flows.orchestration.inbox import look
from flows.storage.project import Project
from schemas.round_file import RoundFile, StudyQuestion

Folder = Callable[..., Path]


def up_to_close(root: Path, folder: Path) -> dict[str, object]:
    steps.register_study(str(root), str(folder))
    steps.open_round(str(root), str(folder), "promises")
    steps.ingest_files(str(root), str(folder), "promises")
    return steps.close_round(str(root), str(folder), "promises")


def types(root: Path) -> list[str]:
    return [event.type for event in Project(root).events()]


def test_a_round_file_that_says_complete_is_closed_with_gaps(round_folder: Folder, tmp_path: Path) -> None:
    root = tmp_path / "data"
    assert up_to_close(root, round_folder(complete=True, gaps=2))["closed"]
    closed = Project(root).events()[-1]
    assert closed.type == "round.closed"
    assert (closed.payload["how"], closed.payload["expected"]) == ("incomplete", [["bo", 2]])
    assert closed.payload["reason"] == steps.SAID_COMPLETE


def test_labels_that_are_out_keep_the_round_open_otherwise(round_folder: Folder, tmp_path: Path) -> None:
    root = tmp_path / "data"
    closing = up_to_close(root, round_folder(complete=False, gaps=3))
    assert closing == {"closed": False, "line": "waiting: 3 assigned labels have not come in (bo 3)"}
    assert types(root)[-1] == "submission.ingested"


def test_a_closed_round_does_not_read_its_files_again(round_folder: Folder, tmp_path: Path) -> None:
    """What comes after the close is brought in by a person with `ingest`, never by a schedule."""
    root, folder = tmp_path / "data", round_folder()
    up_to_close(root, folder)
    before = types(root)
    (folder / "labels.csv").write_text("item_id,annotator_id,label\nround-01-1,ada,fine\n")
    assert "not read again" in steps.ingest_files(str(root), str(folder), "promises")
    assert types(root) == before


def test_a_pilot_is_measured_and_reported_and_never_gated(round_folder: Folder, tmp_path: Path) -> None:
    root = tmp_path / "inboxed"
    folder = round_folder(root / "inbox" / "promises" / "round-01", kind="pilot", bo_from=20)
    assert look(Project(root))[0].ready
    up_to_close(root, folder)
    steps.measure_round(str(root), "promises", "round-01")
    assert look(Project(root))[0].ready
    steps.write_report(str(root), "promises", "round-01")
    verdict = steps.evaluate_gate(str(root), "promises", "round-01")
    assert verdict["exit"] == 0
    assert "never judged" in verdict["line"]
    assert types(root) == [
        "project.created",
        "round.opened",
        "submission.ingested",
        "round.closed",
        "round.measured",
        "report.written",
    ]
    entry = look(Project(root))[0]
    assert (entry.ready, entry.why) == (False, "done")


def test_a_study_that_is_not_registered_stops_the_run_before_anything_is_opened(
    round_folder: Folder, tmp_path: Path
) -> None:
    root, folder = tmp_path / "data", round_folder()
    text = (folder / "round.yaml").read_text()
    (folder / "round.yaml").write_text(text.replace("study_file: study.yaml\n", ""))
    assert steps.register_study(str(root), str(folder)) == "register: the round file names no study_file"
    with pytest.raises(OutOfOrder, match="is not registered"):
        steps.open_round(str(root), str(folder), "promises")


TWO = (StudyQuestion(study="claims", question="Q1"), StudyQuestion(study="tone", question="Q2"))


@pytest.mark.parametrize(
    ("study", "files", "columns", "expected_columns", "expected_ignore"),
    [
        ("claims", ("a.csv",), {}, {"label": "Q1"}, ("note", "Q2")),
        ("tone", ("a.xlsx", "b.TSV"), {}, {"label": "Q2"}, ("note", "Q1")),
        ("claims", ("a.csv",), {"label": "answer"}, {"label": "answer"}, ("note",)),  # the person has said which
        ("claims", ("a.json",), {}, {}, ("note",)),  # the format's own reader looks for the question
    ],
)
def test_each_study_of_a_folder_reads_its_own_question(
    study: str,
    files: tuple[str, ...],
    columns: dict[str, str],
    expected_columns: dict[str, str],
    expected_ignore: tuple[str, ...],
) -> None:
    shared = RoundFile.model_validate(
        {
            "study": TWO,
            "round": "r",
            "kind": "measured",
            "guideline_version": "1.0",
            "files": files,
            "columns": columns,
            "ignore": ("note",),
        }
    )
    own = steps.as_asked(shared, study)
    assert (own.study, own.question) == (study, "Q1" if study == "claims" else "Q2")
    assert (own.columns, own.ignore) == (expected_columns, expected_ignore)
