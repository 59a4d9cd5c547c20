"""Which item an answer is about: the user's own key, never a database id unasked; and a hash of what was shown."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from flows.formats.json_bytes import as_text, at
from flows.formats.reading import ReadOptions
from flows.reading.findings import Findings
from schemas.names import shown

CONTENT_HASH = "content-hash"
# Keys people give their own ids, in the order in which they are believed.
_OWN_ID_NAMES = ("item_id", "ext_id", "external_id", "global_key", "uid", "uuid", "key", "item", "id", "doc_id", "name")


def content_hash(content: Any) -> str:
    """The item version: the first 16 hex digits of the SHA-256 of what was shown, '' for nothing.

    One text is hashed as its UTF-8 bytes, so that the same text has the same version in every format. Anything else
    is hashed as JSON with sorted keys and no spaces.
    """
    if type(content) is not str:
        content = "" if content is None or content == {} else as_text(content)
    return _hash_of_text(content) if content else ""


@lru_cache(maxsize=4096)  # the answers to one item usually stand together
def _hash_of_text(content: str) -> str:
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def shown_content(data: Mapping[str, Any], item_key: str | None, options: ReadOptions) -> Any:
    """What was in front of the annotator: the declared content keys, else all data but the item's key.

    A single value stands for itself, so that {"text": "a"} and "a" are the same content.
    """
    if len(options.content) == 1:
        return at(data, options.content[0])
    if options.content:
        picked = {key: at(data, key) for key in options.content}
    else:
        picked = {key: value for key, value in data.items() if key != item_key}
    return next(iter(picked.values())) if len(picked) == 1 else picked


def choose_item_key(
    items: Sequence[Mapping[str, Any]], options: ReadOptions, refusals: Findings, file: str, never: Iterable[str]
) -> str:
    """The key of the user's own id in these items' data.

    The one that was named; else a key with a name people give to ids, present and different in every item; else
    'content-hash' where the options allow it. `never` are keys that the platform writes. Otherwise
    `no-stable-item-id` is noted, naming the candidates, and reading goes on by content to find what else is wrong.
    """
    if options.item_key is not None:
        return options.item_key
    candidates = id_candidates(items, frozenset(never))
    own = next((name for name in _OWN_ID_NAMES if name in candidates), None)
    if own is not None:
        return own
    if not options.looking:
        note_no_stable_item_id(candidates, refusals, file)
    return CONTENT_HASH


def id_candidates(items: Sequence[Mapping[str, Any]], never: frozenset[str]) -> list[str]:
    """Keys that every item has with a plain value, each value once."""
    if not items:
        return []
    return [
        key for key in items[0] if key not in never and _tells_apart([as_text_or_none(data.get(key)) for data in items])
    ]


def _tells_apart(values: list[str | None]) -> bool:
    return None not in values and "" not in values and len(set(values)) == len(values)


def as_text_or_none(value: Any) -> str | None:
    return None if value is None or isinstance(value, dict | list) else as_text(value)


def note_no_stable_item_id(candidates: Iterable[str], refusals: Findings, file: str) -> None:
    names = ", ".join(shown(name) for name in list(candidates)[:10]) or "none"
    refusals.add("no-stable-item-id", f"no stable item id; keys that could serve: {names}", file=file)


def item_id_of(data: Mapping[str, Any], key: str, version: str, outer: Mapping[str, Any] | None = None) -> str:
    """The item's id under a key of its data (or, if named there, of the record around it); '' if there is none."""
    if key == CONTENT_HASH:
        return version
    value = at(data, key)
    if value is None and outer is not None:
        value = at(outer, key)
    return "" if isinstance(value, dict | list) else as_text(value)
