"""What editors and readers need to know about study and round files, made from the models themselves.

`python -m schemas.json_schema` writes configs/study.schema.json, configs/round.schema.json and the tables of
configs/README.md. A test holds them equal to what is made here.
"""

from __future__ import annotations

import json
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from agreement.rules import STATISTICS
from schemas.forms import Part
from schemas.round_file import RoundFile
from schemas.study import Study
from schemas.typed_walk import Form, Whole, known_keys

FILES: dict[str, type[Part]] = {"study.schema.json": Study, "round.schema.json": RoundFile}


def schema_text(model: type[Part]) -> str:
    """The JSON Schema (draft 2020-12) of a file, as an editor's YAML support reads it."""
    schema = model.model_json_schema(by_alias=True)
    rules = schema.get("$defs", {}).get("RuleEntry")
    if rules is not None:
        rules["properties"]["statistic"]["enum"] = list(STATISTICS)
    whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", **_tidy(schema)}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _tidy(node: Any, names: bool = False) -> Any:
    """The schema without the titles pydantic makes up, and without null: a key that says nothing is left out.

    names: whether the keys of this mapping are names in the file, not words of JSON Schema.
    """
    if isinstance(node, list):
        return [_tidy(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {k: v for k, v in node.items() if names or not (k == "title" or (k == "default" and v is None))}
    tidy = {key: _tidy(value, names=key in ("properties", "$defs")) for key, value in kept.items()}
    options = [option for option in tidy.pop("anyOf", []) if option != {"type": "null"}]
    return {**tidy, **options[0]} if len(options) == 1 else {**tidy, "anyOf": options} if options else tidy


def key_table(model: type[Part]) -> str:
    """A Markdown table of every key, nested ones with their path."""
    lines = ["| key | value | default | meaning |", "|---|---|---|---|"]
    for path, kind, info in _keys(model, ""):
        cells = (f"`{path}`", _kind_text(kind), _default_text(kind, info), info.description or "")
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines)


def known_key_paths(model: type[Part]) -> tuple[str, ...]:
    """Every key a file may have, such as `gate.rules[].at_least`."""
    return tuple(path for path, _, _ in _keys(model, ""))


def readme_with_tables(text: str) -> str:
    """The README's text with the tables between its markers made anew."""
    for name, model in (("study", Study), ("round", RoundFile)):
        begin, end = f"<!-- {name} keys: begin -->", f"<!-- {name} keys: end -->"
        before, rest = text.split(begin)
        text = f"{before}{begin}\n{key_table(model)}\n{end}{rest.split(end)[1]}"
    return text


def _keys(model: type[BaseModel], path: str) -> Iterator[tuple[str, Any, FieldInfo]]:
    hints = get_type_hints(model, include_extras=True)
    for key, (name, info) in known_keys(model).items():
        here = f"{path}{key}"
        yield here, hints[name], info
        inner, step = _inner_model(hints[name])
        if inner is not None:
            yield from _keys(inner, f"{here}{step}.")


def _inner_model(kind: Any) -> tuple[type[BaseModel] | None, str]:
    """The model inside a kind, and the step that leads to it: `[]` through a list."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind, ""
    if get_origin(kind) is tuple:
        return _inner_model(get_args(kind)[0])[0], "[]"
    if get_origin(kind) in (Union, types.UnionType):
        found = (_inner_model(option) for option in get_args(kind))
        return next((pair for pair in found if pair[0] is not None), (None, ""))
    return None, ""


def _kind_text(kind: Any) -> str:
    origin, args = get_origin(kind), get_args(kind)
    if origin is Annotated:
        form = next((mark for mark in args[1:] if isinstance(mark, Form | Whole)), None)
        if isinstance(form, Whole):
            return f"whole number, {form.least} to {form.most}"
        return "quoted text" if form is not None and form.must_be_quoted else "text"
    if origin in (Union, types.UnionType):
        return " or ".join(_kind_text(option) for option in args if option is not types.NoneType)
    if origin is Literal:
        return ", ".join(f"`{value}`" for value in args)
    if origin is tuple:
        return "list of lists" if get_origin(args[0]) is tuple else f"list of {_kind_text(args[0])}"
    if origin is dict:
        return "mapping"
    return "`true` or `false`" if kind is bool else "mapping"


def _default_text(kind: Any, info: FieldInfo) -> str:
    if info.is_required():
        return "**required**"
    default = info.get_default(call_default_factory=True, validated_data={})
    if default is None or default == () or default == {} or isinstance(default, BaseModel):
        return ""
    quoted = isinstance(default, bool) or _kind_text(kind) == "quoted text"
    return f"`{json.dumps(default)}`" if quoted else f"`{default}`"


def main(configs: Path = Path("configs")) -> None:
    for name, model in FILES.items():
        (configs / name).write_text(schema_text(model), encoding="utf-8")
    readme = configs / "README.md"
    readme.write_text(readme_with_tables(readme.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
