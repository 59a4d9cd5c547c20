"""A project folder, and the one way to change it.

objects/ and ledger.jsonl carry everything; goldgate.duckdb is replayed from them. A change is made under the project's
lock: objects first, then one ledger line (that is the commit), then the database.
"""

from __future__ import annotations

import getpass
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from filelock import BaseFileLock, FileLock, Timeout

from agreement.errors import Busy, ConfigError, IntegrityError
from flows import redaction
from flows.storage import catalogue, ledger, replay, store
from flows.storage.disk import disk_errors, recorded_before
from flows.storage.follows import followed, require_following
from flows.storage.ledger import Event
from flows.storage.network import require_local_disk
from flows.storage.notes import QUIET_S, note
from flows.storage.objects import Objects
from flows.storage.state import State, advance
from schemas.events import LINE
from schemas.names import shown

Clock = Callable[[], datetime]


def now() -> datetime:
    return datetime.now(UTC)


def new_project_id() -> str:
    return secrets.token_hex(8)


def actor_name() -> str:
    return os.environ.get("GOLDGATE_ACTOR") or getpass.getuser()


@dataclass(frozen=True)
class Project:
    """A project folder. Reading needs no lock: state, reports and releases come from ledger and objects.

    root: the folder; made by the first change.
    clock, actor, new_id: who and when, as arguments so that tests can fix them.
    """

    root: Path
    clock: Clock = now
    actor: Callable[[], str] = actor_name
    new_id: Callable[[], str] = new_project_id
    wait_s: float = 30.0

    @property
    def objects(self) -> Objects:
        return Objects(self.root / "objects")

    @property
    def ledger_path(self) -> Path:
        return self.root / "ledger.jsonl"

    @property
    def database_path(self) -> Path:
        return self.root / "goldgate.duckdb"

    @property
    def reports(self) -> Path:
        return self.root / "reports"

    @property
    def releases(self) -> Path:
        return self.root / "releases"

    def tool(self) -> str:
        """What writes the ledger, with its version."""
        return f"goldgate {version('goldgate')}"

    def events(self) -> list[Event]:
        """The ledger's events, checked. Empty for a project that has none yet.

        IntegrityError also where the database knows events that the ledger has lost.
        """
        applied = _known_head(self)  # before the ledger, which may grow meanwhile: it is always ahead
        with disk_errors(self.root):
            events = self.read_ledger()
        if applied is not None:
            _require_same_past(applied, events)
        return events

    def read_ledger(self) -> list[Event]:
        """The ledger alone. IntegrityError where it holds nothing and the rest of a project is there.

        Its first event is written before anything else, so nothing but a loss leaves a folder like that.
        """
        events = ledger.read_project(self.ledger_path)
        left = [] if events else self._without_ledger()
        if left:
            what = "holds no event" if self.ledger_path.exists() else "is missing"
            raise IntegrityError(
                f"ledger.jsonl {what}, but the rest of a project is there: {', '.join(left)}",
                next_step="Bring ledger.jsonl back from a copy: it is the project's truth, and nothing can be made "
                "again without it. A new project needs a new folder. Nothing was changed.",
                code="ledger-missing",
            )
        return events

    def _without_ledger(self) -> list[str]:
        """What is there of a project besides its ledger."""
        folders = [path for path in (self.objects.folder, self.reports, self.releases) if path.is_dir()]
        left = [path.name for path in folders if next(path.glob("*"), None) is not None]
        known = _known_head(self)  # a database without events is what a first command leaves that is stopped early
        return [*left, self.database_path.name] if known is not None and known.size else left

    def events_until(self, as_of: int | None) -> list[Event]:
        """The same up to event `as_of`, or all. ConfigError if the ledger has no such event."""
        events = self.events()
        if as_of is not None and not 1 <= as_of <= len(events):
            raise ConfigError(
                f"--as-of {as_of}: the ledger has events 1 to {len(events)}",
                code="no-such-event",
                next_step="Name one of these.",
            )
        return events[:as_of]

    def state(self, as_of: int | None = None) -> State:
        """What has happened, up to event `as_of` if given. ConfigError if the ledger has no such event."""
        return followed(self.events_until(as_of))

    @contextmanager
    def reading(self) -> Iterator[store.Connection]:
        """A read-only connection to the database, brought up to date with the ledger first if it is behind."""
        with ExitStack() as opened:
            con = opened.enter_context(self._opened()) if self.database_path.exists() else None
            if con is None or not _is_up_to_date(con, ledger.read_project(self.ledger_path)):
                opened.close()  # one process writes, and nobody reads meanwhile
                with self.changing():
                    pass
                con = opened.enter_context(self._opened())
            yield con

    @contextmanager
    def _opened(self, kinds: tuple[str, ...] = tuple(catalogue.KINDS)) -> Iterator[store.Connection]:
        with store.open_store(self.database_path, self.objects.folder, wait_s=self.wait_s) as con:
            catalogue.require_own(con, self.database_path.name, kinds)
            yield con

    @contextmanager
    def _held(self) -> Iterator[None]:
        require_local_disk(self.root)
        self.root.mkdir(parents=True, exist_ok=True)
        self.objects.folder.mkdir(exist_ok=True)
        with self.locked():
            yield

    @contextmanager
    def locked(self) -> Iterator[None]:
        """The project's one lock. Busy, naming the holder, after `wait_s` seconds. It dies with its process."""
        lock = FileLock(self.root / ".lock", fallback_to_soft=False)  # a soft lock would outlive its process
        self._take(lock)
        try:
            self._holder.write_text(str(os.getpid()), encoding="ascii")
            yield
        finally:
            lock.release()

    @property
    def _holder(self) -> Path:
        return self.root / ".lock.pid"

    def _take(self, lock: BaseFileLock) -> None:
        """Silently at first; whoever waits longer is told for whom."""
        try:
            lock.acquire(timeout=min(self.wait_s, QUIET_S))
        except Timeout:
            who = self._holder.read_text(encoding="ascii") if self._holder.exists() else "unknown"
            held = f"the project is held by another command (process {who})"
            try:
                if self.wait_s > QUIET_S:
                    note(f"{held}; waiting up to {self.wait_s:g} s for it to end.")
                lock.acquire(timeout=max(self.wait_s - QUIET_S, 0))
            except Timeout:
                raise Busy(
                    held, next_step="Wait for it to end, then run this command again.", code="project-busy"
                ) from None

    @contextmanager
    def changing(self) -> Iterator[Change]:
        """The project held for one change: lock taken, what a killed command left repaired, database up to date."""
        with disk_errors(self.root), self._held():
            _repair_ledger(self)
            events = self.read_ledger()
            state = followed(events)  # before anything is done in the name of one of them
            removed = redaction.last_redaction(events)
            if removed:  # nothing is removed in the name of a ledger that is not this database's; else `catch_up` looks
                events = self.events()
                redaction.enforce(self.root, self.objects, events)
            with _open_for_writing(self, removed) as con:
                change = Change(self, con, state)
                catch_up(con, events, self.objects)
                if not events:
                    change.commit(ledger.BEGINNING, {"project_id": self.new_id(), "format": ledger.PROJECT_FORMAT})
                with recorded_before(self.root, change.recorded):
                    yield change


