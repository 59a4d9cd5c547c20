"""Reading small exports in tests, and what was said of them."""

from collections import Counter

import pytest
import ten_items as t

from agreement.errors import InputRefused
from flows.formats.reading import ReadOptions
from flows.formats.recognise import read_export

UNNAMED = ReadOptions(looking=True)


def codes(files, options=None, name=None):
    with pytest.raises(InputRefused) as refused:
        read_export(files, options or ReadOptions(), name)
    assert all(problem.fix for problem in refused.value.problems)
    return Counter(refused.value.counts)


def statuses(reading):
    return Counter(zip(reading.rows.status, reading.rows.origin, strict=True))


def said(reading, text):
    return any(text in sentence for sentence in (*reading.notes, *reading.loss))


def prodigy(*answers, **more):
    base = {"_annotator_id": "set-ada", "label": "DOC", "answer": "accept"} | more
    rows = ({"text": f"t{n}", "_input_hash": n, "_task_hash": -n} | base | a for n, a in enumerate(answers, 1))
    return {"p.jsonl": t.json_lines(rows)}
