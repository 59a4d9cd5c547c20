"""What can be proved about a project, to whom, and what cannot.

V0 the ledger is consistent in itself · V1 the events up to a head somebody kept are those · V2 rows, files and releases
are those the ledger names · V3 the order was kept, thresholds are those registered, verdicts follow from what was found
· V4 replaying, measuring and releasing everything again gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from agreement.errors import Busy, ConfigError, GoldgateError, IntegrityError, OutOfOrder, Problem
from flows.audit.rebuild import replayed_digests
from flows.audit.registration_check import registrations_as_frozen
from flows.audit.replay_check import Replayed, replay_and_compare
from flows.audit.verdict_check import unjudged, verdicts_follow
from flows.audit.verified import AGAIN, Tally, Verified, concluded
from flows.audit.verify_published import check_published, left_behind
from flows.redaction import last_redaction, redacted_objects
from flows.releases.registered_rules import rules_as_registered
from flows.storage import catalogue, ledger, replay, store
from flows.storage.digests import table_digests
from flows.storage.follows import followed
from flows.storage.ledger import Event, Head, head_of
from flows.storage.order import check_event
from flows.storage.project import Project
from flows.storage.state import State, advance

# Payload keys whose value is the digest of an object.
OBJECT_KEYS = (
    "study_file",
    "guideline",
    "frame",
    "assignments",
    "round_file",
    "raw",
    "canonical",
    "map",
    "measurement",
    "items",
)


def verify(project: Project, heads: Sequence[str] = (), *, full: bool = False) -> Verified:
    """Check ledger, objects, database, reports and releases against each other, and the ledger against kept heads.

    heads: `HASH@N` as printed earlier. full: measure every round and make every release again too (level V4). Reads
    only. ConfigError for a head that is not written so.
    """
    kept = [_parse_head(text) for text in heads]
    tally = Tally()
    problems: list[Problem] = []
    events: list[Event] = []
    try:
        events = project.read_ledger()
        problems += _heads(events, kept)
        state = followed(events)
    except IntegrityError as error:
        broken = Problem("ledger-broken", error.headline, error.next_step)
        if error.code == "ledger-missing":
            broken = Problem("ledger-missing", error.headline, error.next_step)
        return concluded([*problems, broken], tally, head_of(events), kept)
    tally.count("events", len(events))
    tally.count("heads", len(kept), len(problems))
    remade, judged, notes = False, True, list[str]()
    try:
        order = list(_order(events))
        problems += order
        damaged, foreign = _files(project, state, events, tally), list(_database_head(project, events))
        problems += [*foreign, *damaged]  # where the database is ahead, the ledger's loss explains the rest
        if not damaged:
            problems += registrations_as_frozen(project.objects, events)
            problems += rules_as_registered(project, state)
            problems += [] if order else verdicts_follow(project, events, tally)
            full = full and not problems
            again = _again(project, events, tally, full=full)
            problems += again.problems
            problems += [] if foreign else _tables(project, events, again.tables, tally)
            remade, judged = full and not again.skipped, not unjudged(events, again.uncounted)
            notes = again.notes
    except GoldgateError as error:  # anything else is a bug, and no word on the project
        too_little_memory = isinstance(error.__cause__, store.StoreError) and not isinstance(error, IntegrityError)
        if isinstance(error, Busy) or too_little_memory:
            raise  # says nothing about the project
        # Every hash fits, so whoever wrote this made them all anew: an event names what cannot be what it says.
        why = f"what an event names cannot be read as that: {error.headline}"
        problems.append(Problem("event-malformed", why, error.next_step or "Compare the ledger with a backup."))
    notes = [*_notes(project, events), *notes]
    return concluded(problems, tally, state.head, kept, notes=notes, remade=remade, judged=judged)


def _files(project: Project, state: State, events: list[Event], tally: Tally) -> list[Problem]:
    """What is gone, changed or added of objects, reports and releases; what is gone comes last."""
    gone = redacted_objects(events)
    if gone:
        tally.count("redacted", len(gone))
    found = [*_objects(project, events, gone, tally), *_stubs(project, gone)]
    found += check_published(project, state, tally)
    return sorted(found, key=lambda problem: problem.code == "object-missing")


def _again(project: Project, events: list[Event], tally: Tally, *, full: bool) -> Replayed:
    """The history carried out anew, for a project whose files are all there."""
    again = replay_and_compare(project, events, remeasure=full)
    for kind in ("counts", "release labels"):
        tally.count(kind, again.made[kind])
    if full:
        for kind, made in AGAIN.items():
            tally.count(kind, again.made[made])
        tally.count("not made again", again.skipped)
    return again


def _notes(project: Project, events: list[Event]) -> Iterator[str]:
    if ledger.torn_bytes(project.ledger_path):
        yield "the ledger ends in half a line: a command was stopped while writing it. The next change cuts it."
    yield from left_behind(project)
    back = [str(later.seq) for earlier, later in pairwise(events) if later.ts < earlier.ts]
    if back:
        yield f"clock-regression: dated before the event before them: {', '.join(back)}. The order is the ledger's."


def _heads(events: list[Event], kept: list[Head]) -> Iterator[Problem]:
    for head in kept:
        if head.size > len(events):
            message = f"the ledger ends at event {len(events)}; a head of {head.size} events was kept"
            yield Problem("ledger-cut", message, "Restore the whole ledger from a backup.", value=str(head))
        elif events[head.size - 1].hash != head.hash:
            message = f"event {head.size} is not the one that was kept"
            yield Problem(
                "ledger-rewritten", message, "Compare with a backup: this ledger is another one.", value=str(head)
            )


def _order(events: list[Event]) -> Iterator[Problem]:
    """Every event may stand where it stands, by the same table the commands use."""
    state = State()
    for event in events:
        try:
            check_event(state, event)
        except (OutOfOrder, ConfigError) as error:
            yield Problem(
                "order-broken",
                f"event {event.seq} ({event.type}): {error.headline}",
                "Compare with a backup and with a head you kept: no command writes this.",
            )
        advance(state, event)


def _objects(
    project: Project, events: list[Event], gone: dict[str, tuple[int, str]], tally: Tally
) -> Iterator[Problem]:
    for digest, event in _named_objects(events).items():
        if digest not in gone:
            problem = _object(project, digest, f"event {event.seq} ({event.type})")
            tally.count("objects", 1, problem is not None)
            if problem is not None:
                yield problem


def _object(project: Project, digest: str, named_by: str) -> Problem | None:
    try:
        project.objects.read(digest)
    except (IntegrityError, ConfigError) as error:
        code = "object-missing" if not project.objects.has(digest) else "object-changed"
        return Problem(code, f"{named_by}: {error.headline}", error.next_step)
    except OSError as error:
        why = f"{named_by}: object {digest[:12]} cannot be read: {error.strerror}"
        return Problem("object-unreadable", why, "Ask for the right to read it.")
    return None


def _stubs(project: Project, gone: dict[str, tuple[int, str]]) -> Iterator[Problem]:
    """Of what was removed, the bytes are gone and the stub says so."""
    for digest, (size, replaced_by) in gone.items():
        if project.objects.has(digest):
            fix = "Run any command that changes the project: it finishes the removal."
            yield Problem("redaction-unfinished", f"object {digest[:12]} was removed, and is there", fix)
        elif project.objects.stub(digest) != {"digest": digest, "size": size, "replaced_by": replaced_by}:
            yield Problem(
                "stub-changed", f"the stub of object {digest[:12]} is not what was written", "Restore it from a backup."
            )
    for path in sorted(project.objects.folder.glob("*.redacted")):
        if path.stem not in gone:
            yield Problem(
                "stub-extra",
                f"{path.name} is there, and the ledger removed no such object",
                "Move it elsewhere, and find out who put it there.",
            )


def _named_objects(events: list[Event]) -> dict[str, Event]:
    named: dict[str, Event] = {}
    for event in events:
        lists = [digest for _, digest in event.payload.get("training_lists", ())]
        for digest in (*(event.payload.get(key) for key in OBJECT_KEYS), *lists):
            if isinstance(digest, str) and digest:
                named.setdefault(digest, event)
    return named


def _database_head(project: Project, events: list[Event]) -> Iterator[Problem]:
    """The database can be read, and follows this ledger."""
    if not project.database_path.exists():
        return
    try:
        applied, _ = _stored(project, digests=False)
    except Busy:
        raise
    except (GoldgateError, store.StoreError) as error:
        if isinstance(error, GoldgateError) and error.problems:
            yield from error.problems  # what of it is strange
            return
        why = error.headline if isinstance(error, GoldgateError) else store.first_line(error)
        fix = "Keep the file for inspection and run `goldgate rebuild`: objects and ledger hold everything."
        yield Problem("database-broken", why, fix, file=project.database_path.name)
        return
    if applied.size > len(events):
        events = ledger.read_project(project.ledger_path)  # another command may have gone on since
    if applied.size > len(events):
        message = f"the database has {applied.size} events, the ledger {len(events)}"
        fix = "Bring the ledger back from a copy. Only if it is whole (by a head you kept), run `goldgate rebuild`."
        yield Problem("database-ahead", message, fix)
    elif applied.size and events[applied.size - 1].hash != applied.hash:
        yield Problem("database-foreign", "the database follows another ledger", "Run `goldgate rebuild`.")
    elif applied.size < last_redaction(events):
        fix = "Run any command that changes the project: it makes the database anew."
        yield Problem("redaction-unfinished", "the database may still hold removed rows", fix)


def _tables(project: Project, events: list[Event], replayed: dict[str, str], tally: Tally) -> list[Problem]:
    """The tables are what a replay gives. Only reached when every object is there."""
    if not project.database_path.exists():
        return []
    applied, actual = _stored(project)
    if applied.size > len(events):
        events = ledger.read_project(project.ledger_path)
    up_to_date = applied == head_of(events)
    expected = replayed if up_to_date else replayed_digests(project, events[: applied.size])
    wrong = [table for table in sorted(expected) if actual[table] != expected[table]]
    tally.count("tables", len(expected), len(wrong))
    file = project.database_path.name
    return [
        Problem(
            "database-changed",
            f"table {table} does not hold what objects and ledger give",
            "Run `goldgate rebuild`.",
            file=file,
        )
        for table in wrong
    ]


def _stored(project: Project, *, digests: bool = True) -> tuple[Head, dict[str, str]]:
    """How far the database has come, and what its tables hold."""
    with store.open_store(project.database_path, project.objects.folder, wait_s=project.wait_s) as con:
        catalogue.require_own(con, project.database_path.name)
        return replay.head(con), table_digests(con) if digests else {}


def _parse_head(text: str) -> Head:
    digest, _, size = text.partition("@")
    if len(digest) == 64 and set(digest) <= set("0123456789abcdef") and size.isascii() and size.isdigit() and int(size):
        return Head(int(size), digest)
    raise ConfigError(
        "--head: not a head", [Problem("bad-head", "a head is HASH@N, as printed", "Copy it whole.", value=text[:80])]
    )
