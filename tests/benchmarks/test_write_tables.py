"""The tables of the benchmarks stand where they are read, and are written by a run."""

from __future__ import annotations

import importlib.util
from pathlib import Path

HERE = Path(__file__).parent
_spec = importlib.util.spec_from_file_location("write_tables", HERE / "write_tables.py")
assert _spec is not None
assert _spec.loader is not None
write_tables = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(write_tables)


def test_what_stood_between_the_marks_is_replaced_and_nothing_else() -> None:
    page = f"# A\n\n{write_tables.START}\nold\n\n{write_tables.END}\nB\n"
    once = write_tables.between_marks(page, "new\n")
    assert once == page.replace("old", "new")
    assert write_tables.between_marks(once, "new\n") == once


def test_the_page_of_hit_rates_has_both_marks_once() -> None:
    page = (HERE.parents[1] / "agreement" / "README.md").read_text()
    assert (page.count(write_tables.START), page.count(write_tables.END)) == (1, 1)


def test_every_benchmark_has_its_section_in_the_page() -> None:
    page = (HERE / "README.md").read_text()
    assert [b.name for b in sorted(HERE.glob("bench_*.py")) if f"(`{b.name}`)\n" not in page] == []
