"""From a labels file to report.json: the tables of the mission as exact fractions, and the same bytes every time."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from flows.measure import measure
from flows.report import past_report, write_report
from schemas.report import EstimateRecord, Report, SliceRecord, to_json

# Facts of the mission's worked tables: (both, first only, second only, neither), then fractions by definition.
STATISTICS = (
    "percent_agreement",
    "cohen_kappa_expected_agreement",
    "cohen_kappa",
    "cohen_kappa_max",
    "share_of_max",
    "scott_pi",
    "gwet_ac1",
    "krippendorff_alpha",
    "positive_specific_agreement",
    "negative_specific_agreement",
    "union_positive_rate",
    "joint_positive_rate",
    "jaccard",
    "contested_share",
    "never flags, against the first",
    "never flags, against the second",
)
TABLES = {
    "500 answers": (
        (6, 21, 14, 459),
        "93/100 11379/12500 246/1121 946/1121 123/473 9791/44791 420209/455209 9826/44791 12/47 918/953 41/500 3/250 "
        "6/41 35/41 473/500 24/25",
    ),
    "1,000 outputs": (
        (4, 18, 22, 956),
        "24/25 119143/125000 857/5857 5357/5857 857/5357 107/732 14268/14893 1717/11712 1/6 239/244 11/250 1/250 "
        "1/11 10/11 489/500 487/500",
    ),
    "ten, balanced": ((4, 1, 1, 4), "4/5 1/2 3/5 1 3/5 3/5 3/5 31/50 4/5 4/5 3/5 2/5 2/3 1/3 1/2 1/2"),
    "ten, skewed": ((0, 1, 1, 8), "4/5 41/50 -1/9 1 -1/9 -1/9 31/41 -1/18 0 8/9 1/5 0 0 1 9/10 9/10"),
    "100 posts": (
        (7, 5, 3, 85),
        "23/25 201/250 29/49 44/49 29/44 579/979 3621/4021 581/979 7/11 85/89 3/20 7/100 7/15 8/15 22/25 9/10",
    ),
    "1,000, balanced": ((480, 20, 20, 480), "24/25 1/2 23/25 - - - - - 24/25 - - - - - - -"),
}
PASSING = {"uniform": {"++": 20, "+-": 1, "--": 19, ".-": 1}}


def labels(both: int, first: int, second: int, neither: int) -> dict[str, dict[str, int]]:
    return {"uniform": {"++": both, "+-": first, "-+": second, "--": neither}}


def exact(record: SliceRecord) -> dict[str, Fraction | None]:
    """Every figure of a slice that is a fraction, by name."""
    found = {e.statistic: None if e.exact is None else Fraction(e.exact) for e in by_name(record).values()}
    (pair,) = record.pairs
    found["never flags, against the first"] = Fraction(pair.never_flags_vs_first or "-1")
    found["never flags, against the second"] = Fraction(pair.never_flags_vs_second or "-1")
    return found


def by_name(record: SliceRecord) -> dict[str, EstimateRecord]:
    return {e.statistic: e for e in record.estimates if e.category is None}


@pytest.mark.parametrize(("cells", "fractions"), TABLES.values(), ids=TABLES)
def test_every_table_of_the_mission_comes_out_as_exact_fractions(
    make: Any, cells: tuple[int, int, int, int], fractions: str
) -> None:
    make.register()
    (uniform,) = make.counted(labels(*cells)).slices
    found = exact(uniform)
    expected = {n: Fraction(f) for n, f in zip(STATISTICS, fractions.split(), strict=True) if f != "-"}
    assert {name: found[name] for name in expected} == expected
    assert uniform.pairs[0].table == [[cells[0], cells[1]], [cells[2], cells[3]]]


def test_the_interval_of_the_500_answers_and_its_effective_sample_size(make: Any) -> None:
    """Clopper-Pearson on 6 of 41, transformed: 0.1054 to 0.4517 (shared/golden/mission_cases.json, psa_500)."""
    make.register()
    (uniform,) = make.counted(labels(6, 21, 14, 459)).slices
    found = by_name(uniform)["positive_specific_agreement"]
    assert (found.lower, found.upper, found.value) == ("0.1054", "0.4517", "0.2553")
    assert uniform.positives is not None
    assert (uniform.positives.union, uniform.positives.n_eff) == (41, "41.0000")
    assert by_name(uniform)["positive_share"].exact == "47/1000"
    assert {e.statistic: e.exact for e in uniform.pairs[0].estimates}["chance_positive_specific_agreement"] == "54/1175"


def test_two_annotators_have_one_interval_in_the_slice_and_as_a_pair(make: Any) -> None:
    make.register()
    (uniform,) = make.counted(labels(6, 21, 14, 59)).slices
    pair = {e.statistic: e for e in uniform.pairs[0].estimates}
    for name in ("cohen_kappa", "krippendorff_alpha", "gwet_ac1", "percent_agreement"):
        assert (pair[name].lower, pair[name].upper) == (by_name(uniform)[name].lower, by_name(uniform)[name].upper)


def test_one_class_only_is_undefined_and_never_0_or_1(make: Any) -> None:
    make.register()
    report = make.counted(labels(0, 0, 0, 10))
    found = by_name(report.slices[0])
    assert found["percent_agreement"].exact == "1"
    for name in ("cohen_kappa", "scott_pi", "krippendorff_alpha", "positive_specific_agreement", "jaccard"):
        assert (found[name].value, found[name].exact) == (None, None)
        assert found[name].status.startswith("undefined: ")
    assert report.verdict.status == "fail"  # no union positive; and nothing undefined passed
    assert {rule.verdict for rule in report.verdict.rules} == {"fail", "not_evaluable"}
    assert b"NaN" not in to_json(report)


def test_an_item_only_one_labelled_is_counted_and_never_a_category(make: Any) -> None:
    """The balanced ten plus one item only the second labelled (mission_cases.json, coverage_11)."""
    make.register()
    (uniform,) = make.counted({"uniform": {"++": 4, "+-": 1, "-+": 1, "--": 4, ".+": 1}}).slices
    found = by_name(uniform)
    assert (uniform.coverage.items, uniform.coverage.paired) == (11, 10)
    assert [person.coverage.missing for person in uniform.annotators] == [1, 0]
    assert (found["coverage"].exact, found["cohen_kappa"].exact) == ("10/11", "3/5")


@pytest.mark.parametrize(("people", "patterns"), [("ada bo", ["..", "a."]), ("ada bo cy", ["...", "a..", "d.."])])
def test_a_round_in_which_nobody_has_a_partner_is_measured_and_has_no_figures(
    new_maker: Callable[..., Any], people: str, patterns: list[str]
) -> None:
    make = new_maker(annotators=people)
    make.register()
    report = make.counted({"uniform": dict.fromkeys(patterns, 2)})
    (uniform,) = report.slices
    assert (uniform.coverage.paired, uniform.coverage.labelled) == (0, 0)
    assert by_name(uniform)["krippendorff_alpha"].status.startswith("undefined: ")
    assert by_name(uniform)["coverage"].exact == "0"
    assert report.verdict.status == "fail"  # 0 union positives, asked for 1


# Slices.

PARTS = {
    "a": {"++": 12, "+-": 1, "-+": 2, "--": 15},
    "b": {"++": 1, "+-": 5, "-+": 4, "--": 20, "a-": 2},
    "c": {"++": 3, "+-": 3, "-+": 3, "--": 30, "+.": 1},
}


@pytest.mark.parametrize("order", list(itertools.permutations("abc"))[::2])
def test_each_figure_follows_its_slice_s_rows(make: Any, order: tuple[str, ...]) -> None:
    """The same three sets of rows under other slice names: every count and exact figure moves with them."""
    names = ("uniform", "flagged", "hard")
    make.register(make.study(slices=names))
    report = make.counted({name: PARTS[part] for name, part in zip(names, order, strict=True)})
    assert [one.name for one in report.slices] == list(names)
    for one, part in zip(report.slices, order, strict=True):
        cells = PARTS[part]
        assert one.pairs[0].table == [[cells["++"], cells["+-"]], [cells["-+"], cells["--"]]]
        assert one.coverage.items == sum(cells.values())
        psa = Fraction(2 * cells["++"], 2 * cells["++"] + cells["+-"] + cells["-+"])
        assert exact(one)["positive_specific_agreement"] == psa
        # Only the uniform slice speaks of traffic, so only it has shares of positives.
        assert ("union_positive_rate" in by_name(one)) == (one.name == "uniform")
        assert one.speaks_of == ("traffic" if one.name == "uniform" else "hard cases")


# The same bytes.


@pytest.fixture(scope="module")
def reported_once(tmp_path_factory: pytest.TempPathFactory, maker_in: Callable[..., Any]) -> Any:
    make = maker_in(tmp_path_factory.mktemp("reported"))
    make.register()
    make.measured(PASSING)
    make.report()
    return make


@pytest.fixture
def reported(reported_once: Any, tmp_path: Path) -> Any:
    """A round with its report, pages and all."""
    return reported_once.copied_to(tmp_path / "copy")


def files(make: Any, version: int = 1) -> dict[str, bytes]:
    folder = make.project.reports / "promises" / "r1" / f"v{version}"
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_report_json_is_the_record_and_nothing_else(reported: Any) -> None:
    found = files(reported)
    assert set(found) == {"report.json", "report.html", "report.md"}
    report = Report.model_validate_json(found["report.json"])
    assert to_json(report) == found["report.json"]
    measured = next(event for event in reported.events() if event.type == "round.measured")
    assert (report.ledger_head.size, report.ledger_head.hash) == (measured.seq, measured.hash)
    assert (report.version, report.changes, report.verdict.status) == (1, [], "pass")


def test_pages_hold_no_path_and_no_number_that_is_no_number(reported: Any) -> None:
    for name, data in files(reported).items():
        assert str(reported.folder).encode() not in data
        assert not {b"NaN", b"Infinity", b"None"} & set(data.split()), name


PROGRAM = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from flows.close import close_round
from flows.ingest import ingest
from flows.measure import measure
from flows.open import open_round
from flows.storage.project import Project
from flows.register import register
from flows.report import write_report
root, inputs = map(Path, sys.argv[1:])
noon = datetime(2026, 4, 1, 12, tzinfo=UTC)
project = Project(root, clock=lambda: noon, actor=lambda: "tester", new_id=lambda: "test")
register(project, inputs / "promises-1.0.yaml")
open_round(project, inputs / "r1")
ingest(project, "r1", [inputs / "r1" / "labels.csv"], set_aside=["other-version"])
close_round(project, "r1", incomplete="some labels never came")
measure(project, "r1")
write_report(project, "r1")
"""


