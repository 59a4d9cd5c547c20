"""The documentation of formats is what the readers say of themselves."""

from flows.formats import table
from flows.formats.presets import presets
from flows.formats.reading import ABILITIES
from flows.formats.recognise import FORMATS


def test_the_page_is_current():
    page = table.PAGE.read_text(encoding="utf-8")
    assert page == table.page_with_table(page), "run: python -m flows.formats.table"


def test_the_keys_of_a_map_are_current():
    page = table.KEYS_PAGE.read_text(encoding="utf-8")
    assert page == table.page_with_keys(page), "run: python -m flows.formats.table"


def test_every_format_and_preset_is_in_the_table():
    text = table.format_table()
    assert all(f"`{name}`" in text for name in [*(f.name for f in FORMATS), *presets()])


def test_formats_declare_only_known_abilities():
    assert all(format_.can <= ABILITIES.keys() for format_ in FORMATS)


def test_names_are_used_once():
    names = [*(f.name for f in FORMATS), *presets()]
    assert len(names) == len(set(names))
