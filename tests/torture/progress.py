"""How far a long run has come, on stderr: what was tried is known even if the run is stopped."""

from __future__ import annotations

import json
import sys


def progress(what: str, **figures: object) -> None:
    print(what, json.dumps(figures), file=sys.stderr, flush=True)
