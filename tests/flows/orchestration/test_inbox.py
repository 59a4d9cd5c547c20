"""Which folders of the inbox are run, and which wait."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from flows.orchestration.inbox import look
from flows.storage.project import Project


def test_an_empty_inbox_is_nothing_to_do(tmp_path: Path) -> None:
    assert look(Project(tmp_path)) == []


def test_a_folder_waits_until_every_file_it_names_is_there(tmp_path: Path, round_folder: Callable[..., Path]) -> None:
    folder = round_folder(tmp_path / "inbox" / "promises" / "round-01")
    (entry,) = look(Project(tmp_path))
    assert (entry.folder, entry.ready) == (folder, True)
    (folder / "labels.csv").unlink()
    (entry,) = look(Project(tmp_path))
    assert (entry.ready, entry.why) == (False, "not there yet: labels.csv")


def test_a_folder_whose_round_file_cannot_be_used_is_run_so_that_somebody_hears_of_it(tmp_path: Path) -> None:
    folder = tmp_path / "inbox" / "promises" / "round-01"
    folder.mkdir(parents=True)
    (folder / "round.yaml").write_text("study: [")
    (entry,) = look(Project(tmp_path))
    assert entry.ready
