"""The pages in a real browser: one request, nothing on the console, no sideways scrolling, dark and light."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
REPORTS = ["blocked", "three_by_three", "twelve_slices", "hostile"]
HISTORIES = ["history", "hostile_history"]

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as p:
        started = p.chromium.launch(executable_path=BROWSER, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def folder(html: dict[str, str], history_html: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pages")
    for name, source in {**html, **history_html}.items():
        (made / f"{name}.html").write_text(source, encoding="utf-8")
    return made


@pytest.mark.parametrize("name", REPORTS + HISTORIES)
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_a_page_asks_once_says_nothing_and_never_scrolls_sideways(
    browser: Any, folder: Path, name: str, width: int, scheme: str
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True, java_script_enabled=True
    )
    page = context.new_page()
    requests: list[str] = []
    messages: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.goto((folder / f"{name}.html").as_uri())
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    scrolls = page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    shown = page.evaluate("[...document.querySelectorAll('svg.c')].filter(s => s.getBoundingClientRect().width).length")
    drawn = page.evaluate("document.querySelectorAll('svg.c').length")
    context.close()
    assert len([url for url in requests if not url.startswith("data:")]) == 1
    assert messages == []
    assert not scrolls
    assert background == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 24, 28)")
    assert 0 < shown < drawn  # one width of each picture


def test_a_theme_set_by_hand_wins_over_the_system(browser: Any, folder: Path) -> None:
    context = browser.new_context(color_scheme="light")
    page = context.new_page()
    page.goto((folder / "blocked.html").as_uri())
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    context.close()
    assert background == "rgb(20, 24, 28)"


def test_print_is_black_on_white_also_under_a_dark_system(browser: Any, folder: Path) -> None:
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.goto((folder / "blocked.html").as_uri())
    page.emulate_media(media="print", color_scheme="dark")
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    context.close()
    assert background == "rgb(255, 255, 255)"


def test_text_on_the_pages_has_the_contrast_of_the_tokens(browser: Any, folder: Path) -> None:
    """No text in a picture keeps the renderer's own black: it would vanish in the dark."""
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.goto((folder / "blocked.html").as_uri())
    fills = page.evaluate("[...document.querySelectorAll('svg.c text')].map(t => getComputedStyle(t).fill)")
    context.close()
    assert fills
    assert "rgb(0, 0, 0)" not in fills
