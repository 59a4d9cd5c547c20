"""What every reader takes and gives: options, canonical rows in columns, and what the format cannot say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flows.formats.sniff import Files, Sniff
from schemas.format_map import FormatMap

# What an export can express, and the sentence for one that cannot. The order is that of the documentation.
ABILITIES = {
    "content": ("item content", "no item content: another version of an item cannot be noticed"),
    "annotator": ("who answered", "no annotator: only files of one named person can be read"),
    "skipped": ("skipped", "no skips: a skipped item looks like one never answered"),
    "draft": ("draft", "no drafts: unsent work looks like no answer"),
    "empty": ("submitted empty", "no empty answers: 'nothing chosen' looks like no answer"),
    "abstained": ("abstained, with a reason", "no abstention of its own: only a label that means it"),
    "never_shown": ("never shown", "no list of what was shown: missing answers have no reason"),
    "time": ("time, with zone", "no times: when a label was made is unknown"),
    "copied": ("copied or prefilled", "copied and prefilled answers cannot be told from own ones"),
    "reviewed": ("changed by a reviewer", "answers changed by a reviewer cannot be told from the annotator's own"),
    "gold": ("gold or control item", "no gold flag: control answers cannot be told from blind labels"),
}


@dataclass(frozen=True)
class ReadOptions:
    """What the person or the round file says about the files.

    question: the question to read where a file holds several. item_key: the key or column of the user's own item id
    (a dotted path into nested data; 'content-hash' for a hash of the content). content: the keys that were in front
    of the annotator, for the item version. columns: canonical field to column, for flat files. constants: canonical
    field to value for files without it (annotator_id: one person made the whole file). annotators: the person map, from
    names as in the files to ids; a file's name among them names its person. categories: the declared labels.
    abstentions: a spelling that means "cannot judge", to its reason. empty_means: the label that an answer sent
    without a choice stands for; without it such an answer stays `submitted_empty`. project: where a file holds
    several. looking: nothing is stored (`agreement FILE`), so items without a key are told apart by content, and times
    are left as they are written. format_map: for flat files.
    """

    question: str | None = None
    item_key: str | None = None
    content: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    annotators: Mapping[str, str] = field(default_factory=dict)
    categories: Collection[str] = ()
    abstentions: Mapping[str, str] = field(default_factory=dict)
    empty_means: str | None = None
    project: str | None = None
    looking: bool = False
    format_map: FormatMap | None = None


@dataclass
class Rows:
    """Canonical rows as columns of equal length.

    line: physical line, 0 where the place is a path into a JSON document. path: that path, or ''.
    """

    item_id: list[str] = field(default_factory=list)
    item_version: list[str] = field(default_factory=list)
    annotator_id: list[str] = field(default_factory=list)
    annotator_kind: list[str] = field(default_factory=list)
    status: list[str] = field(default_factory=list)
    label: list[str] = field(default_factory=list)
    abstain_reason: list[str] = field(default_factory=list)
    labelled_at: list[str] = field(default_factory=list)
    origin: list[str] = field(default_factory=list)
    file: list[str] = field(default_factory=list)
    line: list[int] = field(default_factory=list)
    path: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.item_id)

    def add(
        self,
        item_id: str,
        item_version: str,
        annotator_id: str,
        status: str,
        label: str,
        labelled_at: str,
        origin: str,
        file: str,
        line: int = 0,
        path: str = "",
        abstain_reason: str = "",
        annotator_kind: str = "human",
    ) -> None:
        self.item_id.append(item_id)
        self.item_version.append(item_version)
        self.annotator_id.append(annotator_id)
        self.annotator_kind.append(annotator_kind)
        self.status.append(status)
        self.label.append(label)
        self.abstain_reason.append(abstain_reason)
        self.labelled_at.append(labelled_at)
        self.origin.append(origin)
        self.file.append(file)
        self.line.append(line)
        self.path.append(path)

    def add_own(self, placed: Sequence[tuple[str, str, str, str, str, str, int, str]]) -> None:
        """People's own answers without times, many at once: item_id, item_version, annotator_id, status, label, file,
        line, path."""
        if not placed:
            return
        names = ("item_id", "item_version", "annotator_id", "status", "label", "file", "line", "path")
        for name, column in zip(names, zip(*placed, strict=True), strict=True):
            getattr(self, name).extend(column)
        for name, value in (
            ("abstain_reason", ""),
            ("labelled_at", ""),
            ("origin", "own"),
            ("annotator_kind", "human"),
        ):
            getattr(self, name).extend([value] * len(placed))

    def canonical(self, *fields: str) -> list[tuple[Any, ...]]:
        """Rows as tuples of the named columns, sorted: for comparing two readings."""
        return sorted(zip(*(getattr(self, name) for name in fields), strict=True))


@dataclass(frozen=True)
class Reading:
    """What a set of files says.

    rows: every answer, own or not; only origin 'own' may enter agreement. apart: rows that are not blind labels of
    the round at all (work that was rejected, training), by reason; counted, never stored as labels. loss: what this
    format, or this file, cannot express, as sentences. notes: what was seen and decided. questions: all found.
    """

    format: str
    rows: Rows
    loss: tuple[str, ...]
    notes: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    question: str | None = None
    apart: Mapping[str, Rows] = field(default_factory=dict)


@dataclass(frozen=True)
class Format:
    """One format: its name, what it can express, how its files look, and the function that reads them."""

    name: str
    title: str
    can: frozenset[str]
    recognises: Callable[[Sniff], bool]
    read: Callable[[Files, ReadOptions], Reading]
    also: tuple[str, ...] = ()  # further sentences on what it cannot say


def loss_of(can: Collection[str], also: Iterable[str] = ()) -> tuple[str, ...]:
    """The declared loss of something that can express these abilities and no others."""
    return (*(sentence for name, (_, sentence) in ABILITIES.items() if name not in can), *also)
