"""Exports bent out of shape anywhere are refused in words or read: never a traceback, never a hang."""

import copy
import json
import random

import pytest
import ten_items as t

from agreement.errors import InputRefused
from flows.formats.reading import Reading, ReadOptions
from flows.formats.recognise import read_export

WRITERS = {
    "label-studio": t.label_studio,
    "label-studio-min": t.label_studio_min,
    "prodigy": t.prodigy_choice,
    "argilla": t.argilla_flat,
    "doccano": t.doccano_files,
    "labelbox": t.labelbox,
    "ground-truth": t.ground_truth_in_line,
    "potato": t.potato,
    "langsmith": t.langsmith,
    "langfuse": t.langfuse,
}
ODD = [None, True, 0, -1, 1.5, "", "x", [], {}, [None], {"a": 1}, [[1]], "\u2028", 10**30]
BENT_EACH = 40


@pytest.mark.parametrize("name", WRITERS)
def test_a_bent_export_is_read_or_refused(name):
    chance = random.Random(name)
    for _ in range(BENT_EACH):
        files = bent(WRITERS[name](), chance)
        options = ReadOptions(question="verdict", looking=chance.random() < 0.5)
        found, problems = outcome(files, options, name)
        assert isinstance(found, Reading) or problems
        assert all(problem.fix for problem in problems)


def outcome(files, options, name):
    """(reading, problems): one of them."""
    try:
        return read_export(files, options, name), ()
    except InputRefused as refused:
        return None, refused.problems


@pytest.mark.parametrize("name", WRITERS)
def test_a_cut_export_is_refused(name):
    """Half a file, wherever it was cut, never passes for a whole one, unless it was cut between two lines."""
    chance = random.Random(name)
    for _ in range(10):
        (file, data), *rest = WRITERS[name]().items()
        cut = data[: chance.randrange(1, len(data) - 2)]
        if cut.endswith(b"\n") or data[len(cut) : len(cut) + 1] == b"\n":
            continue
        with pytest.raises(InputRefused):
            read_export({file: cut, **dict(rest)}, ReadOptions(question="verdict"), name)


def bent(files, chance):
    """One value somewhere in the first file replaced by something else, or left out."""
    (file, data), *rest = files.items()
    lines = file.endswith(("jsonl", "ndjson", "manifest"))
    document = [json.loads(line) for line in data.splitlines()] if lines else json.loads(data)
    document = copy.deepcopy(document)
    bend(document, chance)
    again = t.json_lines(document) if lines else t.dumped(document)
    return {file: again, **dict(rest)}


def bend(node, chance):
    while True:
        keys = list(node) if isinstance(node, dict) else range(len(node))
        if not keys:
            return
        key = chance.choice(list(keys))
        if isinstance(node[key], dict | list) and node[key] and chance.random() < 0.75:
            node = node[key]
            continue
        if isinstance(node, dict) and chance.random() < 0.3:
            del node[key]
        else:
            node[key] = chance.choice(ODD)
        return
