"""The flat formats that come with goldgate: maps in configs/formats/."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from flows.formats.flat import fits
from flows.formats.sniff import Sniff
from flows.shipped import shipped
from schemas.format_map import FormatMap, parse_format_map

FOLDER = shipped("configs", "formats")


@cache
def presets(folder: Path = FOLDER) -> dict[str, FormatMap]:
    """All maps of the folder by the name of their format. ConfigError if one is wrong."""
    maps = (parse_format_map(path.read_bytes(), path.name) for path in sorted(folder.glob("*.yaml")))
    return {how.format: how for how in maps}


def fitting(look: Sniff, maps: dict[str, FormatMap]) -> list[FormatMap]:
    """The maps whose telling columns the file has, all of them."""
    return [how for how in maps.values() if fits(how, look)]
