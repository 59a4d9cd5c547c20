"""The ledger: one way to write an event, and every change of a byte is seen."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from agreement.errors import IntegrityError
from flows.storage import ledger
from flows.storage.ledger import GENESIS_PREV, Event, Head


def written(path: Path, n: int = 3) -> list[Event]:
    """A ledger of n events."""
    head = Head(0, GENESIS_PREV)
    for k in range(n):
        event = ledger.next_event(
            head, ts="2026-04-01T12:00:00Z", actor="ada", tool="t", type="noted", payload={"n": k, "text": "naïve"}
        )
        ledger.append(path, event)
        head = Head(event.seq, event.hash)
    return ledger.read(path)


CANONICAL = [
    ({"b": 1, "a": "x"}, b'{"a":"x","b":1}'),
    ({"a": "é\u2028"}, '{"a":"é\u2028"}'.encode()),  # raw UTF-8, nothing normalised
    ({"a": "\n\x00"}, b'{"a":"\\n\\u0000"}'),
    ({"a": [True, None, -3, {}]}, b'{"a":[true,null,-3,{}]}'),
    ({"a": 2**53 - 1}, b'{"a":9007199254740991}'),
]


@pytest.mark.parametrize(("body", "expected"), CANONICAL)
def test_a_body_has_one_spelling(body: dict, expected: bytes) -> None:  # type: ignore[type-arg]  # any JSON object
    assert ledger.canonical(body) == expected


@pytest.mark.parametrize(
    "body",
    [{"a": 1.0}, {"a": float("nan")}, {"a": 2**53}, {"a": -(2**53)}, {"A": 1}, {"é": 1}, {"a": {"B": 1}}, {"a": b"x"}],
)
def test_what_has_several_spellings_has_no_place(body: dict) -> None:  # type: ignore[type-arg]  # any JSON object
    with pytest.raises(ValueError, match="body"):
        ledger.canonical(body)


def test_a_line_is_the_hash_of_tag_zero_and_body_then_the_body(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    (event,) = written(path, 1)
    digest, _, body = path.read_bytes().rstrip(b"\n").partition(b" ")
    # audit.md, part A: hash = sha-256(domain tag, 0x00, body bytes)
    assert digest.decode() == hashlib.sha256(b"goldgate/event/1\x00" + body).hexdigest() == event.hash


def test_events_follow_each_other(tmp_path: Path) -> None:
    events = written(tmp_path / "ledger.jsonl")
    assert [e.seq for e in events] == [1, 2, 3]
    assert [e.prev for e in events] == [GENESIS_PREV, events[0].hash, events[1].hash]
    assert str(ledger.head_of(events)) == f"{events[2].hash}@3"


def test_every_flipped_bit_is_found_at_its_event(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    written(path)
    whole = path.read_bytes()
    line_of = [whole[:at].count(b"\n") + 1 for at in range(len(whole))]
    for at in range(0, len(whole) - 1, 7):  # every seventh byte, each of its bits in turn
        broken = bytearray(whole)
        broken[at] ^= 1 << (at % 8)
        path.write_bytes(bytes(broken))
        with pytest.raises(IntegrityError) as refused:
            ledger.read(path)
        # A line break made or lost moves the fault by one line at most.
        named = int(refused.value.headline.split("event ")[1].split(" ")[0])
        assert line_of[at] <= named <= line_of[at] + 1


LINES = [
    ("a line deleted", lambda a, b, c: [a, c], 2),
    ("a line doubled", lambda a, b, c: [a, b, b, c], 3),
    ("two lines swapped", lambda a, b, c: [b, a, c], 1),
    ("a line inserted", lambda a, b, c: [a, b"x\n", b, c], 2),
    ("an empty line", lambda a, b, c: [a, b"\n", b, c], 2),
    ("another line end", lambda a, b, c: [a, b[:-1] + b"\r\n", c], 2),
]


@pytest.mark.parametrize(("change", "first_bad"), [case[1:] for case in LINES], ids=[case[0] for case in LINES])
def test_edited_lines_are_named(tmp_path: Path, change, first_bad: int) -> None:  # type: ignore[no-untyped-def]  # a lambda of lines
    path = tmp_path / "ledger.jsonl"
    written(path)
    path.write_bytes(b"".join(change(*path.read_bytes().splitlines(keepends=True))))
    with pytest.raises(IntegrityError, match=f"event {first_bad} is wrong"):
        ledger.read(path)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b'{"a":1}', "canonical"),
        (b'{"actor":"a","actor":"a"}', "canonical"),  # a key twice
        (b'{ "a":1}', "canonical"),
        (b"[" * 10_000, "canonical"),
        (b'{"v":1.0}', "canonical"),
        (b"\xff", "canonical"),
    ],
)
def test_a_body_written_otherwise_is_refused_though_its_hash_is_right(tmp_path: Path, body: bytes, why: str) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(ledger.line_hash(body).encode() + b" " + body + b"\n")
    with pytest.raises(IntegrityError, match=why):
        ledger.read(path)


def test_half_a_line_is_left_out_when_reading_and_cut_when_repairing(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    written(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    assert len(ledger.read(path)) == 2
    assert ledger.cut_torn_line(path)
    assert path.read_bytes() == b"".join(whole.splitlines(keepends=True)[:2])
    assert not ledger.cut_torn_line(path)


def test_an_append_that_fails_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "ledger.jsonl"
    written(path)
    before = path.read_bytes()

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    head = ledger.head_of(ledger.read(path))
    event = ledger.next_event(head, ts="t", actor="a", tool="t", type="noted", payload={})
    with pytest.raises(OSError, match="No space"):
        ledger.append(path, event)
    assert path.read_bytes() == before


def test_a_ledger_that_is_not_there_yet_has_no_events_and_no_half_line(tmp_path: Path) -> None:
    assert ledger.read(tmp_path / "ledger.jsonl") == []
    assert not ledger.cut_torn_line(tmp_path / "ledger.jsonl")


def test_the_first_line_makes_the_file_s_name_durable_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(ledger, "sync_folder", synced.append)
    written(tmp_path / "ledger.jsonl", 3)
    assert synced == [tmp_path]


def test_a_line_written_in_pieces_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system may take fewer bytes than it was given."""
    write = os.write
    monkeypatch.setattr("os.write", lambda handle, data: write(handle, data[:7]))
    assert len(written(tmp_path / "ledger.jsonl", 2)) == 2


