"""Whose file is it, where the rows do not say."""

from __future__ import annotations

from pathlib import PurePosixPath

from flows.formats.reading import ReadOptions


def one_person(file: str, options: ReadOptions) -> str:
    """The person who made the whole file: the declared constant, else the file's name (with or without its ending)
    where the person map knows it; '' otherwise."""
    if "annotator_id" in options.constants:
        return options.constants["annotator_id"]
    path = PurePosixPath(file)
    return next((name for name in (file, path.name, path.stem) if name in options.annotators), "")
