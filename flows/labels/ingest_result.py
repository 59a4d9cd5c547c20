"""What an ingest brought: counts of rows, and what is worth knowing about each file."""

from __future__ import annotations

from dataclasses import dataclass, field

from flows.storage.ledger import Event


@dataclass(frozen=True)
class FileResult:
    """What one file brought. Counts are rows. event: None if nothing of it was new. loss: what the export it is
    cannot express, as sentences.

    already_done: the same bytes came in before, or every row had.
    """

    file: str
    already_done: bool
    n_rows: int
    n_new: int = 0
    n_already_there: int = 0
    n_revised: int = 0
    n_set_aside: int = 0
    n_extra: int = 0
    notes: tuple[str, ...] = ()
    loss: tuple[str, ...] = ()
    event: Event | None = None


@dataclass(frozen=True)
class IngestResult:
    """What a batch of files brought; `already_done` if no file brought anything new."""

    files: tuple[FileResult, ...]
    already_done: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "already_done", all(f.already_done for f in self.files))

    @property
    def n_new(self) -> int:
        return sum(f.n_new for f in self.files)

    @property
    def n_already_there(self) -> int:
        return sum(f.n_already_there for f in self.files)

    @property
    def n_revised(self) -> int:
        return sum(f.n_revised for f in self.files)

    @property
    def n_set_aside(self) -> int:
        return sum(f.n_set_aside for f in self.files)

    @property
    def n_extra(self) -> int:
        return sum(f.n_extra for f in self.files)

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(f"{f.file}: {note}" for f in self.files for note in f.notes)

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple(f.event for f in self.files if f.event is not None)

    @property
    def event(self) -> Event | None:
        return self.events[-1] if self.events else None
