"""Which format are these files in? Told by their content, never by their names.

A new nested format is one module with a FORMAT and one line here; a new flat one is a YAML map (flat.py).
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from flows.formats import (
    argilla,
    doccano,
    flat,
    ground_truth,
    hugging_face,
    inception,
    label_studio,
    label_studio_min,
    labelbox,
    potato,
    prodigy,
)
from flows.formats.archive import unpacked
from flows.formats.presets import fitting, presets
from flows.formats.reading import Format, Reading, ReadOptions
from flows.formats.sniff import Files, sniff
from flows.reading.findings import refuse
from schemas.format_map import FormatMap

FORMATS: tuple[Format, ...] = (
    label_studio.FORMAT,
    label_studio_min.FORMAT,
    prodigy.FORMAT,
    argilla.FORMAT,
    doccano.FORMAT,
    labelbox.FORMAT,
    ground_truth.FORMAT,
    potato.FORMAT,
    hugging_face.FORMAT,
    inception.FORMAT,
)


# What reading JSON of a shape nobody foresaw raises: somebody else's file, so said in words and not as a traceback.
_OTHER_SHAPE = (AttributeError, TypeError, LookupError, ValueError, ArithmeticError)


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Reading makes very many small containers and no cycles; the collector would walk them over and over."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def recognise(files: Files) -> Format | FormatMap | None:
    """The format these files are in; None if they look like a plain table.

    InputRefused if several formats would claim them.
    """
    look = sniff(files)
    found: list[Format | FormatMap] = [format_ for format_ in FORMATS if format_.recognises(look)]
    if not found and (look.header or look.records):
        found += fitting(look, presets())
    if len(found) > 1:
        names = ", ".join(map(name_of, found))
        raise refuse("ambiguous-format", f"could be any of {names}", file=next(iter(files)))
    return found[0] if found else None


def named(name: str) -> Format | FormatMap:
    """The format of that name (`--format`). InputRefused naming those there are."""
    maps = presets()
    known: list[Format | FormatMap] = [*FORMATS, *maps.values()]
    for found in known:
        if name_of(found) == name:
            return found
    names = ", ".join(map(name_of, known))
    raise refuse("unknown-format", f"'{name}' is not one of: {names}")


def name_of(found: Format | FormatMap) -> str:
    return found.name if isinstance(found, Format) else found.format


def read_export(files: Files, options: ReadOptions, name: str | None = None) -> Reading | None:
    """Read the files of a format that is named, recognised or described by `options.format_map`.

    None if they are a plain table of our own columns, which needs no reader here. Archives are unpacked first.
    Raises InputRefused with every problem found.
    """
    files = unpacked(files)
    found = options.format_map or (named(name) if name is not None else recognise(files))
    if found is None:
        return None
    try:
        with _collector_at_rest():
            if isinstance(found, FormatMap):
                return flat.read(files, replace(options, format_map=found))
            return found.read(files, options)
    except _OTHER_SHAPE as error:
        message = f"is not built like {name_of(found)} ({type(error).__name__}: {error})"
        raise refuse("unknown-format", message, file=next(iter(files))) from error
