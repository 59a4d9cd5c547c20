"""Which names are taken, and which are refused with what reason."""

from __future__ import annotations

import pytest

from schemas import names

E_ACUTE_NFC, E_ACUTE_NFD = "\u00e9", "e\u0301"

SLUGS = [
    ("flagged", None),
    ("2026-04", None),
    ("a", None),
    ("x" * 64, None),
    ("v1.0_b", None),
    ("", "must begin with a lower-case"),
    ("x" * 65, "must begin with a lower-case"),
    ("Flagged", "must begin with a lower-case"),
    ("-rf", "must begin with a lower-case"),
    (".hidden", "must begin with a lower-case"),
    ("../../x", "must begin with a lower-case"),
    ("a/b", "must begin with a lower-case"),
    ("a b", "must begin with a lower-case"),
    ("a\n", "must begin with a lower-case"),
    ("٣", "must begin with a lower-case"),  # a digit, but an Arabic one
    ("a.", "ends in a dot"),
    ("con", "is a device name"),
    ("aux.txt", "is a device name"),
    ("lpt1", "is a device name"),
    ("console", None),
]


@pytest.mark.parametrize(("text", "fault"), SLUGS)
def test_slugs(text: str, fault: str | None) -> None:
    found = names.slug_fault(text)
    assert (found is None) if fault is None else (found or "").startswith(fault)


PEOPLE = [
    ("r_99bf1b6930", None),
    ("Annotator7", None),
    ("7", None),
    ("ada@x.org", "looks like an e-mail"),
    ("a b", "must begin with"),
]


@pytest.mark.parametrize(("text", "fault"), PEOPLE)
def test_people(text: str, fault: str | None) -> None:
    found = names.person_fault(text)
    assert (found is None) if fault is None else (found or "").startswith(fault)


IDS = [
    ("r1-446453", None),
    ("007", None),
    ("29911712,BERTS2S", None),
    ("https://x.org/a?b=1&c=2#d", None),
    ("答案 12", None),
    ("caf" + E_ACUTE_NFC, None),
    ("caf" + E_ACUTE_NFD, "is not in Unicode normal form C"),
    ("x" * 200, None),
    ("x" * 201, "is longer than"),
    ("", "is empty"),
    ("a ", "begins or ends with a space"),
    ("a\u00a0b", "contains the invisible character U+00A0"),
    ("a\u200bb", "contains the invisible character U+200B"),
    ("a\u202eb", "contains the invisible character U+202E"),
    ("a\ud800b", "contains the invisible character U+D800"),
    ("a\nb", "contains the invisible character U+000A"),
    ("a\x00", "contains the invisible character U+0000"),
    ("=1+1", "begins with '='"),
    ("-x", "begins with '-'"),
    ('a"b', "contains '\"'"),
    ("<b>", "contains '<'"),
]


@pytest.mark.parametrize(("text", "fault"), IDS)
def test_item_ids(text: str, fault: str | None) -> None:
    found = names.id_fault(text)
    assert (found is None) if fault is None else (found or "").startswith(fault)


def test_the_id_pattern_for_polars_says_the_same_as_the_function() -> None:
    import polars as pl

    # NFC and the spaces at the ends are rules of their own, which a pattern cannot express.
    texts = [
        text for text, fault in IDS if "\ud800" not in text and "normal form" not in (fault or "") and text != "a "
    ]
    matches = pl.Series(texts).str.contains(names.ID_PATTERN).to_list()
    assert matches == [names.id_fault(text) is None for text in texts]


PATHS = [
    ("guideline-1.0.md", None, None),
    ("texts/guideline.md", None, None),
    ("../study.yaml", None, "leaves the folder"),
    ("a/../../b", None, "leaves the folder"),
    ("/etc/passwd", "is not a relative path", "is not a relative path"),
    ("~/x", "is not a relative path", "is not a relative path"),
    ("C:x", "is not a relative path", "is not a relative path"),
    ("a\\b", "is not a relative path", "is not a relative path"),
    ("a//b", "has an empty step", "has an empty step"),
    ("./a", "has an empty step", "has an empty step"),
    ("a/", "has an empty step", "has an empty step"),
    ("-rf", "has a step that begins", "has a step that begins"),
    ("a./b", "has a step that begins", "has a step that begins"),
    ("nul.txt", "has a step that is a device", "has a step that is a device"),
    ("a\nb", "contains the invisible", "contains the invisible"),
    ("a" * 256, "is longer than", "is longer than"),
    ("", "is empty", "is empty"),
]


@pytest.mark.parametrize(("text", "anywhere", "below"), PATHS)
def test_paths(text: str, anywhere: str | None, below: str | None) -> None:
    for found, fault in ((names.path_fault(text), anywhere), (names.inner_path_fault(text), below)):
        assert (found is None) if fault is None else (found or "").startswith(fault)


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Toxic", "toxic", True),
        ("not_sure", "not sure", True),
        ("not-sure", "not – sure", True),
        ("ｙｅｓ", "yes", True),  # full width
        (E_ACUTE_NFC, E_ACUTE_NFD, True),
        ("stiletto", "stilettos", False),
        ("1", "1.0", False),
    ],
)
def test_texts_that_look_alike(one: str, other: str, alike: bool) -> None:
    assert (names.look_alike(one) == names.look_alike(other)) is alike
