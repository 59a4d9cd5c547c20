"""What a command says beside its result: to standard error, and to whoever listens to the logger `goldgate`."""

from __future__ import annotations

import logging

QUIET_S = 1.0  # waiting so long needs no word


def note(text: str) -> None:
    logging.getLogger("goldgate").warning(f"Note: {text}")
