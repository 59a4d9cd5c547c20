"""INCEpTION and WebAnno TSV: spans and relations in documents. Recognised, and refused with the reason."""

from __future__ import annotations

from flows.formats.reading import Format, Reading, ReadOptions
from flows.formats.sniff import Files, Sniff
from flows.reading.findings import Findings

_MARK = "#FORMAT=WebAnno TSV"


def recognises(look: Sniff) -> bool:
    return look.head.startswith(_MARK)


def read(files: Files, options: ReadOptions) -> Reading:
    """Always InputRefused: what an annotator marked nowhere is not in the file, so there is no answer an item."""
    refusals = Findings()
    for file in files:
        refusals.add("span-format", "marks spans in a document, no answer for a whole item", file=file, line=1)
    refusals.raise_if_any()
    raise AssertionError("no file was given")


FORMAT = Format("inception", "INCEpTION / WebAnno TSV (refused: spans)", frozenset(), recognises, read)
