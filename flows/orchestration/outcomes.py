"""How a run of a round's folder ended, study by study, and which exit code that makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from agreement.errors import GoldgateError, OutOfOrder

# Labels are still out, so there is nothing to judge: no fault, and no pass either, as whoever waits for a verdict needs
# to know. The same code as for a step that is missing.
NOT_COMPLETE = OutOfOrder.exit_code

# A folder that serves several studies ends with the worst of their codes: not intact, a bug, settings, input, busy,
# not there yet, failed, not evaluable, passed.
WORST_FIRST = (6, 1, 2, 3, 7, 8, 4, 5, 0)


@dataclass
class Outcome:
    """One study's part of a run.

    lines: what each step did, in order. message: the end in one sentence. flow_run, artifact: where Prefect shows it.
    refusal: what stopped it, as the command line shows it.
    """

    study_id: str
    round_id: str
    exit_code: int = 0
    message: str = ""
    next_step: str = ""
    lines: list[str] = field(default_factory=list)
    flow_run: str = ""
    artifact: str = ""
    refusal: GoldgateError | None = None

    @property
    def waiting(self) -> bool:
        return self.exit_code == NOT_COMPLETE and self.refusal is None

    def stopped(self, refusal: GoldgateError) -> Outcome:
        self.refusal, self.exit_code, self.message = refusal, refusal.exit_code, refusal.headline
        return self


def worst(outcomes: Sequence[Outcome]) -> Outcome:
    return min(outcomes, key=lambda outcome: WORST_FIRST.index(outcome.exit_code))


def refusal_of(outcomes: Sequence[Outcome]) -> GoldgateError | None:
    """What to raise: the one refusal, or all of them as one of the worst kind. None if nothing was refused."""
    refused = [outcome for outcome in outcomes if outcome.refusal is not None]
    refusals = [outcome.refusal for outcome in refused if outcome.refusal is not None]
    if not refusals:
        return None
    if len(outcomes) == 1:
        return refusals[0]
    kind = type(min(refusals, key=lambda refusal: WORST_FIRST.index(refusal.exit_code)))
    headline = "; ".join(f"{outcome.study_id}: {outcome.message}" for outcome in refused)
    # Studies that share a file often refuse it for the same reason: each is said once.
    problems = dict.fromkeys(problem for refusal in refusals for problem in refusal.problems)
    next_steps = dict.fromkeys(refusal.next_step for refusal in refusals if refusal.next_step)
    return kind(headline, tuple(problems), " ".join(next_steps))
