"""What can be proved about a project, to whom, and what cannot.

V0 the ledger is consistent in itself · V1 nothing before a head somebody kept has changed · V2 rows, files and releases
are those the ledger names · V3 the order was kept, thresholds are those registered, verdicts follow from what was found
· V4 replaying and measuring everything again gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from agreement.errors import ConfigError, GoldgateError, IntegrityError, OutOfOrder, Problem
from flows.audit.rebuild import replayed_digests
from flows.audit.replay_check import replay_and_compare
from flows.audit.verdict_check import verdicts_follow
from flows.audit.verify_published import check_published
from flows.redaction import last_redaction, redacted_objects
from flows.storage import ledger, replay, store
from flows.storage.digests import table_digests
from flows.storage.ledger import Event, Head, head_of
from flows.storage.order import check_event
from flows.storage.project import Project
from flows.storage.state import State, advance, fold

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
)


@dataclass(frozen=True)
class Verified:
    """The result: one status, what was checked, what is wrong, and which levels hold."""

    status: str  # OK | UNANCHORED | INCOMPLETE | REDACTED (k) | FAIL
    levels: tuple[str, ...]
    problems: tuple[Problem, ...]
    checked: dict[str, int]
    head: str
    paragraph: str

    @property
    def exit_code(self) -> int:
        return IntegrityError.exit_code if self.status in ("FAIL", "INCOMPLETE") else 0

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def verify(project: Project, heads: Sequence[str] = (), *, full: bool = False) -> Verified:
    """Check ledger, objects, database, reports and releases against each other, and the ledger against kept heads.

    heads: `HASH@N` as printed earlier. full: measure every round again too (level V4). Reads only. ConfigError for a
    head that is not written so.
    """
    kept = [_parse_head(text) for text in heads]
    try:
        events = ledger.read(project.ledger_path)
    except IntegrityError as error:
        return _result([Problem("ledger-broken", error.headline, error.next_step)], [], {}, Head(0, ""), [], False)
    problems = list(_heads(events, kept))
    try:
        state = fold(events)
    except IntegrityError as error:
        broken = Problem("ledger-broken", error.headline, error.next_step)
        return _result([*problems, broken], [], {}, head_of(events), kept, False)
    gone = redacted_objects(events)
    checked = {"events": len(events), "heads": len(kept)}
    checked |= dict.fromkeys(("objects", "report files", "releases", "tables", "verdicts"), 0)
    checked |= {"redacted": len(gone)} if gone else {}
    order = list(_order(events))
    missing, content = _split([*_objects(project, events, gone, checked), *_stubs(project, gone)])
    content += check_published(project, state, checked)
    remeasured = False
    if not missing and not content:
        order += [] if order else verdicts_follow(project, events, checked)
        replayed = replay_and_compare(project, events, remeasure=full)
        content += replayed.problems
        content += _database(project, events, replayed.tables, checked)
        checked |= {"measurings": replayed.remeasured, "not measured again": replayed.skipped} if full else {}
        remeasured = full and not replayed.skipped
    return _result([*problems, *order, *content], missing, checked, state.head, kept, remeasured)


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
    project: Project, events: list[Event], gone: dict[str, tuple[int, str]], checked: dict[str, int]
) -> Iterator[Problem]:
    for digest, event in _named_objects(events).items():
        if digest in gone:
            continue
        checked["objects"] += 1
        try:
            project.objects.read(digest)
        except (IntegrityError, ConfigError) as error:
            code = "object-missing" if not project.objects.has(digest) else "object-changed"
            yield Problem(code, f"event {event.seq} ({event.type}): {error.headline}", error.next_step)


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


def _database(
    project: Project, events: list[Event], replayed: dict[str, str], checked: dict[str, int]
) -> Iterator[Problem]:
    """The tables are what a replay gives. Only reached when every object is there."""
    if not project.database_path.exists():
        return
    try:
        with store.open_store(project.database_path, project.objects.folder) as con:
            applied = replay.head(con)
            actual = table_digests(con)
    except GoldgateError as error:
        yield Problem("database-broken", error.headline, error.next_step)
        return
    except store.StoreError as error:
        yield Problem(
            "database-broken", store.first_line(error), "Run `goldgate rebuild`.", file=project.database_path.name
        )
        return
    if applied.size > len(events):
        events = project.events()  # another command may have gone on since
    if applied.size > len(events) or (applied.size and events[applied.size - 1].hash != applied.hash):
        yield Problem("database-foreign", "the database follows another ledger", "Run `goldgate rebuild`.")
        return
    if applied.size < last_redaction(events):
        fix = "Run any command that changes the project: it makes the database anew."
        yield Problem("redaction-unfinished", "the database may still hold removed rows", fix)
        return
    up_to_date = applied.size == len(events) and replayed
    expected = replayed if up_to_date else replayed_digests(project, events[: applied.size])
    checked["tables"] = len(expected)
    for table in sorted(expected):
        if actual[table] != expected[table]:
            message = f"table {table} does not hold what objects and ledger give"
            yield Problem("database-changed", message, "Run `goldgate rebuild`.", file=project.database_path.name)


def _split(problems: list[Problem]) -> tuple[list[Problem], list[Problem]]:
    """What is gone, apart from what is wrong."""
    missing = [p for p in problems if p.code == "object-missing"]
    return missing, [p for p in problems if p.code != "object-missing"]


def _result(
    problems: list[Problem],
    missing: list[Problem],
    checked: dict[str, int],
    head: Head,
    kept: list[Head],
    remeasured: bool,
) -> Verified:
    if problems:
        status = "FAIL"
    elif missing:
        status = "INCOMPLETE"
    elif checked.get("redacted"):
        status = f"REDACTED ({checked['redacted']})"
    else:
        status = "OK" if kept else "UNANCHORED"
    codes = {p.code for p in (*problems, *missing)}
    levels = _levels(codes, bool(kept), remeasured)
    return Verified(status, levels, (*problems, *missing), checked, str(head), _paragraph(status, checked, kept))


ANCHOR_CODES = {"ledger-cut", "ledger-rewritten"}
ORDER_CODES = {"order-broken", "verdict-differs"}


def _levels(codes: set[str], anchored: bool, remeasured: bool) -> tuple[str, ...]:
    """The levels that hold, given what is wrong."""
    if "ledger-broken" in codes:
        return ()
    levels = ["V0"]
    if anchored and not codes & ANCHOR_CODES:
        levels.append("V1")
    if not codes - ANCHOR_CODES - ORDER_CODES:
        levels.append("V2")
        if not codes & ORDER_CODES:
            levels += ["V3", "V4"] if remeasured else ["V3"]
    return tuple(levels)


def _paragraph(status: str, checked: dict[str, int], kept: list[Head]) -> str:
    parts = []
    if status in ("FAIL", "INCOMPLETE"):
        parts.append("Something is not what it was: the list says what. Nothing was changed by looking.")
    else:
        agree = [_n(checked[what], what) for what in ("events", "objects", "report files", "releases")]
        parts.append(
            f"{', '.join(agree[:-1])} and {agree[-1]} agree with each other, and every step stands in its order."
        )
        if checked.get("redacted"):
            parts.append(
                f"Removed on request, so that nobody can check what it held: {_n(checked['redacted'], 'objects')}."
            )
        if checked.get("measurings"):
            parts.append(f"Made again, with the same bytes: {_n(checked['measurings'], 'measurings')}.")
        parts.append(_anchored(kept))
    parts.append(
        "It cannot show real times, who acted, that nobody looked outside this tool, that labels are right or were "
        "given blind, that no other ledger exists, or that nothing was left out that never came in."
    )
    return " ".join(parts)


def _n(n: int, what: str) -> str:
    """`1 release`, `2 releases`."""
    return f"{n} {what.removesuffix('s') if n == 1 else what}"


def _anchored(kept: list[Head]) -> str:
    if kept:
        longest = max(head.size for head in kept)
        return f"Whoever kept the head given knows that nothing before event {longest} has changed since."
    return (
        "No head kept outside was given, so this shows agreement within this folder and not that its tail was not "
        "cut or all of it rewritten: note the head below elsewhere, and check later with --head."
    )


def _parse_head(text: str) -> Head:
    digest, _, size = text.partition("@")
    if len(digest) == 64 and set(digest) <= set("0123456789abcdef") and size.isascii() and size.isdigit() and int(size):
        return Head(int(size), digest)
    raise ConfigError(
        "--head: not a head", [Problem("bad-head", "a head is HASH@N, as printed", "Copy it whole.", value=text[:80])]
    )
