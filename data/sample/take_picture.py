"""Takes the picture of the first round's report for the README, from a demo that has been played.

    goldgate demo --out FOLDER && python data/sample/take_picture.py FOLDER

Needs the development tools and a chromium on the path.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

WIDTH, HEIGHT = 960, 680


def take_picture(demo: Path, target: Path) -> None:
    from playwright.sync_api import sync_playwright

    page_file = demo / "data" / "reports" / "beyond-policy" / "round-01" / "v1" / "report.html"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-lcd-text"]
        )
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.goto(page_file.absolute().as_uri())
        page.screenshot(path=target)
        browser.close()


if __name__ == "__main__":
    take_picture(Path(sys.argv[1]), Path(__file__).parent / "report.png")
