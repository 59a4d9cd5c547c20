"""The files made from the models are current, and an editor that uses them sees what the reader sees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from agreement.rules import STATISTICS
from schemas.json_schema import FILES, readme_with_tables, schema_text

CONFIGS = Path(__file__).parents[2] / "configs"
RENEW = "run: python -m schemas.json_schema"


@pytest.mark.parametrize("name", FILES)
def test_the_schema_files_are_current(name: str) -> None:
    assert (CONFIGS / name).read_text(encoding="utf-8") == schema_text(FILES[name]), RENEW


def test_the_tables_of_the_readme_are_current() -> None:
    text = (CONFIGS / "README.md").read_text(encoding="utf-8")
    assert text == readme_with_tables(text), RENEW


@pytest.mark.parametrize("name", FILES)
def test_every_object_refuses_unknown_keys(name: str) -> None:
    schema = json.loads(schema_text(FILES[name]))
    objects = [schema, *schema.get("$defs", {}).values()]
    assert all(part["additionalProperties"] is False for part in objects)


def test_an_editor_completes_the_statistics() -> None:
    rule = json.loads(schema_text(FILES["study.schema.json"]))["$defs"]["RuleEntry"]
    assert rule["properties"]["statistic"]["enum"] == list(STATISTICS)


@pytest.mark.parametrize(
    ("example", "schema"), [("example-study.yaml", "study.schema.json"), ("example-round.yaml", "round.schema.json")]
)
def test_the_examples_fit_the_schema(example: str, schema: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    read_as_editors_do: Any = yaml.safe_load((CONFIGS / example).read_text(encoding="utf-8"))
    jsonschema.validate(read_as_editors_do, json.loads((CONFIGS / schema).read_text(encoding="utf-8")))
