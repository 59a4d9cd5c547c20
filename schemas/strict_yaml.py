"""A small, strict reading of YAML: every scalar stays the text that was written, with its place.

Refused: anything that makes two readers see two documents (duplicate keys, aliases, anchors, merge keys, tags,
several documents), and anything that is not plain UTF-8 of modest size. No scalar is turned into a number, a
date or a truth value here: `1.10` is three characters and a dot until somebody who knows what it means asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import yaml

from agreement.errors import Problem
from schemas.names import shown

LARGEST = 64 * 1024
DEEPEST = 16


@dataclass(frozen=True)
class ScalarNode:
    """text: as written, without its quotes. quoted: whether it had any (or was a block text). line: from 1."""

    text: str
    quoted: bool
    line: int


@dataclass(frozen=True)
class ListNode:
    items: tuple[Node, ...]
    line: int


@dataclass(frozen=True)
class MapNode:
    """entries: key to (the key as written, its value), in the order of the file."""

    entries: dict[str, tuple[ScalarNode, Node]] = field(default_factory=dict)
    line: int = 1


@dataclass(frozen=True)
class RefusedNode:
    """Stands where something was refused and reported, so that it is neither missed nor reported again."""

    line: int


Node = ScalarNode | ListNode | MapNode | RefusedNode


def read_yaml(data: bytes, file: str) -> tuple[Node | None, list[Problem]]:
    """The document's tree, and all that is wrong with it as YAML.

    The tree is None where nothing could be read. Where it is there beside problems it keeps the first of two equal
    keys and a RefusedNode for an alias, so that the rest can still be checked.
    """
    text, problems = _decode(data)
    if text is None or problems:
        return None, [replace(p, file=file) for p in problems]
    builder = _Builder(text)
    node = builder.document()
    return node, [replace(p, file=file) for p in builder.problems]


def line_of(node: Node, path: str) -> int:
    """The line of a key path such as `gate.rules[2].at_least`, or of the nearest part of it that exists."""
    line = node.line
    for step in re.findall(r"[^.\[\]]+", path):
        if isinstance(node, MapNode) and step in node.entries:
            key, node = node.entries[step]
            line = key.line
        elif isinstance(node, ListNode) and step.isdigit() and int(step) < len(node.items):
            node = node.items[int(step)]
            line = node.line
        else:
            break
    return line


def _decode(data: bytes) -> tuple[str | None, list[Problem]]:
    if len(data) > LARGEST:
        found = f"the file has {len(data)} bytes, more than {LARGEST}"
        return None, [Problem("too-large", found, "keep long texts in the guideline, not here")]
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\x00" in data:
        line = data[: data.find(b"\x00")].count(b"\n") + 1
        return None, [Problem("not-utf8", "this is UTF-16 or binary, not UTF-8 text", _SAVE_AS_UTF8, line=line)]
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        wrong = f"byte {error.start} (0x{data[error.start]:02x}) is not UTF-8"
        return None, [Problem("not-utf8", wrong, _SAVE_AS_UTF8, line=line)]
    text = text.removeprefix("\ufeff")  # what Windows editors put in front; it says nothing
    if not re.sub(r"(?m)^\s*(#.*)?$", "", text).strip():
        return None, [Problem("empty-file", "the file has no content", "write the keys, see configs/README.md")]
    return text, _odd_characters(text)


_SAVE_AS_UTF8 = "save the file as UTF-8"


def _odd_characters(text: str) -> list[Problem]:
    """Characters PyYAML would take for a line end that no editor shows as one, and those it cannot read."""
    problems = []
    for match in re.finditer("\r(?!\n)|[\x85\u2028\u2029]", text):
        message = f"U+{ord(match[0]):04X} would end a line that goes on in your editor"
        problems.append(_at(text, match.start(), "odd-line-end", message, "use plain line ends"))
    for match in re.finditer("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff\ufeff]", text):
        message = f"the control character U+{ord(match[0]):04X} has no place here"
        problems.append(_at(text, match.start(), "odd-character", message, "delete it"))
    for match in re.finditer("[\u202a-\u202e\u2066-\u2069]", text):
        message = f"U+{ord(match[0]):04X} makes the line read otherwise than it is written"
        problems.append(_at(text, match.start(), "odd-character", message, "delete it"))
    return problems


def _at(text: str, position: int, code: str, message: str, fix: str) -> Problem:
    return Problem(code, message, fix, line=text.count("\n", 0, position) + 1)


def _line(event: yaml.Event) -> int:
    assert event.start_mark is not None  # only events made by hand have none
    return event.start_mark.line + 1


class _Stop(Exception):
    """What follows cannot be understood any more; the problem has been noted."""


class _Builder:
    """Builds the tree from PyYAML's events, which still know tags, anchors and quotes."""

    def __init__(self, text: str) -> None:
        self.problems: list[Problem] = []
        self._events = self._parse(text)

    def document(self) -> Node | None:
        node: Node | None = None
        try:
            next(self._events), next(self._events)  # the start of the stream and of the first document
            node = self._node(next(self._events), "", 0)
            next(self._events)
            after = next(self._events)
            if isinstance(after, yaml.DocumentStartEvent):
                fix = "keep one study or round a file, without '---' in the middle"
                self._note("two-documents", "a second document begins here", fix, after)
        except _Stop:
            return None
        return node

    def _parse(self, text: str) -> Iterator[yaml.Event]:
        try:
            yield from yaml.parse(text, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line = None if mark is None else mark.line + 1
            if "'\\t'" in str(error.problem):
                problem = Problem("tab", "a tab stands where only spaces may", "indent with spaces", line=line)
            else:
                what = " ".join(filter(None, (error.context, error.problem)))
                fix = "check indentation, colons and quotes; quote texts that contain ': ' or ' #'"
                problem = Problem("yaml-syntax", f"not YAML: {what}", fix, line=line)
            self.problems.append(problem)
            raise _Stop from error

    def _node(self, event: yaml.Event, path: str, depth: int) -> Node:
        if depth > DEEPEST:
            self._note("too-deep", f"more than {DEEPEST} levels", "nothing here is that deep", event, path)
            raise _Stop
        if isinstance(event, yaml.AliasEvent):
            self._note("alias", f"*{event.anchor} stands for something else", "write it out", event, path)
            return RefusedNode(_line(event))
        self._refuse_decorations(event, path)
        line = _line(event)
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, path, line)
        if isinstance(event, yaml.SequenceStartEvent):
            return ListNode(tuple(self._items(path, depth)), line)
        return MapNode(self._entries(path, depth), line)

    def _scalar(self, event: yaml.ScalarEvent, path: str, line: int) -> Node:
        quoted = event.style is not None
        if not quoted and re.fullmatch(r"[-+]?\.(inf|nan)", event.value, re.IGNORECASE):
            fix = "write a number, in quotes"
            self._note("not-finite", f"{event.value} is not a number one can reach", fix, event, path, event.value)
            return RefusedNode(line)
        return ScalarNode(event.value, quoted, line)

    def _items(self, path: str, depth: int) -> Iterator[Node]:
        index = 0
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            yield self._node(event, f"{path}[{index}]", depth + 1)
            index += 1

    def _entries(self, path: str, depth: int) -> dict[str, tuple[ScalarNode, Node]]:
        entries: dict[str, tuple[ScalarNode, Node]] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._node(event, path, depth + 1)
            text = key.text if isinstance(key, ScalarNode) else "?"
            inner = f"{path}.{shown(text)}" if path else shown(text)
            value = self._node(next(self._events), inner, depth + 1)
            if isinstance(key, ScalarNode) and self._key_is_good(key, event, inner, entries):
                entries[key.text] = (key, value)
            elif not isinstance(key, ScalarNode | RefusedNode):
                self._note("key-not-text", "a key is a list or a mapping", "keys are single words", event, inner)
        return entries

    def _key_is_good(
        self, key: ScalarNode, event: yaml.Event, path: str, entries: dict[str, tuple[ScalarNode, Node]]
    ) -> bool:
        if key.text == "<<" and not key.quoted:
            self._note("merge-key", "'<<' merges another mapping in", "write the keys out", event, path)
            return False
        if key.text in entries:
            first = entries[key.text][0].line
            message = f"this key stands twice, first on line {first}"
            self._note("duplicate-key", message, "keep one of them", event, path, key.text)
            return False
        return True

    def _refuse_decorations(self, event: yaml.Event, path: str) -> None:
        if isinstance(event, yaml.NodeEvent) and event.anchor is not None:
            self._note("anchor", f"&{event.anchor} names this for reuse", "remove it", event, path)
        if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag is not None:
            self._note("tag", f"{shown(event.tag)} is a tag", "remove it; use quotes for text", event, path)

    def _note(
        self, code: str, message: str, fix: str, event: yaml.Event, path: str = "", value: str | None = None
    ) -> None:
        line = _line(event)
        value = None if value is None else shown(value)
        self.problems.append(Problem(code, message, fix, line=line, column=path or None, value=value))