@pytest.mark.parametrize("change", [{"seq": 7}, {"prev": "0" * 63 + "1"}])
def test_an_event_out_of_its_place_is_named_though_its_hash_is_right(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "ledger.jsonl"
    event = Event(**{**vars(written(path, 2)[1]), **change})  # type: ignore[arg-type]  # any field
    body = ledger._body(event)
    path.write_bytes(
        path.read_bytes().splitlines(keepends=True)[0] + ledger.line_hash(body).encode() + b" " + body + b"\n"
    )
    with pytest.raises(IntegrityError, match="event 2 is wrong: it does not follow"):
        ledger.read(path)


@pytest.mark.parametrize("change", [{"v": 2}, {"more": 1}, {"v": None}])
def test_an_event_of_another_format_or_with_another_field_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "ledger.jsonl"
    written(path, 1)
    fields = {**json.loads(path.read_bytes().partition(b" ")[2]), **change}
    body = ledger.canonical(fields)
    path.write_bytes(ledger.line_hash(body).encode() + b" " + body + b"\n")
    with pytest.raises(IntegrityError, match="canonical form"):
        ledger.read(path)


def spelt(path: Path, change: Callable[[bytes], bytes]) -> None:
    """The last event's body written otherwise, under a hash that fits its bytes."""
    *lines, last = path.read_bytes().splitlines(keepends=True)
    body = last.rstrip(b"\n").partition(b" ")[2]
    assert change(body) != body
    path.write_bytes(b"".join(lines) + ledger.line_hash(change(body)).encode() + b" " + change(body) + b"\n")


# The same value to every reader of JSON, and other bytes: a second spelling would have a second hash.
SPELLINGS: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("a key twice", lambda b: b.replace(b'"actor":"ada"', b'"actor":"bo","actor":"ada"')),
    ("a key of the payload twice", lambda b: b.replace(b'"n":1', b'"n":0,"n":1')),
    ("a space", lambda b: b.replace(b'"seq":2', b'"seq": 2')),
    ("keys in another order", lambda b: b.replace(b',"v":1}', b"}").replace(b"{", b'{"v":1,', 1)),
    ("an escaped letter", lambda b: b.replace("ï".encode(), b"\\u00ef")),
    ("an escaped slash", lambda b: b.replace(b'"type":"noted"', b'"type":"not\\/ed"')),
    ("a number with a point", lambda b: b.replace(b'"n":1', b'"n":1.0')),
    ("a number with an exponent", lambda b: b.replace(b'"n":1', b'"n":1e0')),
    ("a byte order mark", lambda b: b"\xef\xbb\xbf" + b),
    ("a sequence number that is no number", lambda b: b.replace(b'"seq":2', b'"seq":"2"')),
    ("a version that only equals 1", lambda b: b.replace(b'"v":1', b'"v":true')),
    ("a payload that is a list", lambda b: re.sub(rb'"payload":\{.*?\}', b'"payload":[]', b)),
    ("a time that is a number", lambda b: b.replace(b'"ts":"2026-04-01T12:00:00Z"', b'"ts":0')),
]  # fmt: skip