@dataclass
class Change:
    """One change in the making. Everything it writes goes through `commit`."""

    project: Project
    con: store.Connection
    state: State
    pid: int = field(default_factory=os.getpid)
    recorded: list[Event] = field(default_factory=list)  # whose ledger lines are durable

    @property
    def objects(self) -> Objects:
        return self.project.objects

    def append(self, type: str, payload: dict[str, Any]) -> Event:
        """Write the ledger line alone, for what the database cannot follow: the next command makes it anew."""
        event = self._next(type, payload)
        self._record(event)
        advance(self.state, event)
        return event

    def commit(self, type: str, payload: dict[str, Any]) -> Event:
        """Make one event true: ledger line, then database. The objects it names must be stored already.

        The event is tried on the database inside a transaction first, so that no line is ever written that cannot be
        replayed; the transaction ends after the line is durable. Killed in between, the database is behind and
        catches up on the next command.
        """
        event = self._next(type, payload)
        with store.tx(self.con):
            replay.apply(self.con, event, self.objects)
            self._record(event)
        advance(self.state, event)
        return event

    def _record(self, event: Event) -> None:
        ledger.append(self.project.ledger_path, event)
        self.recorded.append(event)

    def _next(self, type: str, payload: dict[str, Any]) -> Event:
        if os.getpid() != self.pid:  # a bug of ours: a connection that went through a fork loses what it writes
            raise RuntimeError("a change is finished by the process that began it")
        ts = self.project.clock().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        if ts < self.state.last_ts:
            note(f"clock-regression: it is {ts}, and the last event is of {self.state.last_ts}. The order stays.")
        event = ledger.next_event(
            self.state.head,
            ts=ts,
            actor=_require_line(self.project.actor()),
            tool=self.project.tool(),
            type=type,
            payload=payload,
        )
        try:
            ledger.require_shape(event)
            require_following(self.state, event)
        except IntegrityError as error:  # a bug of ours: nothing is written that no reader would take
            raise RuntimeError(f"not written: {error.headline}") from error
        return event


