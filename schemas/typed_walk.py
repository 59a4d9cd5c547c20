"""From the tree of a strict YAML file to the typed parts of a model, with every problem found on the way.

The pydantic model is the only description of the file. Its annotations are walked beside the tree; `Form` marks
say how a scalar's text is judged. Nothing is coerced: a text becomes a number or a truth value only where the
model asks for one and the text is exactly how one is written.
"""

from __future__ import annotations

import difflib
import re
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from agreement.errors import Problem
from schemas.names import shown
from schemas.strict_yaml import ListNode, MapNode, Node, RefusedNode, ScalarNode


@dataclass(frozen=True)
class Form:
    """How one kind of text is judged.

    code: of the problem. fault: what is wrong with a text, or None. fix: what to write instead.
    must_be_quoted: unquoted, another reader would take it for a number.
    pattern: nearly the same as `fault`, for the JSON Schema that editors use.
    """

    code: str
    fault: Callable[[str], str | None]
    fix: str
    must_be_quoted: bool = False
    pattern: str | None = None

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> Any:
        schema = handler(core)
        return schema if self.pattern is None else {**schema, "pattern": self.pattern}


@dataclass(frozen=True)
class Whole:
    """A whole number from least to most, both included."""

    least: int
    most: int

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> Any:
        return {**handler(core), "minimum": self.least, "maximum": self.most}


class _Lost:
    """Stands for a value that could not be read; the reason is among the problems."""


LOST = _Lost()


def read_parts(model: type[BaseModel], node: Node, problems: list[Problem]) -> dict[str, Any]:
    """The intact top-level values of a file by field name (defaults where a key is absent).

    A part with anything wrong in it is left out. Problems carry line and key path; the caller adds the file.
    """
    return _Walk(problems).fields(model, node, "")


def known_keys(model: type[BaseModel]) -> dict[str, tuple[str, FieldInfo]]:
    """Keys as written in the file, to (field name, field)."""
    return {info.alias or name: (name, info) for name, info in model.model_fields.items()}


def join(path: str, key: str) -> str:
    return f"{path}.{shown(key)}" if path else shown(key)


