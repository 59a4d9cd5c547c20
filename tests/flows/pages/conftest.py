"""The invented records, loaded from the file beside: tests are not packages, so they cannot import each other."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def parts() -> ModuleType:
    return _loaded("sample_parts")


@pytest.fixture(scope="session")
def samples(parts: ModuleType) -> ModuleType:
    return _loaded("sample_records")


@pytest.fixture(scope="session")
def histories(parts: ModuleType) -> ModuleType:
    return _loaded("sample_histories")


@pytest.fixture(scope="session")
def html(samples: ModuleType) -> dict[str, str]:
    """Every sample report as a page, by name."""
    from flows.pages.report_page import render_report_html

    return {name: render_report_html(make()).decode() for name, make in samples.REPORTS.items()}


@pytest.fixture(scope="session")
def markdown(samples: ModuleType) -> dict[str, str]:
    """Every sample report as Markdown, by name."""
    from flows.pages.report_markdown import render_report_markdown

    return {name: render_report_markdown(make()).decode() for name, make in samples.REPORTS.items()}


@pytest.fixture(scope="session")
def history_html(histories: ModuleType) -> dict[str, str]:
    """Every sample history as a page, by name."""
    from flows.pages.history_page import render_history_html

    return {name: render_history_html(make()).decode() for name, make in histories.HISTORIES.items()}


def _loaded(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"page_{name}", Path(__file__).with_name(f"{name}.py"))
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
