"""What the verbs import late, imported once by a process that does its work in many forked children."""

from __future__ import annotations

from importlib import import_module

LATE = (
    "flows.reading.delimited",
    "pandera.backends.polars.container",
    "pandera.polars",
    "pandera.strategies.base_strategies",
    "pyarrow.pandas_compat",
    "pyarrow.parquet",
    "scipy.stats",
)


def import_late() -> None:
    for name in LATE:
        import_module(name)