class _Walk:
    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems

    def fields(self, model: type[BaseModel], node: Node, path: str) -> dict[str, Any]:
        if not isinstance(node, MapNode):
            self._wrong_shape(node, path, "a mapping (key: value)")
            return {}
        keys, hints = known_keys(model), get_type_hints(model, include_extras=True)
        self._unknown_keys(node, path, keys)
        parts: dict[str, Any] = {}
        for key, (name, info) in keys.items():
            if key in node.entries:
                value = self.value(hints[name], node.entries[key][1], join(path, key))
                if value is not LOST:
                    parts[name] = value
            elif info.is_required():
                fix = f"add '{key}:' ({info.description})"
                self._note("missing-key", f"the key '{key}' is missing", fix, node, join(path, key))
            else:
                parts[name] = info.get_default(call_default_factory=True, validated_data={})
        return parts

    def value(self, kind: Any, node: Node, path: str) -> Any:
        """The value this annotation asks for, or LOST."""
        if isinstance(node, RefusedNode):
            return LOST
        origin = get_origin(kind)
        if origin is Annotated:
            inner, *marks = get_args(kind)
            mark = next((mark for mark in marks if isinstance(mark, Form | Whole)), None)
            if isinstance(mark, Form):
                return self._text(mark, node, path)
            return self.value(inner, node, path) if mark is None else self._int(mark, node, path)
        if origin in (Union, types.UnionType):
            return self._one_of(get_args(kind), node, path)
        if origin is tuple:
            return self._list(get_args(kind)[0], node, path)
        if origin in (dict, Mapping):
            return self._free_map(get_args(kind), node, path)
        if origin is Literal:
            return self._choice(get_args(kind), node, path)
        if kind is bool:
            return self._bool(node, path)
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return self._model(kind, node, path)
        raise TypeError(f"{path}: no reading is defined for {kind}")

    def _model(self, model: type[BaseModel], node: Node, path: str) -> Any:
        parts = self.fields(model, node, path)
        # An unknown key may be a misspelt known one, so what is there is not what was meant.
        misspelt = isinstance(node, MapNode) and not node.entries.keys() <= known_keys(model).keys()
        if len(parts) < len(model.model_fields) or misspelt:
            return LOST
        try:
            return model(**{info.alias or name: parts[name] for name, info in model.model_fields.items()})
        except ValidationError as error:
            # The walk lets nothing through that the model refuses; should it ever, it is still a person's file.
            for wrong in error.errors():
                where = path + "".join(f"[{x}]" if isinstance(x, int) else f".{x}" for x in wrong["loc"])
                self._note("not-valid", wrong["msg"], "see configs/README.md", node, where)
            return LOST

    def _text(self, form: Form, node: Node, path: str) -> Any:
        if not self._is_scalar(node, path):
            return LOST
        assert isinstance(node, ScalarNode)
        if form.must_be_quoted and not node.quoted:
            message = "this must be quoted: another reader takes it for a number, and 1.10 for 1.1"
            self._note("unquoted", message, f'write "{shown(node.text)}"', node, path, node.text)
        elif not node.quoted and node.text in ("null", "Null", "NULL", "~"):
            fix = "leave the key out, or quote it if the word itself is meant"
            self._note("empty-value", f"{node.text} means nothing at all", fix, node, path, node.text)
            return LOST
        fault = form.fault(node.text)
        if fault is not None:
            self._note(form.code, fault, form.fix, node, path, node.text)
            return LOST
        return node.text

    def _list(self, kind: Any, node: Node, path: str) -> Any:
        if not isinstance(node, ListNode):
            return self._wrong_shape(node, path, "a list ([a, b], or lines that begin with '- ')")
        values = tuple(self.value(kind, item, f"{path}[{i}]") for i, item in enumerate(node.items))
        return LOST if any(value is LOST for value in values) else values

    def _free_map(self, kinds: tuple[Any, ...], node: Node, path: str) -> Any:
        if not isinstance(node, MapNode):
            return self._wrong_shape(node, path, "a mapping (key: value)")
        key_kind, kind = kinds
        pairs = [
            (self.value(key_kind, written, join(path, key)), self.value(kind, item, join(path, key)))
            for key, (written, item) in node.entries.items()
        ]
        return LOST if any(LOST in pair for pair in pairs) else dict(pairs)

    def _one_of(self, kinds: tuple[Any, ...], node: Node, path: str) -> Any:
        """The kind is known by the shape of what was written: a word, a list or a mapping."""
        kinds = tuple(kind for kind in kinds if kind is not types.NoneType)
        lists = [kind for kind in kinds if get_origin(kind) is tuple]
        others = [kind for kind in kinds if get_origin(kind) is not tuple]
        fitting = lists if isinstance(node, ListNode) and lists else others or lists
        return self.value(fitting[0], node, path)

    def _choice(self, choices: tuple[str, ...], node: Node, path: str) -> Any:
        if not self._is_scalar(node, path):
            return LOST
        assert isinstance(node, ScalarNode)
        if node.text in choices:
            return node.text
        message = f"'{shown(node.text)}' is not one of: {', '.join(choices)}"
        self._note("not-one-of", message, _nearest(node.text, choices), node, path, node.text)
        return LOST

    def _bool(self, node: Node, path: str) -> Any:
        if not self._is_scalar(node, path):
            return LOST
        assert isinstance(node, ScalarNode)
        if node.text in ("true", "false") and not node.quoted:
            return node.text == "true"
        self._note("not-true-or-false", "this is neither true nor false", "write true or false", node, path, node.text)
        return LOST

    def _int(self, whole: Whole, node: Node, path: str) -> Any:
        if not self._is_scalar(node, path):
            return LOST
        assert isinstance(node, ScalarNode)
        if not re.fullmatch(r"(0|[1-9][0-9]{0,15})", node.text, re.ASCII) or node.quoted:
            fix = "write digits only, without quotes, sign, point or separators"
            self._note("not-an-integer", "this is not a whole number", fix, node, path, node.text)
            return LOST
        if not whole.least <= int(node.text) <= whole.most:
            message = f"this is not between {whole.least} and {whole.most}"
            self._note("out-of-range", message, "write a number in that range", node, path, node.text)
            return LOST
        return int(node.text)

    def _is_scalar(self, node: Node, path: str) -> bool:
        if not isinstance(node, ScalarNode):
            self._wrong_shape(node, path, "one value")
            return False
        if not node.text.strip() and not node.quoted:
            fix = "write a value or leave the key out"
            self._note("empty-value", "nothing stands here", fix, node, path)
            return False
        return True

    def _unknown_keys(self, node: MapNode, path: str, keys: Mapping[str, Any]) -> None:
        for key, (written, _) in node.entries.items():
            if key not in keys:
                message = f"the key '{shown(key)}' is not known here"
                self._note("unknown-key", message, _nearest(key, tuple(keys)), written, join(path, key), key)

    def _wrong_shape(self, node: Node, path: str, expected: str) -> Any:
        if not isinstance(node, RefusedNode):
            found = {ScalarNode: "one value", ListNode: "a list", MapNode: "a mapping"}[type(node)]
            value = node.text if isinstance(node, ScalarNode) else None
            message = f"{found} stands where {expected} belongs"
            self._note("wrong-shape", message, f"write {expected}", node, path, value)
        return LOST

    def _note(self, code: str, message: str, fix: str, node: Node, path: str, value: str | None = None) -> None:
        value = None if value is None else shown(value)
        self.problems.append(Problem(code, message, fix, line=node.line, column=path or None, value=value))


def _nearest(word: str, choices: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(word.casefold(), choices, n=1, cutoff=0.6)
    return f"did you mean '{near[0]}'?" if near else f"known here: {', '.join(choices)}"
