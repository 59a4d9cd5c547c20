"""A schema that refuses lets nothing through, whether or not it says which rows it means."""

from __future__ import annotations

import pandera.polars as pa
import polars as pl

from schemas.records import _failures

FRAME = pl.DataFrame({"label": ["yes", "no"]})


def test_a_refusal_that_names_no_row_refuses_every_row() -> None:
    without_rows = pa.DataFrameSchema({"item": pa.Column(pl.String)})  # a missing column has no row
    assert _failures(without_rows, FRAME) == [(0, "schema-unspecified"), (1, "schema-unspecified")]


def test_rows_are_named_with_the_check_they_fail() -> None:
    check = pa.Check(lambda data: data.lazyframe.select(pl.col("label") == "yes"), name="is-yes", error="is-yes")
    assert _failures(pa.DataFrameSchema(checks=[check]), FRAME) == [(1, "is-yes")]
    assert _failures(pa.DataFrameSchema({"label": pa.Column(pl.String)}), FRAME) == []
