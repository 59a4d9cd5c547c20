"""Signs, in a whole set of labels, that they are not what they seem: pure functions over canonical rows.

Each gives problems with a name. Some make the labels unusable (REFUSED); the others are for a person to look at, as
honest labels can look so too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import combinations

import numpy as np

from agreement.alike import TELLING, identical
from agreement.alike import implausibly_alike as far_above_others
from agreement.errors import Problem
from flows.formats.reading import Rows
from flows.formats.refusals import fix_of
from schemas.names import look_alike, shown

REFUSED = frozenset({"constant-item-id", "one-author", "undeclared-category", "abstention-spelling"})

Labels = Mapping[str, Mapping[str, str]]  # annotator to item to label


def labels_by_annotator(rows: Rows) -> dict[str, dict[str, str]]:
    """Own labels only; an annotator's first on an item."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    columns = zip(rows.annotator_id, rows.item_id, rows.label, rows.status, rows.origin, strict=True)
    for person, item, label, status, origin in columns:
        if status == "labelled" and origin == "own":
            found[person].setdefault(item, label)
    return dict(found)


def constant_item_id(rows: Rows) -> Iterator[Problem]:
    """One id for everything, though one person answered more than once."""
    if len(rows) and len(set(rows.item_id)) == 1 and max(Counter(rows.annotator_id).values()) > 1:
        yield _problem("constant-item-id", f"all {len(rows)} answers are about one item", rows.item_id[0])


def same_person_twice(rows: Rows) -> Iterator[Problem]:
    """An annotator with several own answers to one item, alike or not."""
    answers: dict[tuple[str, str], list[str]] = defaultdict(list)
    columns = zip(rows.annotator_id, rows.item_id, rows.label, rows.status, rows.origin, strict=True)
    for person, item, label, status, origin in columns:
        if status == "labelled" and origin == "own":
            answers[person, item].append(label)
    for (person, item), labels in answers.items():
        if len(labels) > 1:
            kinds = "alike" if len(set(labels)) == 1 else "with different answers"
            yield _problem(
                "same-person-twice", f"{shown(person)} answered this item {len(labels)} times, {kinds}", item
            )


def one_author(rows: Rows, promised_passes: int) -> Iterator[Problem]:
    """One name on all labels though several independent passes were promised."""
    people = {p for p, status, origin in zip(rows.annotator_id, rows.status, rows.origin, strict=True)
              if status == "labelled" and origin == "own"}  # fmt: skip
    if promised_passes > 1 and len(people) == 1:
        person = next(iter(people))
        yield _problem("one-author", f"{promised_passes} passes were promised and all labels are one person's", person)


def identical_labels(rows: Rows) -> Iterator[Problem]:
    """Two people with the same label on every shared item, enough of them other than the commonest."""
    for (a, b), n_items, telling in identical(_tables(rows)):
        message = f"{shown(a)} and {shown(b)} agree on all {n_items} shared items, {telling} of them telling"
        yield _problem("identical-labels", message, f"{a}, {b}")


def implausibly_alike(rows: Rows) -> Iterator[Problem]:
    """A pair whose kappa lies far above that of every other pair, on hundreds of items."""
    for found in far_above_others(_tables(rows)):
        message = f"kappa {found.kappa:.2f} on {found.n_items} items, no other pair above {found.next_highest:.2f}"
        yield _problem("implausibly-alike", message, ", ".join(found.pair))


def same_free_choices(rows: Rows) -> Iterator[Problem]:
    """Two people who gave the same answers, on the same items, that nobody else gives anywhere."""
    by_person = labels_by_annotator(rows)
    users: dict[str, set[str]] = defaultdict(set)
    for person, labels in by_person.items():
        for label in labels.values():
            users[label].add(person)
    if len(by_person) < 3:
        return  # with two people every answer is theirs alone
    for a, b in combinations(sorted(by_person), 2):
        mine, theirs = by_person[a], by_person[b]
        same = [
            item for item in mine.keys() & theirs.keys() if mine[item] == theirs[item] and users[mine[item]] == {a, b}
        ]
        if len(same) >= TELLING:
            message = f"{shown(a)} and {shown(b)} gave {len(same)} equal answers that nobody else gives"
            yield _problem("same-free-choices", message, f"{a}, {b}")


