"""What is asked of a labels file, and which of it fits together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agreement.errors import ConfigError, Problem
from flows.looks.weighted import WEIGHTS

RULES = ("refuse", "first", "last", "drop-conflicting")
SCALES = ("nominal", "ordinal", "interval", "ratio")
INTERVALS = ("design", "percentile")


@dataclass(frozen=True)
class LookOptions:
    """What is asked of a file. Lists are text with commas; columns are names, or numbers from 1 without a header.

    item: a column, or several that together name an item. wide: the annotators' columns, instead of annotator and
    label. categories: every label, in order. positive: the label or labels looked for. missing: spellings that mean no
    label (an empty cell always does). by: figures for each value of this column as well. duplicates: what counts when
    one annotator labelled an item more than once. interval: "design" (beta for specific agreement, BCa for the rest)
    or "percentile", for comparison with the literature. question, format, map: for the export of another tool: which
    question where it holds several, its format where the content shall not decide, a map of a flat one. An export is
    recognised unless annotator, label or wide name columns; item then is the key of the item's own id.
    weights: by name, over the declared order; adds the figures in which near misses count in part. compare: two
    statistics, two values of the by column, or two sets of annotators joined by +.
    """

    item: str = ""
    annotator: str = ""
    label: str = ""
    wide: str = ""
    categories: str = ""
    positive: str = ""
    missing: str = ""
    by: str = ""
    duplicates: str = "refuse"
    scale: str = "nominal"
    interval: str = "design"
    header: bool = True
    question: str = ""
    format: str = ""
    map: Path | None = None
    weights: str = ""
    compare: str = ""


def check_options(options: LookOptions) -> None:
    problems = []
    names = (("duplicates", RULES), ("scale", SCALES), ("interval", INTERVALS), ("weights", ("", *WEIGHTS)))
    for name, known in names:
        value = getattr(options, name)
        if value not in known:
            problems.append(
                Problem(
                    "unknown-option", f"--{name} is not known", f"Known: {', '.join(filter(None, known))}.", value=value
                )
            )
    if options.weights and not options.categories:
        fix = "Give --categories with every label, from the lowest to the highest."
        problems.append(Problem("weights-without-order", "--weights needs the order of the labels", fix))
    if options.wide and (options.annotator or options.label):
        fix = "Give --wide, or --annotator and --label."
        problems.append(Problem("wide-and-long", "a file is either wide or long", fix))
    categories = listed(options.categories)
    for option in ("categories", "wide"):
        given = listed(getattr(options, option))
        for value in sorted({value for value in given if given.count(value) > 1}):
            problems.append(Problem("named-twice", f"--{option} names it twice", "Name each once.", value=value))
    for value in listed(options.positive):
        if categories and value not in categories:
            fix = f"Give one of: {', '.join(categories)}."
            problems.append(Problem("unknown-category", "--positive is not one of --categories", fix, value=value))
    if problems:
        raise ConfigError("the options do not fit together", problems)


def listed(text: str) -> list[str]:
    return text.split(",") if text else []
