"""What an event holds, type by type and field by field."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.events import EVENTS, misfit
from tests.schemas.event_samples import AROUND, FORGED, SAMPLES


def why(type: str, payload: dict[str, Any], seq: int = 10, **around: Any) -> str:
    found = misfit(type, seq, {**AROUND, **around}, payload)
    return "" if found is None else found.why


def test_there_is_a_sample_of_every_type() -> None:
    assert SAMPLES.keys() == EVENTS.keys() == {type for type, *_ in FORGED}


@pytest.mark.parametrize("type", SAMPLES)
def test_what_fits_fits(type: str) -> None:
    assert why(type, SAMPLES[type]) == ""


@pytest.mark.parametrize(("type", "name"), [(type, name) for type, fields in EVENTS.items() for name in fields])
def test_every_field_must_be_there_and_of_its_kind(type: str, name: str) -> None:
    sample = SAMPLES[type]
    assert why(type, {key: value for key, value in sample.items() if key != name}) == f"the field {name} is missing"
    for other in (7.5, {"a": 1, "b": None}, [[[]]], "\x00"):
        if not isinstance(sample[name], str) or name not in ("attestation", "revision", "text", "why", "reason"):
            assert f"the field {name}" in why(type, {**sample, name: other}), other


@pytest.mark.parametrize(("type", "name", "value", "words"), FORGED)
def test_a_value_of_another_kind_is_named(type: str, name: str, value: Any, words: str) -> None:
    assert words in why(type, {**SAMPLES[type], name: value})


AROUND_IT = [
    ({"ts": "yesterday"}, 'the field ts holds "yesterday", which is not a time such as 2026-04-01T12:00:00Z'),
    ({"ts": "2026-04-01T12:00:00+02:00"}, "which is not a time such as"),
    ({"ts": "2026-13-01T12:00:00Z"}, "which is not a time such as"),
    ({"ts": "2026-04-01T12:00:00Z\n"}, "which is not a time such as"),
    ({"actor": "ro\x00ot"}, 'the field actor holds "ro\\u0000ot", which is not one line of text'),
    ({"actor": "ro\x1b[2Jot"}, 'the field actor holds "ro\\u001b[2Jot", which is not one line of text'),
    ({"actor": ""}, 'the field actor holds "", which is not one line of text'),
    ({"tool": "silvergate 1"}, 'the field tool holds "silvergate 1", which is not goldgate and its version'),
]


@pytest.mark.parametrize(("around", "words"), AROUND_IT)
def test_time_actor_and_tool_have_their_grammar_too(around: dict[str, str], words: str) -> None:
    assert words in why("round.measured", SAMPLES["round.measured"], **around)


def test_what_nobody_knows_is_of_a_newer_version_or_forged() -> None:
    unknown = misfit("weird.thing", 10, AROUND, {})
    more = misfit("round.measured", 10, AROUND, {**SAMPLES["round.measured"], "by": "hand"})
    assert unknown is not None
    assert more is not None
    assert (unknown.newer, unknown.why) == (True, "no event of this type is known")
    assert (more.newer, more.why) == (True, "the field by is not known")


def test_an_event_speaks_only_of_events_before_it() -> None:
    gated = SAMPLES["gate.evaluated"]
    assert why("gate.evaluated", gated, seq=7) == ""
    assert "holds 6, which is not the number of an event before this one" in why("gate.evaluated", gated, seq=6)
