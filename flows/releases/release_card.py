"""The card that lies in a release: what these labels are, how they came about, and what they cannot show."""

from __future__ import annotations

from collections.abc import Sequence

from flows.releases.reference_set import ReferenceSet
from flows.storage.state import RoundState
from schemas.study import Study

_HOW = {
    "unanimous": "all independent annotators gave this label",
    "adjudicated": "annotators differed; an adjudicator decided, with a reason",
    "majority": "annotators differed; more than half gave this label",
    "relabelled": "labelled again under this guideline version after an earlier version failed",
}


def card(
    study: Study,
    of_version: Sequence[RoundState],
    passed: Sequence[RoundState],
    reference: ReferenceSet,
    deviations: Sequence[str],
    canary: str,
) -> bytes:
    """The release's README.md.

    deviations: of its rounds, a sentence each. canary: the line by which it is found where it should not be.
    """
    counted = [r for r in of_version if r.kind == "measured" and r.gated]
    lines = [
        f"# Reference labels: {study.question}",
        "",
        f"Study `{study.study}`, guideline {study.guideline.version}. One item is {study.unit}.",
        f"Registered use: {study.gate.use}.",
        "",
        "## What is here",
        "",
        f"{len(reference.rows):,} labels in `labels.parquet` (exact text) and `labels.csv` (the same; a cell that a",
        "spreadsheet could take for a formula begins with an apostrophe). `report/` shows the agreement they rest on,",
        "`registration/` what was promised before the labels were seen (`rules.json` is the rules of `study.yaml`).",
        "`manifest.json` names every file by SHA-256; `python verify.py` checks them. It comes from the same hands as",
        "the labels: who trusts neither runs a copy of their own, with `--id` and the release id they noted.",
        "`history.json` is the study's history up to the verdict, `croissant.json` the metadata for loaders.",
        "",
        "| how the label came about | labels | |",
        "|---|---:|---|",
        *(f"| {how} | {n:,} | {_HOW[how]} |" for how, n in reference.how.items()),
        "",
        f"Left out: {len(reference.single):,} items with fewer than two labels, "
        f"{len(reference.unresolved):,} contested items without a decision.",
        f"{len(passed)} of {len(counted)} rounds of this guideline version passed.",
        *_deviations(deviations),
        "",
        "## What these labels cannot show",
        "",
        "On each slice one annotator, scored against another, reaches an F1 equal to the positive specific agreement",
        "in the report. Differences between systems well inside what is left to 1 are not seen by these labels.",
        f"Agreement is not validity: annotators can agree and be wrong together. Outside check: {_outcomes(passed)}.",
        "Figures on enriched slices speak of hard cases; only the uniform slice speaks of traffic.",
        "",
        canary,
        "",
    ]
    return "\n".join(lines).encode()


def _deviations(deviations: Sequence[str]) -> list[str]:
    """Told by people in words of their own, so they are shown as text and never as markup."""
    from flows.pages.text import markdown

    if not deviations:
        return []
    return ["", "Deviations from what was registered:", "", *(f"- {markdown(text)}" for text in deviations)]


def _outcomes(passed: Sequence[RoundState]) -> str:
    n = sum(len(r.outcomes) for r in passed)
    return f"{n} recorded" if n else "none"