def _require_line(actor: str) -> str:
    if LINE.pattern.fullmatch(actor) is None:
        raise ConfigError(
            f"whoever acts has no name of one line: {shown(actor)}",
            next_step="Set GOLDGATE_ACTOR to a name of one line, without control characters.",
            code="bad-actor",
        )
    return actor


def catch_up(con: store.Connection, events: list[Event], objects: Objects) -> None:
    """Apply what the database has not seen. IntegrityError if it is ahead of the ledger or follows another one."""
    applied = replay.head(con)
    _require_same_past(applied, events)
    for event in events[applied.size :]:
        with store.tx(con):
            replay.apply(con, event, objects)


def _is_up_to_date(con: store.Connection, events: list[Event]) -> bool:
    """IntegrityError if the database is ahead of these events or follows another ledger."""
    if not replay.has_tables(con):
        return False
    applied = replay.head(con)
    _require_same_past(applied, events)
    return applied == ledger.head_of(events)


def _require_same_past(applied: ledger.Head, events: list[Event]) -> None:
    if applied.size > len(events):
        raise _diverged(f"the database has {applied.size} events, the ledger {len(events)}")
    if applied.size and events[applied.size - 1].hash != applied.hash:
        raise _diverged(f"event {applied.size} of the database is not event {applied.size} of the ledger")


def _known_head(project: Project) -> ledger.Head | None:
    """How far the database has come, if it can be read just now; a busy or broken one keeps nobody from the ledger."""
    from dataclasses import replace

    try:
        return _applied_head(replace(project, wait_s=0))
    except (Busy, IntegrityError, store.StoreError):
        return None


def _diverged(why: str) -> IntegrityError:
    return IntegrityError(
        f"database and ledger do not belong together: {why}",
        next_step="Bring the ledger back from a copy: no command makes it shorter or another. Only if it is the right "
        "one (its head is one you kept), run `goldgate rebuild`.",
        code="database-foreign",
    )


@contextmanager
def _open_for_writing(project: Project, not_before: int = 0) -> Iterator[store.Connection]:
    """not_before: a database that has not come so far still holds removed rows, and is made anew."""
    applied = _applied_head(project) if not_before else None
    if applied is not None and applied.size < not_before:
        redaction.drop_database(project.database_path)
    if not project.database_path.exists():
        store.new_store(project.database_path, project.objects.folder)
    with store.open_store(project.database_path, project.objects.folder, write=True, wait_s=project.wait_s) as con:
        catalogue.require_own(con, project.database_path.name)
        if not replay.has_tables(con):
            store.create_tables(con)
        yield con


def _applied_head(project: Project) -> ledger.Head | None:
    """How far the database has come; None where there is none."""
    if not project.database_path.exists():
        return None
    with project._opened(catalogue.WITHOUT_FUNCTIONS) as con:
        return replay.head(con) if replay.has_tables(con) else None


def _repair_ledger(project: Project) -> None:
    """Finish what a killed command left, before anything else is done."""
    project.objects.sweep()
    if ledger.torn_bytes(project.ledger_path):
        # A line whose event is in the database was acknowledged: it lost its end later, and is not ours to cut.
        _require_same_past(_applied_head(project) or ledger.head_of([]), ledger.read(project.ledger_path))
        ledger.cut_torn_line(project.ledger_path)
        note("the ledger ended in half a line, which was cut: a command was stopped while writing it.")
