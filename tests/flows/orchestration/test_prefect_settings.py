"""Prefect's environment is complete before it is imported, and a person's own settings stand."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flows.orchestration.prefect_settings import prefect_environment, wanted

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("PREFECT") or name == "DO_NOT_TRACK"]:
        monkeypatch.delenv(name)


def test_telemetry_is_off(tmp_path: Path) -> None:
    for quiet in (True, False):
        settings = wanted(tmp_path, quiet=quiet)
        assert settings["DO_NOT_TRACK"] == "1"
        assert settings["PREFECT_SERVER_ANALYTICS_ENABLED"] == "false"


@pytest.mark.parametrize("name", ["PREFECT_API_URL", "PREFECT_HOME", "PREFECT_PROFILE"])
def test_prefect_lives_in_the_project_unless_a_person_has_said_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    assert wanted(tmp_path, quiet=True)["PREFECT_HOME"] == str(tmp_path / ".prefect")
    monkeypatch.setenv(name, "theirs")
    assert "PREFECT_HOME" not in wanted(tmp_path, quiet=True)


def test_what_was_set_stays_and_what_was_added_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFECT_LOGGING_LEVEL", "DEBUG")
    before = dict(os.environ)
    with prefect_environment(tmp_path / "new" / "project", quiet=True):
        assert os.environ["PREFECT_LOGGING_LEVEL"] == "DEBUG"
        assert Path(os.environ["PREFECT_HOME"]).is_dir()
    assert dict(os.environ) == before


def test_prefect_is_imported_by_nothing_that_does_not_need_it() -> None:
    rooms = (f"flows.orchestration.{name}" for name in ("round_steps", "inbox", "outcomes", "prefect_api"))
    modules = ", ".join(["flows.cli", "flows.run", "flows.serve", *rooms])
    code = f"import sys, {modules}; sys.exit('prefect' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY).returncode == 0
