"""What a study object offers, and that its registered form can be hashed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from agreement.rules import STATISTICS, Rule
from schemas.json_schema import known_key_paths
from schemas.round_file import RoundFile, parse_round
from schemas.study import Study, canonical_definition, parse_study

CONFIGS = Path(__file__).parents[2] / "configs"


@pytest.fixture(scope="module")
def study() -> Study:
    return parse_study((CONFIGS / "example-study.yaml").read_bytes(), "example-study.yaml")


def test_the_example_says_who_labels_what(study: Study) -> None:
    assert study.category_values() == ("supported", "unsupported")
    assert study.positive_mask() == (False, True)
    assert study.annotator_ids() == ("ada", "bo", "cy", "judge-1")
    assert study.regular_ids() == ("ada", "bo")
    assert study.reserves() == ("cy",)
    assert study.models() == ("judge-1",)
    assert study.adjudicator_ids() == ("dee",)
    assert study.slice_names() == ("uniform", "flagged")


def test_rules_come_as_the_gate_takes_them_with_thresholds_as_text(study: Study) -> None:
    first, _, third = study.gate.rules[:3]
    assert isinstance(first, Rule)
    assert (first.slice, first.statistic, first.at_least, first.judged_on) == (
        "flagged",
        "union_positives",
        "100",
        "value",
    )
    assert (third.judged_on, third.missing, third.at_least) == ("lower", "worst", "0.40")


def test_a_study_cannot_be_changed(study: Study) -> None:
    with pytest.raises(ValidationError):
        study.passes = 3  # type: ignore[misc]  # that this is refused is the point


def test_the_registered_form_survives_json_and_holds_no_float(study: Study) -> None:
    definition = canonical_definition(study)
    assert json.loads(json.dumps(definition)) == definition

    def kinds(node: Any) -> set[type]:
        inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
        return {type(node)}.union(*(kinds(item) for item in inner))

    assert kinds(definition) <= {dict, list, str, int, bool, type(None)}


def test_the_registered_form_names_the_definition_version_of_every_statistic_a_rule_uses(study: Study) -> None:
    definition = canonical_definition(study)
    assert definition["statistics"] == {rule.statistic: STATISTICS[rule.statistic].version for rule in study.gate.rules}


def test_defaults_are_written_into_the_registered_form(study: Study) -> None:
    assert canonical_definition(study)["gate"]["rules"][0]["judged_on"] == "value"


def test_the_order_of_keys_in_the_file_does_not_change_the_registered_form(study: Study) -> None:
    lines = (CONFIGS / "example-study.yaml").read_text(encoding="utf-8").splitlines(keepends=True)
    passes = next(line for line in lines if line.startswith("passes:"))
    moved = "".join([passes, *(line for line in lines if line != passes)])
    assert json.dumps(canonical_definition(parse_study(moved.encode(), "s"))) == json.dumps(canonical_definition(study))


def test_a_matrix_of_weights_stays_text() -> None:
    text = (CONFIGS / "example-study.yaml").read_text(encoding="utf-8")
    text = text.replace("scale: nominal ", 'weights: [["1", "0.5"], ["0.5", "1"]]\nscale: ordinal ')
    assert parse_study(text.encode(), "s").weights == (("1", "0.5"), ("0.5", "1"))


@pytest.mark.parametrize(("name", "model"), [("example-study.yaml", Study), ("example-round.yaml", RoundFile)])
def test_the_examples_hold_every_key_there_is(name: str, model: type[Study] | type[RoundFile]) -> None:
    text = (CONFIGS / name).read_text(encoding="utf-8")
    missing = {path for path in known_key_paths(model) if f"{path.split('.')[-1]}:" not in text}
    assert missing == set()


def test_the_example_round_is_taken() -> None:
    found = parse_round((CONFIGS / "example-round.yaml").read_bytes(), "example-round.yaml")
    assert found.study == "unsupported-claim"


def test_the_guideline_of_the_example_is_there(study: Study) -> None:
    assert (CONFIGS / study.guideline.file).is_file()
