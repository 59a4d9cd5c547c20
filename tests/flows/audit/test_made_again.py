"""What digests alone cannot show: counts, figures, pages and labels made again from rows, and what cannot be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from flows.audit.verify import verify
from flows.redact import redact
from flows.storage import ledger
from flows.storage.ledger import Event
from flows.storage.published import digest_of
from tests.conftest import FAILING, PASSING
from tests.flows.audit.forging import edit, of_type, rewrite

OLDER = "goldgate 0.0.9"


def by_another_version(make: Any, *types: str) -> None:
    rewrite(make, lambda events: [Event(**{**vars(e), "tool": OLDER}) if e.type in types else e for e in events])
    make.project.database_path.unlink()


def said(make: Any, **options: Any) -> list[tuple[str, str]]:
    return [(p.code, p.message) for p in verify(make.project, **options).problems]


def test_counts_of_another_round_are_named_whatever_version_is_said_to_have_counted(
    make: Any, new_maker: Callable[..., Any]
) -> None:
    other = new_maker()
    for maker, labels in ((make, FAILING), (other, PASSING)):
        maker.register()
        maker.measured(labels)
    kept = str(ledger.head_of(make.events()[:-1]))
    forged = other.project.objects.read(of_type(other, "round.measured").payload["measurement"])
    edit(make, "round.measured", measurement=make.project.objects.put(forged))
    for tool in (OLDER, make.project.tool()):
        rewrite(make, lambda events, tool=tool: [*events[:-1], Event(**{**vars(events[-1]), "tool": tool})])
        found = verify(make.project, [kept])
        wrong = f"event {len(make.events())}: counting the labels of r1 again gives other counts than it measured"
        assert [(p.code, p.message) for p in found.problems] == [("counts-differ", wrong)]
        assert (found.status, found.exit_code, found.levels) == ("FAIL", 6, ("V0", "V1"))


def test_what_another_version_made_is_counted_and_named_and_nothing_is_called_whole(copy: Any) -> None:
    by_another_version(copy, "round.measured", "report.written", "release.promoted")
    assert said(copy) == []
    found = verify(copy.project, full=True)
    tool = copy.project.tool()
    assert [(p.code, p.message.partition(": ")[2], p.fix) for p in found.problems] == [
        ("not-made-again", f"{what} was not made again: {OLDER} made it, and this is {tool}", fix)
        for what in ("measuring r1", "report 1 of r1", "release 1.0")
        for fix in [f"Verify with the version that made it: {OLDER}."]
    ]
    assert (found.status, found.exit_code, found.levels) == ("INCOMPLETE", 6, ("V0", "V2", "V3"))
    assert found.checked["not made again"] == 3
    assert found.paragraph.startswith(
        "Not everything could be made again: the list says what and why. Nothing else was found wrong."
    )


def test_a_page_rewritten_with_its_digest_is_named_by_full(copy: Any) -> None:
    written = of_type(copy, "report.written").payload
    page = copy.project.root / written["folder"] / "report.html"
    page.chmod(0o644)
    page.write_bytes(page.read_bytes().replace(b'"pass"', b'"fail"'))
    files = [[name, digest_of(page.read_bytes()) if name == "report.html" else old] for name, old in written["files"]]
    edit(copy, "report.written", files=files)
    assert said(copy) == []
    n = of_type(copy, "report.written").seq
    wrong = f"event {n}: writing report.html of r1 again gives another page than reports/promises/r1/v1"
    assert ("report-differs", wrong) in said(copy, full=True)


@pytest.mark.parametrize(
    ("payload", "wrong"),
    [({"labels": 7}, "labels"), ({"how": [["unanimous", 7]], "left_out": 3}, "how, left out")],
)
def test_a_release_announced_otherwise_than_its_manifest_says(copy: Any, payload: dict[str, Any], wrong: str) -> None:
    edit(copy, "release.promoted", **payload)
    n = len(copy.events())
    assert said(copy) == [("manifest-differs", f"event {n} says otherwise than the manifest: {wrong}")]


def test_counted_again_and_compared_label_by_label_is_said(copy: Any) -> None:
    found = verify(copy.project)
    assert "From the stored rows: 1 measuring counted again and 1 release compared label by label." in found.paragraph
    bytes_as_received = (
        "Bytes as received are compared by their digests only, and so are report pages without --full; that rows were "
        "read from them rightly is not shown."
    )
    assert bytes_as_received in found.paragraph


def test_a_verdict_on_labels_removed_since_earns_no_v3(copy: Any) -> None:
    n = len(redact(copy.project, "r1-uniform-1", "the customer asked").event.payload["objects"])
    found = verify(copy.project)
    assert (found.status, found.exit_code, found.levels) == (f"UNANCHORED, REDACTED ({n})", 0, ("V0", "V2"))
    measured = of_type(copy, "round.measured").seq
    (note,) = found.notes
    assert note == (
        f"event {measured}: what was counted of r1 cannot be counted again: "
        "labels it rested on were removed on request since."
    )
