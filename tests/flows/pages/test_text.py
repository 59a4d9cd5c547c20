"""Text from outside cannot become markup, a link, a mention or a hidden reversal."""

from __future__ import annotations

import pytest

from flows.pages.text import code, markdown, visible


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("two\nlines\tand  more", "two lines and more"),
        ("safe\u202eelbon", "safe\\u202eelbon"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("bell\x07", "bell\\u0007"),
        ("क्\u200dष", "क्\u200dष"),  # a joiner that the script needs
    ],
)
def test_what_cannot_be_seen_is_shown_as_a_code(text: str, expected: str) -> None:
    assert visible(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.17 [0.04 to 0.32]", "0.17 [0.04 to 0.32]"),  # a figure stays readable
        ("[−0.08 to 0.28]", "[−0.08 to 0.28]"),
        ("[click](http://e.example)", "\\[click\\](http&#58;//e.example)"),
        ("[1](http://e.example)", "[1\\](http&#58;//e.example)"),
        ("[1]: http://e.example", "[1\\]: http&#58;//e.example"),
        ("[^1]", "\\[^1]"),
        ("a|b", "a\\|b"),
        ("<b>&amp;", "&lt;b&gt;&amp;amp;"),
        ("*a* _b_ `c` ~d~", "\\*a\\* \\_b\\_ \\`c\\` \\~d\\~"),
        ("# head", "\\# head"),
        ("1. item", "1\\. item"),
        ("- item", "\\- item"),
        ("@everyone", "&#64;everyone"),
        ("www.e.example", "www&#46;e.example"),
    ],
)
def test_markdown_renders_as_exactly_these_characters(text: str, expected: str) -> None:
    assert markdown(text) == expected


def test_code_survives_backticks_and_pipes() -> None:
    assert code("") == ""
    assert code("goldgate gate r1") == "`goldgate gate r1`"
    assert code("a`b|c") == "`` a`b\\|c ``"
