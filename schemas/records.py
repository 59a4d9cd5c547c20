"""What one row of labels must be, whatever the other rows are: a pandera schema.

It is applied to the distinct combinations of the columns that have few values, not to each row: the verdict is the
same and the work does not grow with the file. Everything is text and stays text; nothing is coerced.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from schemas.names import LONGEST_ID, id_fault, look_alike

if TYPE_CHECKING:
    import pandera.polars as pa
    import polars as pl

STATUSES = ("labelled", "abstained", "skipped", "draft", "submitted_empty", "never_shown")
ORIGINS = ("own", "prediction", "copied", "reviewer", "gold")
# The columns of a combination, in order. time_ok: 'true' if the time is one (or absent). set_aside: as in raw_label.
TUPLE = (
    "annotator_id",
    "status",
    "label",
    "abstain_reason",
    "guideline_version",
    "origin",
    "time_ok",
    "set_aside",
)
# Which column a failed rule is about.
COLUMN_OF = {
    "unknown-annotator": "annotator_id",
    "adjudicator-as-annotator": "annotator_id",
    "unknown-status": "status",
    "unknown-origin": "origin",
    "blank-label": "label",
    "unknown-label": "label",
    "near-miss-label": "label",
    "several-labels": "label",
    "label-without-answer": "label",
    "abstain-without-reason": "abstain_reason",
    "undeclared-abstain-reason": "abstain_reason",
    "reason-without-abstention": "abstain_reason",
    "other-guideline-version": "guideline_version",
    "bad-time": "labelled_at",
    "schema-unspecified": "status",
}
TIME_PATTERN = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)?)?"
)
ZONED_PATTERN = r".*[T ][0-9:.]+(Z|[+-][0-9]{2}(:?[0-9]{2})?)"


@dataclass(frozen=True)
class Codebook:
    """What the registered study allows in a row of this round."""

    categories: tuple[str, ...]
    abstention_reasons: tuple[str, ...]
    annotators: tuple[str, ...]
    adjudicators: tuple[str, ...]
    guideline_version: str
    duplicates: str = "refuse"
    positive: tuple[str, ...] = field(default=())

    def nearest_category(self, label: str) -> str | None:
        """The category a reader would take this text for; None if it is one, or none is near."""
        return None if label in self.categories else _nearest(label, self.categories)

    def nearest_annotator(self, name: str) -> str | None:
        return None if name in self.annotators else _nearest(name, self.annotators)

    def parts(self, label: str) -> list[str]:
        """The categories in an answer that holds several of them; empty if it does not."""
        pieces = [piece.strip(" []\"'") for piece in re.split(r"[|;,#\n]", label)]
        several = len(pieces) > 1 and all(piece in self.categories for piece in pieces)
        return pieces if several else []


def _nearest(text: str, among: Sequence[str]) -> str | None:
    alike = [name for name in among if look_alike(name.strip()) == look_alike(text.strip())]
    if alike:
        return alike[0]
    plural = [name for name in among if abs(len(name) - len(text)) == 1 and (name + "s" == text or text + "s" == name)]
    return plural[0] if plural else None


def failing_tuples(tuples: Sequence[tuple[str, ...]], book: Codebook) -> list[tuple[int, str]]:
    """Which combinations are refused and why: (position, reason code). tuples: in the order of TUPLE."""
    import polars as pl

    frame = pl.DataFrame(list(tuples), schema=dict.fromkeys(TUPLE, pl.String), orient="row")
    return _failures(tuple_schema(book), _with_kinds(frame, book))


def failing_ids(ids: Sequence[str]) -> list[tuple[int, str]]:
    """Which of these are no ids at all and why: (position, reason code)."""
    import pandera.polars as pa
    import polars as pl

    kinds = [_id_kind(text) for text in ids]
    frame = pl.DataFrame({"id_kind": kinds}, schema={"id_kind": pl.String})
    checks = [_rule(pl.col("id_kind") != code, code) for code in ID_REASONS]
    return _failures(pa.DataFrameSchema({"id_kind": pa.Column(pl.String)}, checks=checks, strict=True), frame)


ID_REASONS = ("blank-id", "id-not-nfc", "id-too-long", "id-characters")


def _id_kind(text: str) -> str:
    fault = id_fault(text)
    if fault is None:
        return "id"
    if not text:
        return "blank-id"
    if len(text) > LONGEST_ID:
        return "id-too-long"
    return "id-not-nfc" if "NFC" in fault else "id-characters"


def tuple_schema(book: Codebook) -> pa.DataFrameSchema:
    """The row rules. Each check is named by its reason code; columns must be exactly these, text, without nulls.

    Rows set aside are not measured against the codebook: they belong to another round, version or purpose.
    """
    import pandera.polars as pa
    import polars as pl

    status, label, reason = pl.col("status"), pl.col("label"), pl.col("abstain_reason")
    here = pl.col("set_aside") == ""
    known, labelled, abstained = status.is_in(STATUSES), status == "labelled", status == "abstained"
    judged = here & labelled & (label != "")
    wrong = {
        "unknown-annotator": here & (pl.col("annotator_kind") == "other"),
        "adjudicator-as-annotator": here & (pl.col("annotator_kind") == "adjudicator"),
        "unknown-status": ~known,
        "unknown-origin": ~pl.col("origin").is_in(ORIGINS),
        "blank-label": labelled & (label == ""),
        "unknown-label": judged & (pl.col("label_kind") == "other"),
        "near-miss-label": judged & (pl.col("label_kind") == "near"),
        "several-labels": judged & (pl.col("label_kind") == "several"),
        "label-without-answer": known & ~labelled & (label != ""),
        "abstain-without-reason": abstained & (reason == ""),
        "undeclared-abstain-reason": here & abstained & (reason != "") & ~reason.is_in(list(book.abstention_reasons)),
        "reason-without-abstention": known & ~abstained & (reason != ""),
        "other-guideline-version": here & (pl.col("guideline_version") != book.guideline_version),
        "bad-time": pl.col("time_ok") != "true",
    }
    columns = {name: pa.Column(pl.String, nullable=False) for name in (*TUPLE, "annotator_kind", "label_kind")}
    return pa.DataFrameSchema(columns, checks=[_rule(~fails, code) for code, fails in wrong.items()], strict=True)


def _rule(holds: pl.Expr, code: str) -> pa.Check:
    import pandera.polars as pa

    return pa.Check(lambda data: data.lazyframe.select(holds), name=code, error=code)


def _with_kinds(frame: pl.DataFrame, book: Codebook) -> pl.DataFrame:
    """What each name and label is, for the rules to speak of."""
    import polars as pl

    annotators = [_annotator_kind(name, book) for name in frame["annotator_id"]]
    labels = [_label_kind(label, book) for label in frame["label"]]
    return frame.with_columns(
        pl.Series("annotator_kind", annotators, pl.String), pl.Series("label_kind", labels, pl.String)
    )


def _annotator_kind(name: str, book: Codebook) -> str:
    if name in book.annotators:
        return "annotator"
    return "adjudicator" if name in book.adjudicators else "other"


def _label_kind(label: str, book: Codebook) -> str:
    if label in book.categories:
        return "declared"
    if book.parts(label):
        return "several"
    return "near" if book.nearest_category(label) else "other"


def _failures(schema: pa.DataFrameSchema, frame: pl.DataFrame) -> list[tuple[int, str]]:
    """Every failed row and the check it failed. Never empty where the schema refuses."""
    from pandera.errors import SchemaErrors

    try:
        schema.validate(frame, lazy=True)
    except SchemaErrors as refused:
        cases = refused.failure_cases
        found = {(row, code) for row, code in cases.select("index", "check").iter_rows() if row is not None}
        failed = sorted((int(row), str(code)) for row, code in found)
        # A schema that refuses without naming a row must not let the file through.
        return failed or [(row, "schema-unspecified") for row in range(len(frame))]
    return []
