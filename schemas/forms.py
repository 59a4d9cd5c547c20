"""The kinds of text in a study or round file, each with what is wrong with a bad one and what to write instead."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict

from schemas import names
from schemas.decimals import (
    DECIMAL_PATTERN,
    LEVEL_PATTERN,
    SHARE_PATTERN,
    THRESHOLD_PATTERN,
    decimal_fault,
    level_fault,
    share_fault,
)
from schemas.typed_walk import Form

_LIKE = "use lower case, digits and hyphens, such as flagged-items"
Slug = Annotated[str, Form("bad-name", names.slug_fault, _LIKE, pattern=names.SLUG_PATTERN)]
PersonId = Annotated[
    str, Form("bad-person-id", names.person_fault, "use a short invented id", pattern=names.PERSON_PATTERN)
]
Version = Annotated[
    str,
    Form("bad-version", names.version_fault, 'such as "1.0"', must_be_quoted=True, pattern=names.VERSION_PATTERN),
]
CategoryName = Annotated[str, Form("bad-category", names.category_fault, "write it plainly, on one line, in NFC")]
Text = Annotated[str, Form("empty-value", names.text_fault, "write a sentence")]
ColumnName = Annotated[str, Form("bad-column", names.column_fault, "write the column's name as the file has it")]
InnerPath = Annotated[
    str, Form("bad-path", names.inner_path_fault, "give a path relative to this file, below its folder")
]
Share = Annotated[str, Form("bad-share", share_fault, 'such as "0.10"', must_be_quoted=True, pattern=SHARE_PATTERN)]
Level = Annotated[str, Form("bad-level", level_fault, 'such as "0.95"', must_be_quoted=True, pattern=LEVEL_PATTERN)]
DecimalText = Annotated[
    str, Form("not-a-decimal", decimal_fault, 'such as "1.5"', must_be_quoted=True, pattern=DECIMAL_PATTERN)
]
# Which thresholds a statistic may have is the gate's to say (agreement.gate.check_rules), so any text passes here.
Threshold = Annotated[
    str, Form("empty-value", names.text_fault, 'such as "0.65"', must_be_quoted=True, pattern=THRESHOLD_PATTERN)
]


class Part(BaseModel):
    """A piece of a file: frozen, strict, and without keys nobody knows."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")
