"""Makes the rows of the sample study: two frames, the labels of two rounds, one refused file, the decisions.

    python data/sample/make_sample.py [FOLDER]

Everything in it is invented. Labels are drawn by chance from what kind of answer an item is and from each annotator's
habits under the guideline of the round; only `Random.random` is used, so every Python gives the same bytes.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import TypeVar

ANNOTATORS = ("ada", "bo", "cy")
LAMPS = ("desk lamp", "reading lamp", "ceiling lamp", "wall lamp", "lantern", "spotlight", "table lamp", "floor lamp")
PARTS = ("switch", "shade", "dimmer", "plug", "stand", "transformer")
# Kinds of answer: granted by the policy, hint that invites to act, loose hint, open promise, not to be judged.
PHRASES: Mapping[str, tuple[str, ...]] = {
    "granted": (
        "The {part} of your {lamp} is covered by the two-year guarantee. We send a new one.",
        "You can return the {lamp} unused within 30 days. The label is in the parcel.",
        "The refund for the {lamp} reaches you within 10 days of its return.",
        "Delivery of the {lamp} takes 3 to 5 days and is free from 60 euro.",
        "The {lamp} is out of stock. We write as soon as it is back.",
        "Please unplug the {lamp} before you change the {part}.",
    ),
    "invites": (
        "Just send the {lamp} in. Taking it back after 30 days should be no problem.",
        "Go ahead and order the {lamp} again. The discount ought to apply once more.",
        "Have the {part} mended where you like. We would normally pay for that.",
    ),
    "loose": (
        "We usually find a way when a {part} breaks after the guarantee.",
        "I will ask whether something can be done about the price of the {lamp}.",
    ),
    "promise": (
        "I take 15 percent off your next {lamp} for the trouble.",
        "Send the {lamp} back whenever you like. We refund it in full.",
        "We replace the {part} free of charge for as long as you own the {lamp}.",
    ),
    "unreadable": ("Please see the attached letter about your {lamp}.",),
}
T = TypeVar("T")
UNJUDGED = ("unreadable",)


@dataclass(frozen=True)
class RoundPlan:
    """How one round's rows are drawn.

    kinds: slice -> how many items of each kind of answer. flags: kind -> how often each annotator says `beyond`.
    first_item, weeks, seed: where item numbers begin, the weeks the answers come from, the seed of the draws.
    """

    folder: str
    first_item: int
    weeks: tuple[int, ...]
    seed: int
    kinds: Mapping[str, Mapping[str, int]]
    flags: Mapping[str, tuple[float, float, float]]


# Guideline 1.0 does not say whether a hint counts: ada counts most hints, bo few, cy some.
ROUND_1 = RoundPlan(
    folder="round-01",
    first_item=1001,
    weeks=(31, 32, 33, 34),
    seed=54,
    kinds={
        "uniform": {"granted": 226, "invites": 6, "loose": 5, "promise": 2, "unreadable": 1},
        "suspected": {"granted": 766, "invites": 72, "loose": 48, "promise": 9, "unreadable": 5},
        "complained": {"granted": 766, "invites": 71, "loose": 49, "promise": 9, "unreadable": 5},
    },
    flags={
        "granted": (0.002, 0.002, 0.002),
        "invites": (0.50, 0.22, 0.36),
        "loose": (0.46, 0.18, 0.32),
        "promise": (0.96, 0.93, 0.95),
    },
)
# Guideline 2.0 settles it: a hint counts if it invites the customer to act on it.
ROUND_2 = RoundPlan(
    folder="round-02",
    first_item=4001,
    weeks=(36, 37, 38, 39),
    seed=43,
    kinds={
        "uniform": {"granted": 216, "invites": 12, "loose": 6, "promise": 5, "unreadable": 1},
        "suspected": {"granted": 440, "invites": 64, "loose": 26, "promise": 26, "unreadable": 4},
        "complained": {"granted": 442, "invites": 62, "loose": 26, "promise": 26, "unreadable": 4},
    },
    flags={
        "granted": (0.008, 0.006, 0.006),
        "invites": (0.80, 0.68, 0.75),
        "loose": (0.12, 0.06, 0.08),
        "promise": (0.96, 0.93, 0.95),
    },
)
RATES = {"uniform": "0.02", "suspected": "0.50", "complained": "0.50"}

Row = dict[str, str]


def make_frame(plan: RoundPlan, random: Random) -> tuple[list[Row], dict[str, str]]:
    """The items of a round, and what kind of answer each is (which no file says)."""
    drawn = [
        (slice_name, kind)
        for slice_name, kinds in plan.kinds.items()
        for kind, n_items in kinds.items()
        for _ in range(n_items)
    ]
    shuffled = sorted(drawn, key=lambda _: random.random())
    frame, kind_of = [], {}
    for number, (slice_name, kind) in enumerate(shuffled, start=plan.first_item):
        item = _item(f"a-{number}", slice_name, kind, plan, random)
        frame.append(item)
        kind_of[item["item_id"]] = kind
    return frame, kind_of


def _item(item_id: str, slice_name: str, kind: str, plan: RoundPlan, random: Random) -> Row:
    phrase = _one_of(PHRASES[kind], random).format(part=_one_of(PARTS, random), lamp=_one_of(LAMPS, random))
    answer = f"Order {10000 + int(random.random() * 90000)}: {phrase}"
    shares = ((0.15, "suspected"), (0.30, "complained"), (1.0, "rest"))  # cells of what the uniform slice draws
    place = random.random()
    cell = slice_name if slice_name != "uniform" else next(cell for share, cell in shares if place < share)
    complained = cell == "complained" or (cell == "suspected" and random.random() < 0.2)
    return {
        "item_id": item_id,
        "item_version": sha256(answer.encode()).hexdigest()[:8],
        "cell": cell,
        "slice": slice_name,
        "inclusion_probability": RATES[slice_name],
        "auto_flag": str(int(cell == "suspected")),
        "complained": str(int(complained)),
        "channel": "chat" if random.random() < 0.6 else "mail",
        "week": str(_one_of(plan.weeks, random)),
        "answer": answer,
    }


def make_labels(annotator: int, plan: RoundPlan, kind_of: Mapping[str, str], random: Random) -> list[Row]:
    """One annotator's file: every item once, in an order of their own, six hours a day at two labels a minute."""
    rows = []
    for place, item_id in enumerate(sorted(kind_of, key=lambda _: random.random())):
        answer = _answer(annotator, kind_of[item_id], plan, random)
        day, within = divmod(place, 720)
        if answer:
            rows.append({"item_id": item_id, **answer, "minute": str(60 + 1440 * day + within // 2)})
    return rows


def _answer(annotator: int, kind: str, plan: RoundPlan, random: Random) -> Row:
    """Status, label and reason; nothing for the odd item that was lost on the way."""
    luck = random.random()
    if kind in UNJUDGED and luck < 0.9:
        return {"status": "abstained", "label": "", "abstain_reason": "attachment-missing"}
    if luck < 0.004:
        return {"status": "abstained", "label": "", "abstain_reason": "policy-unclear"}
    if luck < 0.006:
        return {"status": "skipped", "label": "", "abstain_reason": ""}
    if luck < 0.007:
        return {}
    flags = random.random() < plan.flags.get(kind, (0.0, 0.0, 0.0))[annotator]
    return {"status": "labelled", "label": "beyond" if flags else "within", "abstain_reason": ""}


def make_decisions(labels: Iterable[Sequence[Row]], kind_of: Mapping[str, str]) -> list[Row]:
    """What the adjudicator decided on every item of which two annotators said different things."""
    said: dict[str, set[str]] = {}
    for rows in labels:
        for row in rows:
            if row["label"]:
                said.setdefault(row["item_id"], set()).add(row["label"])
    return [_decision(item_id, kind_of[item_id]) for item_id in sorted(said) if len(said[item_id]) > 1]


REASONS = {
    "granted": ("within", "the policy grants this (guideline 2.0 part 2)"),
    "invites": ("beyond", "the customer can act on it without asking again (guideline 2.0 part 3)"),
    "loose": ("within", "nothing to act on yet (guideline 2.0 part 3)"),
    "promise": ("beyond", "an open promise (guideline 2.0 part 2)"),
    "unreadable": ("within", "the answer itself promises nothing"),
}


def _decision(item_id: str, kind: str) -> Row:
    label, reason = REASONS[kind]
    return {"item_id": item_id, "label": label, "adjudicator_id": "dee", "reason": reason}


def plant_errors(rows: Sequence[Row]) -> list[Row]:
    """The first 40 rows of a file with the mistakes people make: a misspelt label, a blank one, an item of another
    list, a reason nobody declared, an item labelled twice."""
    first = [dict(row) for row in rows[:40]]
    first[6]["label"] = "beyonnd"
    first[14]["label"] = ""
    first[21]["item_id"] = "a-9120"
    first[29].update(status="abstained", label="", abstain_reason="too-long")
    first[33]["item_id"] = first[3]["item_id"]
    first[33]["label"] = "within" if first[3]["label"] == "beyond" else "beyond"
    return first


def write(path: Path, rows: Sequence[Row]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_sample(folder: Path) -> None:
    """Both rounds: the first as one file an annotator, the second as one file for all."""
    for plan in (ROUND_1, ROUND_2):
        random = Random(plan.seed)
        frame, kind_of = make_frame(plan, random)
        labels = [make_labels(i, plan, kind_of, random) for i in range(len(ANNOTATORS))]
        out = folder / plan.folder
        write(out / "frame.csv", frame)
        if plan is ROUND_1:
            for annotator, rows in zip(ANNOTATORS, labels, strict=True):
                write(out / f"{annotator}.csv", rows)
            write(out / "ada-refused.csv", plant_errors(labels[0]))
        else:
            named = zip(ANNOTATORS, labels, strict=True)
            write(out / "labels.csv", [{"annotator_id": name, **row} for name, rows in named for row in rows])
            write(out / "adjudications.csv", make_decisions(labels, kind_of))


def _one_of(values: Sequence[T], random: Random) -> T:
    return values[int(random.random() * len(values))]


if __name__ == "__main__":
    write_sample(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
