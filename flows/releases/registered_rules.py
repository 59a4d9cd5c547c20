"""The rules that were registered for each round of a release, as a file that the standard library can read.

It lies in the release beside the study file, whose YAML its verifier cannot read; `verify` compares it with what was
registered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agreement.errors import Problem
from agreement.rules import Rule
from flows.register import registered_study
from flows.storage import published
from flows.storage.objects import Objects
from flows.storage.project import Project
from flows.storage.state import RoundState, State

FILE = "registration/rules.json"


def registered_rules(objects: Objects, state: State, rounds: Sequence[RoundState]) -> bytes:
    """Round -> its rules in their order, each as the keys release_check.RULE names."""
    studies = {round_state.round_id: registered_study(objects, state, round_state) for round_state in rounds}
    return published.canonical_json(
        {
            "study": rounds[0].study_id,
            "rounds": {name: [_row(rule) for rule in study.gate.rules] for name, study in studies.items()},
        }
    )


def _row(rule: Rule) -> list[str | None]:
    comparison = "at_least" if rule.at_least is not None else "at_most"
    return [rule.slice, rule.statistic, rule.category, rule.judged_on, rule.missing, comparison, rule.threshold_text]


def rules_as_registered(project: Project, state: State) -> Iterator[Problem]:
    """Whether each release that is there holds the rules of the study files its rounds were registered with."""
    for study in state.studies.values():
        for event in study.releases:
            file = project.root / event.payload["folder"] / FILE
            rounds = [state.round(name, study.study_id) for name in event.payload["rounds"]]
            if file.is_file() and file.read_bytes() != registered_rules(project.objects, state, rounds):
                yield Problem(
                    "release-rules-differ",
                    "the rules beside the study file are not those that were registered",
                    "Restore the release from a copy, and compare the ledger with a head you kept.",
                    file=f"{file.parents[1].name}/{FILE}",
                )
