"""What the README says that a program can check."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_generated_tables_are_what_the_code_says_now() -> None:
    command = [sys.executable, "-m", "cogapp", "--check", "--diff", "README.md"]
    check = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert check.returncode == 0, check.stdout + check.stderr
    assert all(re.search(r"\]\]\] -->\n\|", block) for block in README.split("[[[cog")[1:])


def test_every_file_the_readme_links_to_is_there() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert [name for name in links if not (ROOT / name).exists()] == []
    assert len(links) >= 4


def test_every_command_the_readme_names_exists() -> None:
    from readme_blocks import commands

    known = set(re.findall(r"`goldgate ([a-z]+)`", commands()))
    named = set(re.findall(r"(?:`|^ {4})goldgate ([a-z]+)", README, flags=re.MULTILINE))
    assert named - known == set()


def test_every_exit_code_is_listed_once() -> None:
    from agreement.errors import GoldgateError

    section = README.split("## Exit codes")[1].split("\n## ")[0]
    listed = [int(code) for code in re.findall(r"^\| ([0-9]+) \|", section, flags=re.MULTILINE)]
    assert listed == [0, 1, *sorted(kind.exit_code for kind in GoldgateError.__subclasses__())]


def test_the_picture_is_small_enough_for_a_front_page() -> None:
    picture = ROOT / "data" / "sample" / "report.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size < 150_000


@pytest.fixture(autouse=True)
def _blocks_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tests"))
