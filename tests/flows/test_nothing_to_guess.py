"""Before a round is closed nothing that is printed is a digest of one annotator's labels (faults.md, 89).

Labels are few and of few kinds: whoever has a digest of a short file can try all files there could be.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner

from flows import cli
from flows.audit.rebuild import replayed_digests
from flows.storage.ledger import Event

ONE = "item_id,annotator_id,label\nr1-uniform-1,{who},{label}\n"


@pytest.fixture
def begun(make: Any) -> Any:
    """An open round with one annotator's file, and another's of the same name."""
    make.register()
    make.open({"uniform": {"..": 3}})
    for who in ("ada", "bo"):
        make.bring(ONE.format(who=who, label="yes"), name="mine.csv")
    return make


def digests_of_labels(make: Any, events: list[Event]) -> set[str]:
    found = {e.payload[key] for e in events if e.type == "submission.ingested" for key in ("raw", "canonical")}
    return {*found, replayed_digests(make.project, events)["raw_label"]}


COMMANDS: list[tuple[str, Callable[[Any], list[str]]]] = [
    ("ingest", lambda m: ["ingest", "r1", str(m.folder / "next.csv")]),
    ("ingest as JSON", lambda m: ["ingest", "r1", str(m.folder / "next.csv"), "--json"]),
    ("ingest again", lambda m: ["ingest", "r1", str(m.folder / "mine.csv")]),
    ("status", lambda m: ["status", "r1", "--json"]),
    ("history", lambda m: ["history", "promises", "--json"]),
    ("verify", lambda m: ["verify", "--json"]),
    ("verify everything", lambda m: ["verify", "--full"]),
    ("diff", lambda m: ["diff", "promises", "3", "5", "--states", "--json"]),
    ("rebuild", lambda m: ["rebuild"]),
    ("redact by an ambiguous name", lambda m: ["redact", "mine.csv", "--why", "asked"]),
]


@pytest.mark.parametrize("command", [case[1] for case in COMMANDS], ids=[case[0] for case in COMMANDS])
def test_no_digest_of_labels_is_printed_while_a_round_is_open(begun: Any, command: Callable[[Any], list[str]]) -> None:
    (begun.folder / "next.csv").write_text(ONE.format(who="ada", label="no").replace("uniform-1", "uniform-2"))
    found = CliRunner().invoke(cli.app, command(begun), env={"GOLDGATE_ROOT": str(begun.project.root)})
    shown = f"{found.output} {found.exception and vars(found.exception)}"
    assert len(shown) > 20
    for digest in digests_of_labels(begun, begun.events()):
        assert digest[:12] not in shown


def test_a_rebuild_of_closed_rounds_shows_every_digest(make: Any) -> None:
    make.register()
    make.open({"uniform": {"++": 2}})
    make.ingest()
    make.close()
    found = CliRunner().invoke(cli.app, ["rebuild"], env={"GOLDGATE_ROOT": str(make.project.root)})
    digests = replayed_digests(make.project, make.events())
    assert found.output.splitlines()[: len(digests)] == [f"{table}: {digest}" for table, digest in digests.items()]


def test_an_ambiguous_name_is_told_by_its_events(begun: Any) -> None:
    found = CliRunner().invoke(
        cli.app, ["redact", "mine.csv", "--why", "x"], env={"GOLDGATE_ROOT": str(begun.project.root)}
    )
    (problem,) = found.exception.problems  # type: ignore[union-attr]  # a refusal
    assert (problem.code, problem.message) == ("ambiguous-file", "the name stands for the files of events 4, 5")
