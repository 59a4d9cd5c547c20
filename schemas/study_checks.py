"""What must hold between the keys of a study file.

Each check reads a few parts and names what is wrong by key path. A check whose part is already broken waits
until that is mended; all others run, so that one refusal lists as much as can be known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from agreement.errors import Problem
from agreement.rules import check_rules
from schemas.decimals import decimal_fault
from schemas.names import look_alike, shown
from schemas.study_parts import Category, Condition, Gate, ReleaseRule, Roster, Slices, Stop

RESERVED_SLICES = ("uniform", "traffic", "rest", "all")


def check_study(parts: Mapping[str, Any]) -> Iterator[Problem]:
    """All problems between keys. parts: the intact top-level values of a study file, by field name."""
    for check, needed in CHECKS:
        if all(name in parts for name in needed):
            yield from check(*(parts[name] for name in needed))


def categories_differ(categories: tuple[Category, ...]) -> Iterator[Problem]:
    if len(categories) < 2:
        yield _problem("one-category", "there is nothing to choose from", "declare two or more", "categories")
    if len(categories) > 1 and all(category.positive for category in categories):
        fix = "mark only what the study looks for"
        yield _problem("all-positive", "every category is positive", fix, "categories")
    yield from _twins([c.value for c in categories], "categories[{}].value", "category")


def scale_fits(scale: str, weights: Any, categories: tuple[Category, ...]) -> Iterator[Problem]:
    if weights is not None and scale == "nominal":
        fix = "remove the weights, or name the scale the categories have"
        yield _problem("weights-on-nominal", "nominal categories have no distances", fix, "weights")
    if isinstance(weights, tuple):
        yield from _matrix(weights, len(categories))
    for i, category in enumerate(categories if scale in ("interval", "ratio") else ()):
        where = f"categories[{i}].value"
        if decimal_fault(category.value) is not None:
            fix = "write numbers, or scale: ordinal"
            yield _problem("category-not-a-number", f"a scale of {scale} needs numbers", fix, where, category.value)
        elif scale == "ratio" and Fraction(category.value) < 0:
            fix = "write numbers from 0, or scale: interval"
            yield _problem("category-not-a-number", "a ratio scale has no negative values", fix, where, category.value)


def _matrix(weights: tuple[tuple[str, ...], ...], n_categories: int) -> Iterator[Problem]:
    if len(weights) != n_categories or any(len(row) != n_categories for row in weights):
        message = f"the matrix is not {n_categories} by {n_categories}, one row and column a category"
        yield _problem("bad-weights", message, "write one weight for each pair of categories", "weights")
        return
    for i, row in enumerate(weights):
        for j, weight in enumerate(row):
            if not 0 <= Fraction(weight) <= 1:
                wrong = "a weight lies from 0 to 1"
            elif i == j and Fraction(weight) != 1:
                wrong = "equal labels agree fully: the diagonal is 1"
            elif Fraction(weight) != Fraction(weights[j][i]):
                wrong = f"the matrix is not symmetric: compare weights[{j}][{i}]"
            else:
                continue
            yield _problem("bad-weights", wrong, "correct the matrix", f"weights[{i}][{j}]", weight)


def reasons_differ(reasons: tuple[str, ...]) -> Iterator[Problem]:
    yield from _twins(reasons, "abstention_reasons[{}]", "reason")


def people_differ(roster: Roster) -> Iterator[Problem]:
    annotators = [annotator.id for annotator in roster.annotators]
    adjudicators = [adjudicator.id for adjudicator in roster.adjudicators]
    yield from _twins(annotators, "roster.annotators[{}].id", "person")
    yield from _twins(adjudicators, "roster.adjudicators[{}].id", "person")
    blind = {look_alike(person) for person in annotators}
    for i, person in enumerate(adjudicators):
        if look_alike(person) in blind:
            message = f"'{shown(person)}' also labels, and would decide on their own labels"
            fix = "name somebody who is not an annotator"
            yield _problem("adjudicator-is-annotator", message, fix, f"roster.adjudicators[{i}].id", person)


def enough_people(passes: int, roster: Roster) -> Iterator[Problem]:
    if passes < 2:
        message = "one label an item shows no agreement"
        yield _problem("one-pass", message, "plan two passes or more", "passes", str(passes))
    regular = [annotator for annotator in roster.annotators if annotator.regular]
    if len(regular) < max(passes, 2):
        message = f"{max(passes, 2)} passes need as many people, and {len(regular)} would label"
        fix = "add human annotators who are not reserves"
        yield _problem("too-few-annotators", message, fix, "roster.annotators", str(len(regular)))


def slices_are_drawn(slices: Slices) -> Iterator[Problem]:
    if slices.uniform is None and not slices.strata:
        yield _problem("no-slices", "nothing would be drawn", "declare uniform, strata, or both", "slices")
    yield from _twins([stratum.name for stratum in slices.strata], "slices.strata[{}].name", "slice")
    for i, stratum in enumerate(slices.strata):
        where = f"slices.strata[{i}]"
        if stratum.name in RESERVED_SLICES:
            message = f"'{stratum.name}' has a meaning of its own"
            yield _problem("reserved-name", message, "choose another name", f"{where}.name", stratum.name)
        yield from _condition(stratum.where, f"{where}.where")


def _condition(where: Condition, path: str) -> Iterator[Problem]:
    given = {"equals": where.equals, "in": where.is_in, "at_least": where.at_least, "below": where.below}
    named = [key for key, value in given.items() if value is not None]
    if len(named) != 1:
        found = "none is given" if not named else f"{' and '.join(named)} are given"
        message = f"a condition is one of equals, in, at_least, below, and {found}"
        yield _problem("bad-condition", message, "give exactly one", path)
    if where.is_in == ():
        yield _problem("bad-condition", "no item can meet an empty list", "name the values", f"{path}.in")


def stop_is_reachable(stop: Stop | None, categories: tuple[Category, ...]) -> Iterator[Problem]:
    if stop is None:
        return
    if stop.union_positives > stop.at_most_items:
        message = f"{stop.at_most_items} items cannot hold {stop.union_positives} positives"
        yield _problem("bad-stop", message, "allow more items than positives", "stop.at_most_items")
    if not any(category.positive for category in categories):
        fix = "mark a category `positive: true`"
        yield _problem("no-positive-category", "no category is positive", fix, "stop.union_positives")


def release_is_limited(release: ReleaseRule) -> Iterator[Problem]:
    if release.unresolved == "out" and release.at_most_unresolved is None:
        message = "leaving contested items out needs a limit: without them every judge looks better"
        yield _problem("no-limit", message, 'add at_most_unresolved, such as "0.02"', "release.unresolved", "out")


def rules_can_be_judged(
    gate: Gate, categories: tuple[Category, ...], slices: Slices, roster: Roster, traffic: bool, weights: Any
) -> Iterator[Problem]:
    """The gate itself says which rules it can judge, by the same key paths."""
    yield from check_rules(
        gate.rules,
        categories=[category.value for category in categories],
        positive=[category.value for category in categories if category.positive],
        n_annotators=sum(annotator.regular for annotator in roster.annotators),
        slices=slices.names(),
        traffic=traffic,
        weights=weights is not None,
    )


def _twins(names: Iterable[str], path: str, what: str) -> Iterator[Problem]:
    """Names that are equal, or that a reader would take for one another."""
    first: dict[str, str] = {}
    for i, name in enumerate(names):
        key = look_alike(name)
        if key not in first:
            first[key] = name
        elif first[key] == name:
            yield _problem(f"duplicate-{what}", f"'{shown(name)}' stands twice", "keep one", path.format(i), name)
        else:
            message = f"'{shown(name)}' and '{shown(first[key])}' look alike"
            yield _problem(f"look-alike-{what}", message, "name them apart", path.format(i), name)


def _problem(code: str, message: str, fix: str, path: str, value: str | None = None) -> Problem:
    return Problem(code, message, fix, column=path, value=None if value is None else shown(value))


CHECKS: tuple[tuple[Callable[..., Iterator[Problem]], tuple[str, ...]], ...] = (
    (categories_differ, ("categories",)),
    (scale_fits, ("scale", "weights", "categories")),
    (reasons_differ, ("abstention_reasons",)),
    (people_differ, ("roster",)),
    (enough_people, ("passes", "roster")),
    (slices_are_drawn, ("slices",)),
    (stop_is_reachable, ("stop", "categories")),
    (release_is_limited, ("release",)),
    (rules_can_be_judged, ("gate", "categories", "slices", "roster", "traffic", "weights")),
)
