"""Every bit of a ledger flipped; every line deleted, doubled, swapped, inserted; the file cut after every line.

    python ledger_damage.py [--events N] [--every N] [--control]

With a head somebody kept, all of it is found. Without one `verify` says UNANCHORED or FAIL, never OK. `--control`
plants a chain check that does not look at hashes, which must be caught.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from small_study import in_memory, project_in

from agreement.errors import IntegrityError
from flows.audit.verify import verify
from flows.storage import ledger
from flows.storage.ledger import Event, Head


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=100)
    parser.add_argument("--every", type=int, default=1, help="only every n-th bit")
    parser.add_argument("--control", action="store_true", help="plant a bug")
    options = parser.parse_args(arguments)
    if options.control:
        honest = ledger.line_hash
        ledger.line_hash = lambda body: _Whatever(honest(body))
    # A line that was read before is not worked out again: of each damaged ledger all but the damage was.
    ledger.parse = lru_cache(maxsize=4096)(ledger.parse)
    lines = _ledger(options.events)
    data = b"".join(lines)
    head = ledger.head_of(list(ledger.check_chain(lines)))
    tried, missed, called_ok, statuses = 0, [], [], Counter()
    with tempfile.TemporaryDirectory(prefix="goldgate-ledger-", dir=in_memory()) as scratch:
        for what, damaged in _damages(lines, data, options.every):
            tried += 1
            found, looks_whole = _noticed(damaged, head)
            missed += [] if found else [what]
            called_ok += [what] if looks_whole and what.startswith("bit") else []
            if not what.startswith("bit"):
                status = _verified(Path(scratch), damaged)
                statuses[status] += 1
                called_ok += [] if status in ("UNANCHORED", "FAIL") else [f"{what}: {status}"]
    figures = {"events": len(lines), "damages": tried, "missed with a head": len(missed)}
    print(json.dumps({**figures, "verify without a head, of lines": dict(sorted(statuses.items()))}))
    print(*missed[:10], *called_ok[:10], sep="\n")
    return 1 if missed or called_ok else 0


class _Whatever(str):
    """The planted bug: a hash that agrees with every other."""

    __hash__ = str.__hash__

    def __ne__(self, other: object) -> bool:
        return False


def _ledger(n: int) -> list[bytes]:
    lines, head = [], Head(0, ledger.GENESIS_PREV)
    for i in range(n):
        digests = dict.fromkeys(("looked_at", "answers"), "0" * 64)
        looked = {"file_name": f"grüße {i}", "rounds": [], **digests}
        payload = looked if i else {"project_id": "test", "format": 1}
        event = ledger.next_event(
            head,
            ts="2026-04-01T12:00:00Z",
            actor="tester",
            tool="goldgate 0",
            type="explored" if i else "project.created",
            payload=payload,
        )
        lines.append(f"{event.hash} ".encode() + ledger.canonical(_fields(event)) + b"\n")
        head = Head(event.seq, event.hash)
    return lines


def _fields(event: Event) -> dict[str, object]:
    return {"v": ledger.FORMAT, **{name: getattr(event, name) for name in ledger.FIELDS if name != "v"}}


def _damages(lines: list[bytes], data: bytes, every: int) -> Iterator[tuple[str, bytes]]:
    for bit in range(0, len(data) * 8, every):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << (bit % 8)
        yield f"bit {bit}", bytes(flipped)
    stranger = _ledger(3)[1]
    rng = random.Random(7)
    for n in range(len(lines)):
        yield f"line {n} deleted", b"".join(lines[:n] + lines[n + 1 :])
        yield f"line {n} doubled", b"".join(lines[: n + 1] + lines[n:])
        yield f"line {n} from another ledger", b"".join([*lines[:n], stranger, *lines[n:]]) if n != 1 else data[:-1]
        yield f"cut after line {n}", b"".join(lines[:n])
        other = rng.randrange(len(lines))
        if other != n:
            swapped = list(lines)
            swapped[n], swapped[other] = swapped[other], swapped[n]
            yield f"lines {n} and {other} swapped", b"".join(swapped)


def _verified(folder: Path, damaged: bytes) -> str:
    """What `verify` says of a project with this ledger to somebody who kept no head."""
    (folder / "ledger.jsonl").write_bytes(damaged)
    (folder / "objects").mkdir(exist_ok=True)
    return verify(project_in(folder)).status


def _noticed(data: bytes, head: Head) -> tuple[bool, bool]:
    """Whether whoever kept the head notices, and whether the file alone still looks whole."""
    try:
        events = list(ledger.check_chain(data.splitlines(keepends=True)))
    except (IntegrityError, UnicodeDecodeError):  # the second only where the planted bug lets a bent hash through
        return True, False
    kept = len(events) >= head.size and events[head.size - 1].hash == head.hash
    return not kept, len(events) == head.size


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
