"""Exports of other tools through the whole ingest: the same labels in the store, whatever they came in as."""

from collections import Counter
from datetime import UTC, datetime

import pytest
import ten_items as t

from agreement.errors import InputRefused
from flows.formats.items import content_hash
from flows.ingest import ingest
from flows.open import open_round
from flows.register import register
from flows.storage.project import Project
from flows.storage.store import rows

STUDY = """\
study: verdicts
question: Is it so?
unit: one text
guideline: {version: "1.0", file: guideline.md}
scale: nominal
categories: [{value: "yes", positive: true, definition: it is}, {value: "no", definition: it is not}]
abstention_reasons: [unclear]
roster: {annotators: [{id: ada}, {id: bo}], adjudicators: [{id: dee}]}
passes: 2
slices: {uniform: {rate: "0.10"}}
interval: {level: "0.95", resamples: 1000, seed: 1}
gate:
  use: a test
  because: a test
  rules:
    - {slice: uniform, statistic: union_positives, at_least: "1"}
    - {slice: uniform, statistic: krippendorff_alpha, at_least: "-1"}
"""
ROUND = 'study: verdicts\nround: r1\nkind: measured\nguideline_version: "1.0"\nframe: frame.csv\n'
NOW = datetime(2026, 4, 2, tzinfo=UTC)


@pytest.fixture
def opened(tmp_path):
    """A project with the round of the ten items open; gives a function that brings files in."""

    def open_(more="", versions=True):
        folder = tmp_path / "r1"
        folder.mkdir()
        (tmp_path / "study.yaml").write_text(STUDY)
        (tmp_path / "guideline.md").write_text("Look.\n")
        frame = "".join(f"{item},{content_hash(text) if versions else 'v1'},uniform\n" for item, text, *_ in t.ITEMS)
        (folder / "frame.csv").write_text("item_id,item_version,slice\n" + frame)
        (folder / "round.yaml").write_text(ROUND + more)
        project = Project(tmp_path / "data", clock=lambda: NOW)
        register(project, tmp_path / "study.yaml")
        open_round(project, folder)

        def bring(files, **options):
            paths = []
            for name, data in files.items():
                path = folder / name.replace("/", "-")
                path.write_bytes(data)
                paths.append(path)
            return ingest(project, "r1", paths, **options)

        bring.project, bring.folder = project, folder
        return bring

    return open_


def stored(project):
    with project.reading() as con:
        return sorted(rows(con, "select item_id, annotator_id, label from raw_label where status = 'labelled'"))


EXPECTED = sorted((item, person, label) for item, _, person, label in t.LABELS)
CASES = [
    ("label-studio", t.label_studio, ""),
    ("prodigy", t.prodigy_choice, "columns: {item_id: item}\n"),
    ("doccano", t.doccano_zip, ""),
    ("labelbox", t.labelbox, ""),
    ("mturk", t.mturk, "question: verdict\ncolumns: {item_id: Input.key}\ncontent: [Input.text]\n"),
]


@pytest.mark.parametrize(("name", "write", "more"), CASES)
def test_an_export_comes_in_as_it_is(opened, name, write, more):
    bring = opened(more)
    result = bring(write())
    assert (result.n_new, result.n_extra) == (20, 0)
    assert stored(bring.project) == EXPECTED
    payload = result.event.payload
    assert payload["notes"][0].startswith(f"read as {name}")
    assert payload["loss"] == list(result.files[0].loss)
    assert any("abstention" in sentence for sentence in payload["loss"])
    assert bring(write()).already_done


def test_another_version_of_an_item_is_noticed(opened):
    """The frame's versions are content hashes: an export of a changed text is refused."""
    bring = opened()
    files = {"export.json": t.label_studio()["export.json"].replace(b"plain text six", b"plain text 6")}
    with pytest.raises(InputRefused) as refused:
        bring(files)
    assert refused.value.counts == {"other-item-version": 2}
    problem = refused.value.problems[0]
    assert problem.line is None
    assert "[5].annotations[0]" in problem.column


def test_a_frame_with_versions_of_its_own_is_not_compared(opened):
    bring = opened(versions=False)
    assert bring(t.label_studio()).n_new == 20


def test_people_and_labels_are_mapped_after_reading(opened):
    bring = opened("annotators: {ada@example.org: ada}\nlabels: {Yes!: 'yes'}\n")
    data = t.label_studio()["export.json"].replace(b'"email": "ada"', b'"email": "ada@example.org"')
    assert bring({"export.json": data.replace(b'["yes"]', b'["Yes!"]')}).n_new == 20
    assert stored(bring.project) == EXPECTED


def test_unknown_people_and_near_labels_stop_the_ingest(opened):
    bring = opened()
    data = t.label_studio()["export.json"].replace(b'"email": "ada"', b'"email": "eve"', 1)
    with pytest.raises(InputRefused) as refused:
        bring({"export.json": data.replace(b'["yes"]', b'["Yes "]', 1)})
    assert refused.value.counts == {"unknown-annotator": 1, "near-miss-label": 1}
    assert stored(bring.project) == []


def test_a_refused_export_is_an_event_with_its_reasons(opened):
    bring = opened()
    with pytest.raises(InputRefused):
        bring({"all.jsonl": t.json_lines([{"text": "t", "key": "q-01", "label": ["yes"]}])})
    refusal = next(event for event in bring.project.events() if event.type == "ingest.refused")
    assert refusal.payload["counts"] == [["merged-annotators", 1]]


def test_answers_that_are_not_own_are_kept_and_counted(opened):
    """A gold star is refused unless set aside; a copy from a prediction is stored beside the own labels."""
    bring = opened()
    data = t.label_studio()["export.json"]
    gold = data.replace(b'"ground_truth": false', b'"ground_truth": true', 1)
    with pytest.raises(InputRefused) as refused:
        bring({"export.json": gold})
    assert refused.value.counts == {"gold-row": 1}
    assert bring({"export.json": gold}, set_aside=["gold"]).n_set_aside == 1
    with bring.project.reading() as con:
        assert Counter(dict(rows(con, "select origin, count(*) from raw_label group by all"))) == {"own": 19, "gold": 1}


def test_a_map_in_the_round_s_folder_reads_anybody_s_tool(opened):
    bring = opened("map: our-tool.yaml\n")
    (bring.folder / "our-tool.yaml").write_text(
        "format: our-tool\nabout: one row a click\n"
        "columns: {item_id: thing, annotator_id: who, label: said}\n"
        "abstained: {column: said, reasons: {dunno: unclear}}\nloss: [clicks have no time]\n"
    )
    data = t.table(("thing", "who", "said", "noise"), [("q-01", "ada", "yes", "x"), ("q-02", "ada", "dunno", "x")])
    result = bring({"clicks.csv": data})
    assert "clicks have no time" in result.files[0].loss
    with bring.project.reading() as con:
        assert rows(con, "select item_id, status, abstain_reason from raw_label order by 1") == [
            ("q-01", "labelled", ""), ("q-02", "abstained", "unclear"),
        ]  # fmt: skip


def test_the_question_of_the_command_goes_before_the_round_file_s(opened):
    bring = opened("question: tone\n")
    assert bring(t.label_studio(), question="verdict").n_new == 20
