"""Which question of a file is read: the one named, or the only one."""

from __future__ import annotations

from collections.abc import Collection

from flows.formats.reading import ReadOptions
from flows.reading.findings import Findings, refuse
from schemas.names import shown


def choose_question(
    questions: Collection[str], other_kinds: Collection[str], options: ReadOptions, refusals: Findings, file: str
) -> str | None:
    """The question to read; None if the file holds no answer at all (everything skipped, say), or after a refusal.

    other_kinds: kinds of results that are not answers to a question, such as rectangles: a file with nothing else is
    InputRefused at once. Noted in `refusals`: a question the file does not have, and several of which none was chosen.
    """
    known = ", ".join(shown(name) for name in sorted(questions))
    if not questions and other_kinds:
        kinds = ", ".join(sorted(shown(kind) for kind in other_kinds))
        raise refuse("span-format", f"holds only marked regions ({kinds}), no answer for a whole item", file=file)
    if options.question is not None:
        if questions and options.question not in questions:
            message = f"has no question '{shown(options.question)}'; it has: {known}"
            refusals.add("unknown-question", message, file=file, value=options.question)
        return options.question
    if len(questions) > 1:
        refusals.add("several-questions", f"holds {len(questions)} questions: {known}", file=file)
        return None
    return next(iter(questions), None)