def reviewer_as_annotator(rows: Rows, reviewers: Collection[str]) -> Iterator[Problem]:
    """People who decide or review and are among the independent annotators."""
    for person in sorted(set(labels_by_annotator(rows)) & set(reviewers)):
        yield _problem("reviewer-as-annotator", f"'{shown(person)}' reviews, and labels are theirs too", person)


def gold_among_labels(rows: Rows) -> Iterator[Problem]:
    """Control items among the labels: their answer was known, so they are not blind samples."""
    n = rows.origin.count("gold")
    if n:
        yield _problem("gold-rows", f"{n} answers are to control items with a known answer", str(n))


def undeclared_categories(
    rows: Rows, declared: Collection[str], abstentions: Collection[str] = ()
) -> Iterator[Problem]:
    """Labels the study does not have, with the declared one that a reader would take them for."""
    known = {*declared, *abstentions}
    near = {look_alike(label.strip()): label for label in known}
    for label, n in sorted(Counter(rows.label).items()):
        if label and label not in known:
            meant = near.get(look_alike(label.strip())) or _singular(label, known)
            hint = f"; nearly '{meant}'" if meant else ""
            yield _problem("undeclared-category", f"{n} answers say '{shown(label)}', not in the study{hint}", label)


def abstention_spelling(before: Collection[str], now: Collection[str], declared: Collection[str]) -> Iterator[Problem]:
    """An abstention that was written otherwise in an earlier round: both are the same thing, or neither is a label.

    before, now: all spellings in the labels of an earlier round and of this one. declared: the study's categories.
    """
    gone, new = (set(before) - set(now) - set(declared)), (set(now) - set(before) - set(declared))
    for spelling in sorted(new - {""}):
        was = [old for old in sorted(gone - {""}) if _means_unsure(old)]
        if was and _means_unsure(spelling):
            message = f"'{shown(spelling)}' is new; an earlier round had '{shown(was[0])}'"
            yield _problem("abstention-spelling", message, spelling)


def suspicions(rows: Rows) -> Iterator[Problem]:
    """All that may be looked for without knowing the study."""
    for check in (same_free_choices, identical_labels, implausibly_alike):
        yield from check(rows)


_UNSURE = ("unsure", "unclear", "cannot", "can't", "don't know", "dont know", "not sure", "skip", "n/a", "none",
           "other", "ambiguous", "uncertain", "abstain", "?")  # fmt: skip


def _means_unsure(label: str) -> bool:
    text = label.casefold().replace("_", " ").replace("-", " ")
    return any(word in text for word in _UNSURE)


def _singular(label: str, known: Collection[str]) -> str | None:
    """A declared label that differs by a final s."""
    return next((k for k in sorted(known) if label in (k + "s", k + "es") or k in (label + "s", label + "es")), None)


def _tables(rows: Rows) -> dict[tuple[str, str], np.ndarray]:
    """Pair counts of every two people over their shared items, shape (C, C) each."""
    by_person = labels_by_annotator(rows)
    names = {
        label: i for i, label in enumerate(sorted({said for labels in by_person.values() for said in labels.values()}))
    }
    return {(a, b): _table(by_person[a], by_person[b], names) for a, b in combinations(sorted(by_person), 2)}


def _table(a: Mapping[str, str], b: Mapping[str, str], names: Mapping[str, int]) -> np.ndarray:
    table = np.zeros((len(names), len(names)), dtype=np.int64)
    for item in a.keys() & b.keys():
        table[names[a[item]], names[b[item]]] += 1
    return table


def _problem(code: str, message: str, value: str) -> Problem:
    return Problem(code, message, fix_of(code), value=shown(value))