def test_another_process_with_other_surroundings_writes_the_same_bytes(reported: Any, tmp_path: Path) -> None:
    root = tmp_path / "elsewhere"
    surroundings = {"PYTHONHASHSEED": "4711", "TZ": "Asia/Kathmandu", "LC_ALL": "C", "COLUMNS": "20"}
    subprocess.run(
        [sys.executable, "-c", PROGRAM, str(root), str(reported.folder)],
        check=True,
        cwd=tmp_path,
        env={**os.environ, **surroundings},
    )
    there = {path.name: path.read_bytes() for path in sorted((root / "reports/promises/r1/v1").iterdir())}
    assert there == files(reported)
    assert (root / "ledger.jsonl").read_bytes() == reported.project.ledger_path.read_bytes()


def test_writing_it_again_is_already_done_and_lost_files_come_back_byte_for_byte(reported: Any) -> None:
    before, ledger = files(reported), reported.project.ledger_path.read_bytes()
    assert reported.report().already_done
    for name in before:
        (reported.project.reports / "promises" / "r1" / "v1" / name).unlink()
    assert reported.report().already_done
    assert files(reported) == before
    assert reported.project.ledger_path.read_bytes() == ledger


# Versions.


@pytest.fixture
def plain_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages take a while; these tests are about report.json."""
    from flows import report

    monkeypatch.setattr(report, "render", lambda record: {name: to_json(record) for name in report.FILES})


@pytest.mark.usefixtures("plain_pages")
def test_a_new_version_exists_exactly_when_the_content_differs(make: Any) -> None:
    make.register()
    make.measured(PASSING)
    first = make.report()
    assert measure(make.project, "r1").already_done
    assert make.report().already_done
    make.bring("item_id,annotator_id,label\nr1-uniform-41,ada,no\n", name="late.csv")
    assert not measure(make.project, "r1").already_done
    second = make.report()
    assert (first.version, second.version, second.already_done) == (1, 2, False)
    assert "late_labels: 0, now 1" in second.report.changes
    assert any(line.startswith("submissions: 1 entries, now 2") for line in second.report.changes)
    assert second.report.verdict == first.report.verdict
    assert set(files(make, 1)) == set(files(make, 2))
    assert json.loads(files(make, 1)["report.json"])["version"] == 1


@pytest.mark.usefixtures("plain_pages")
def test_a_past_report_can_be_read_as_it_was(make: Any) -> None:
    make.register()
    make.measured(PASSING)
    first = make.report()
    at = len(make.events())
    make.bring("item_id,annotator_id,label\nr1-uniform-41,ada,no\n", name="late.csv")
    measure(make.project, "r1")
    second = make.report()
    assert past_report(make.project, "r1", at) == first.report
    assert past_report(make.project, "r1", len(make.events())) == second.report


@pytest.mark.usefixtures("plain_pages")
def test_stopped_between_folder_and_event_the_report_is_written_again(
    make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flows.storage import published

    make.register()
    make.measured(PASSING)
    whole = published.publish

    def stopped(staged: Path, target: Path) -> None:
        whole(staged, target)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(published, "publish", stopped)
        with pytest.raises(KeyboardInterrupt):
            write_report(make.project, "r1")
    assert make.types()[-1] == "round.measured"
    assert (make.report().version, make.types()[-1]) == (1, "report.written")


@pytest.mark.usefixtures("plain_pages")
def test_a_folder_that_is_not_this_report_is_left_alone(make: Any) -> None:
    from agreement.errors import IntegrityError

    make.register()
    make.measured(PASSING)
    folder = make.project.reports / "promises" / "r1" / "v1"
    folder.mkdir(parents=True)
    (folder / "report.json").write_text("{}")
    with pytest.raises(IntegrityError, match="no event names it"):
        make.report()
    assert (folder / "report.json").read_text() == "{}"


def test_the_order_of_rows_and_files_changes_no_byte_of_the_figures(make: Any, new_maker: Callable[..., Any]) -> None:
    from flows.open import open_round
    from flows.report import measured_report

    make.register()
    first = make.counted(PASSING)
    other = new_maker()
    other.register()
    folder = other.round(PASSING)
    head, *lines = (folder / "frame.csv").read_text().splitlines()
    (folder / "frame.csv").write_text("\n".join([head, *reversed(lines)]) + "\n")
    open_round(other.project, folder)
    head, *lines = (folder / "labels.csv").read_text().splitlines()
    for n in (1, 0):
        other.bring("\n".join([head, *lines[n::2][::-1]]) + "\n", name=f"part-{n}.csv")
    other.close()
    again = measured_report(other.project.objects, measure(other.project, "r1").event)
    assert (again.slices, again.verdict) == (first.slices, first.verdict)


def test_labels_dated_in_the_future_are_noted_at_ingest_and_on_the_report(make: Any) -> None:
    make.register()
    make.open({"uniform": {"++": 1}})
    rows = ["r1-uniform-1,ada,yes,2030-01-01T00:00:00Z\n", "r1-uniform-1,bo,yes,2026-04-01T11:59:00Z\n"]
    brought = make.bring("item_id,annotator_id,label,labelled_at\n" + "".join(rows))
    assert "more.csv: 1 row dated in the future" in brought.notes
    make.close()
    measure(make.project, "r1")
    folder = make.project.root / make.report().folder
    for name in ("report.html", "report.md"):
        assert "1 row dated in the future" in (folder / name).read_text(), name
