"""A project that went all the way to a release."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flows.gate import evaluate
from flows.releases.release import release

LABELS = {"uniform": {"++": 20, "--": 20}}


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory, maker_in: Callable[..., Any]) -> Path:
    """Made once; each test damages a copy."""
    make = maker_in(tmp_path_factory.mktemp("whole"))
    with pytest.MonkeyPatch.context() as patch:
        from flows import report
        from schemas.report import to_json

        patch.setattr(report, "render", lambda record: {name: to_json(record) for name in report.FILES})
        make.register()
        make.measured(LABELS)
        make.report()
    evaluate(make.project, "r1")
    release(make.project, "promises", "1.0")
    return Path(make.project.root)


@pytest.fixture
def copy(whole: Path, make: Any, plain_pages: None) -> Any:
    shutil.copytree(whole, make.project.root)
    return make
