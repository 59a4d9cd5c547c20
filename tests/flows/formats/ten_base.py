"""Ten items, two people, one question, invented, and how their text is written."""

import csv
import io
import json

PEOPLE = ("ada", "bo")
TIMES = {"ada": "2026-04-01T09:00:00Z", "bo": "2026-04-01T10:00:00Z"}
SECONDS = {"ada": 1775034000, "bo": 1775037600}  # the same instants
# (item, text, label of ada, label of bo): both yes, both no, one of each, and a name with a comma, quotes, umlauts
ITEMS = [
    ("q-01", "The bridge opened in 1932.", "yes", "yes"),
    ("q-02", 'She said "no", then left.', "no", "no"),
    ("q-03", "Ärger über 3,5 %", "yes", "no"),
    ("q-04", "plain text four", "no", "no"),
    ("q-05", "plain text five", "no", "yes"),
    ("q-06", "plain text six", "yes", "yes"),
    ("q-07", "plain text seven", "no", "no"),
    ("q-08", "plain text eight", "no", "no"),
    ("q-09", "plain text nine", "yes", "yes"),
    ("q-10", "plain text ten", "no", "no"),
]
LABELS = [
    (item, text, person, label) for item, text, *both in ITEMS for person, label in zip(PEOPLE, both, strict=True)
]


def dumped(value):
    return json.dumps(value, ensure_ascii=False).encode()


def json_lines(records):
    return b"".join(dumped(record) + b"\n" for record in records)


def table(header, rows, delimiter=","):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue().encode()


def choice(label, name="verdict"):
    return {
        "id": "r1",
        "type": "choices",
        "from_name": name,
        "to_name": "text",
        "origin": "manual",
        "value": {"choices": [label]},
    }
