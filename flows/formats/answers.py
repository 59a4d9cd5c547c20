"""The labels inside one answer, however the tool wraps them."""

from __future__ import annotations

from typing import Any

from flows.formats.json_bytes import as_text


def labels_of(value: Any) -> list[str]:
    """{"label": a}, {"labels": [a]}, {"option": true or {"on": true}, ...}, a list, or a plain value; [] for none."""
    if isinstance(value, dict):
        for key in ("label", "labels"):
            if key in value:
                return labels_of(value[key])
        return [option for option, on in value.items() if on is True or (isinstance(on, dict) and on.get("on") is True)]
    if isinstance(value, list):
        return [as_text(one) for one in value]
    return [] if value in (None, "") else [as_text(value)]
