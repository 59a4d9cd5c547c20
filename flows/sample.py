"""The committed sample study, copied to where somebody can work with it."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from agreement.errors import ConfigError
from flows.shipped import shipped

SAMPLE = shipped("data", "sample")
MINUTE = "minute"  # the column of the committed files: minutes after the round was opened


def copy_sample(folder: Path, opened: Mapping[str, datetime]) -> None:
    """Copy studies, guidelines and rounds into `folder`, with the labels' times relative to when their round opens.

    opened: when each round is opened, by the name of its folder. ConfigError where the sample is not installed.
    """
    if not SAMPLE.is_dir():
        raise ConfigError(
            "the sample study is not here",
            next_step="Install goldgate again, or run `make demo` in a checkout.",
            code="no-sample",
        )
    for source in sorted(SAMPLE.iterdir()):
        if source.is_dir() and source.name in opened:
            _copy_round(source, folder / source.name, opened[source.name])
        elif source.suffix in (".yaml", ".md"):
            shutil.copyfile(source, folder / source.name)


def _copy_round(source: Path, target: Path, opened: datetime) -> None:
    target.mkdir()
    for file in sorted(source.iterdir()):
        _copy_file(file, target / file.name, opened)


def _copy_file(source: Path, target: Path, opened: datetime) -> None:
    """A file as it is, or with its minutes turned into times."""
    with source.open(encoding="utf-8", newline="") as read:
        header, *rows = csv.reader(read) if source.suffix == ".csv" else [[]]
    if MINUTE not in header:
        shutil.copyfile(source, target)
        return
    place = header.index(MINUTE)
    header[place] = "labelled_at"
    for row in rows:
        row[place] = _time(opened, int(row[place]))
    with target.open("w", encoding="utf-8", newline="") as write:
        csv.writer(write, lineterminator="\n").writerows([header, *rows])


def _time(opened: datetime, minutes: int) -> str:
    return (opened + timedelta(minutes=minutes)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