@pytest.mark.parametrize("change", [case[1] for case in SPELLINGS], ids=[case[0] for case in SPELLINGS])
def test_a_whole_event_has_one_spelling_though_its_hash_is_right(
    tmp_path: Path, change: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "ledger.jsonl"
    written(path, 2)
    spelt(path, change)
    with pytest.raises(IntegrityError, match="event 2 is wrong: it is not written in canonical form"):
        ledger.read(path)


# What a project's ledger begins with.


def begun(path: Path, *events: tuple[str, dict[str, object]]) -> Path:
    head = Head(0, GENESIS_PREV)
    for type, payload in events:
        event = ledger.next_event(
            head, ts="2026-04-01T12:00:00Z", actor="a", tool="goldgate 9.9", type=type, payload=payload
        )
        ledger.append(path, event)
        head = Head(event.seq, event.hash)
    return path


GENESIS = ("project.created", {"project_id": "a", "format": 1})
LOOKED = ("explored", {"file_name": "a.csv", "looked_at": "0" * 64, "answers": "0" * 64, "rounds": []})


def test_every_hash_follows_from_the_project_s_id(tmp_path: Path) -> None:
    """So that no event of one project fits into another's ledger, whatever else is equal."""
    other = ("project.created", {"project_id": "b", "format": 1})
    mine, theirs = begun(tmp_path / "a", GENESIS, LOOKED), begun(tmp_path / "b", other, LOOKED)
    assert [len(ledger.read_project(path)) for path in (mine, theirs)] == [2, 2]
    lines = [path.read_bytes().splitlines(keepends=True) for path in (mine, theirs)]
    mine.write_bytes(lines[0][0] + lines[1][1])
    with pytest.raises(IntegrityError, match="event 2 is wrong: it does not follow the event before it"):
        ledger.read_project(mine)


@pytest.mark.parametrize(
    ("events", "wrong"), [([LOOKED], 1), ([GENESIS, LOOKED, GENESIS], 3)], ids=["none", "a second one"]
)
def test_a_project_begins_once_and_at_its_beginning(
    tmp_path: Path, events: list[tuple[str, dict[str, object]]], wrong: int
) -> None:
    path = begun(tmp_path / "ledger.jsonl", *events)
    assert len(ledger.read(path)) == len(events)
    with pytest.raises(IntegrityError, match=f"event {wrong} is wrong: a ledger begins with project.created"):
        ledger.read_project(path)


def test_a_project_in_another_format_names_the_version_that_wrote_it(tmp_path: Path) -> None:
    path = begun(tmp_path / "ledger.jsonl", ("project.created", {"project_id": "a", "format": 2}))
    with pytest.raises(IntegrityError, match="in format 2, and this version of goldgate knows 1") as refused:
        ledger.read_project(path)
    assert "goldgate 9.9" in refused.value.next_step
