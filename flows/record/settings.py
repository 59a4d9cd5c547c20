"""How the intervals of a round are made: registered level, attempts, resamples and seed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256

from agreement.gate import bound_alpha
from schemas.study import Study


@dataclass(frozen=True)
class Settings:
    """How intervals are made in this study. alpha: what both bounds together may miss, attempts counted."""

    alpha: Fraction
    resamples: int
    seed: int

    @property
    def level(self) -> float:
        return float(1 - self.alpha)

    def seed_of(self, *names: str) -> tuple[int, int]:
        """The registered seed and a number made from names, so that no stream depends on what stands beside it."""
        return self.seed, int.from_bytes(sha256("\x1f".join(names).encode()).digest()[:6], "big")


def settings_of(study: Study) -> Settings:
    """What the study registered. With k attempts every bound is taken at level 1 - (1 - level) / k."""
    interval = study.interval
    return Settings(bound_alpha(interval.level, study.gate.attempts), interval.resamples, interval.seed)
