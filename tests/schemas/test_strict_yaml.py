"""The strict reading of YAML: texts stay as written, and whatever comes in, nothing but a refusal comes out."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.errors import ConfigError
from schemas.strict_yaml import ListNode, MapNode, Node, ScalarNode, line_of, read_yaml
from schemas.study import parse_study

EXAMPLE = (Path(__file__).parents[2] / "configs" / "example-study.yaml").read_text(encoding="utf-8")


def plain(node: Node | None) -> object:
    if isinstance(node, MapNode):
        return {key: plain(value) for key, (_, value) in node.entries.items()}
    return [plain(item) for item in node.items] if isinstance(node, ListNode) else getattr(node, "text", None)


@pytest.mark.parametrize(
    "text",
    ["yes", "no", "1.10", "1e3", "007", "0x1F", "2026-01-02", "12:30:00", "1_000", "true", "null", "~", "=", "é"],
)
def test_a_plain_scalar_is_the_text_that_was_written(text: str) -> None:
    node, problems = read_yaml(f"a: {text}\n".encode(), "f")
    assert (plain(node), problems) == ({"a": text}, [])


def test_quotes_are_remembered_and_block_texts_count_as_quoted() -> None:
    node, _ = read_yaml(b"a: 1\nb: '1'\nc: \"1\"\nd: |\n  1\n", "f")
    assert isinstance(node, MapNode)
    scalars = [value for _, value in node.entries.values()]
    assert [s.quoted for s in scalars if isinstance(s, ScalarNode)] == [False, True, True, True]


def test_structure_and_texts_are_those_of_the_yaml_reference_reader() -> None:
    node, problems = read_yaml(EXAMPLE.encode(), "f")
    assert problems == []
    assert plain(node) == yaml.load(EXAMPLE, Loader=yaml.BaseLoader)  # BaseLoader: all scalars text


@pytest.mark.parametrize(
    ("path", "line"),
    [("a", 1), ("a.b[1]", 4), ("a.b[1].c", 4), ("a.b[9]", 2), ("a.zzz", 1), ("", 1), ("d", 5), ("nowhere", 1)],
)
def test_a_key_path_is_found_or_its_nearest_part(path: str, line: int) -> None:
    node, _ = read_yaml(b"a:\n  b:\n    - x\n    - c: 1\nd: 2\n", "f")
    assert node is not None
    assert line_of(node, path) == line


def test_lines_are_counted_as_editors_count_them() -> None:
    _, problems = read_yaml(b"a: 1\r\n# \xe2\x80\xa6\r\n\r\nb: &x 1\r\n", "f")
    assert [(p.code, p.line) for p in problems] == [("anchor", 4)]


def refused_or_taken(data: bytes) -> bool:
    try:
        parse_study(data, "f")
    except ConfigError as error:
        return bool(error.problems) and all(p.code and p.message and p.fix for p in error.problems)
    return True


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_refused_with_a_reason_or_taken(data: bytes) -> None:
    assert refused_or_taken(data)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, len(EXAMPLE)),
    st.integers(0, 40),
    st.sampled_from([*"{}[]:,-#&*!|>'\"%@`?\t\n \\", "<<: ", "\n---\n"]),
)
def test_any_cut_or_slip_in_a_good_file_is_refused_with_a_reason_or_taken(at: int, cut: int, slip: str) -> None:
    assert refused_or_taken((EXAMPLE[:at] + slip + EXAMPLE[at + cut :]).encode())
