"""Every reason code: one defect planted, the refusal names the code, the line, the column and the value."""

from __future__ import annotations

import gzip
import io
import os
import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from agreement.errors import InputRefused, Problem
from flows.ingest import ingest
from flows.labels import set_checks, trap_checks
from schemas.reasons import REASONS
from schemas.records import COLUMN_OF, ID_REASONS

H = "item_id,annotator_id,label\n"
ALL = "item_id,item_version,annotator_id,status,label,abstain_reason,guideline_version,labelled_at,origin\n"
OK = "b-1,ada,supported\n"


def full(**changed: str) -> str:
    """One good row of all columns, but for what is changed."""
    row = dict(
        zip(ALL.strip().split(","), ["007", "v1", "ada", "labelled", "supported", "", "1.0", "", "own"], strict=True)
    )
    return ALL + ",".join({**row, **changed}.values()) + "\n"


# code, file, line, column, value
PLANTED: list[tuple[str, str | bytes, int | None, str | None, str | None]] = [
    ("empty-file", "", None, None, None),
    ("not-utf8", H.encode() + b"b-1,ada,caf\xe9\n", 2, "label (column 3)", "caf\\xe9"),
    ("control-character", H + "b-1,ada,sup\x00ported\n", 2, "label (column 3)", "sup\\x00ported"),
    ("bare-cr", H + OK + "b-2,ada,supp\rorted\n", 3, "label (column 3)", "supp\\rorted"),
    ("unterminated-quote", H + OK + 'b-2,"ada,supported\n', 3, "annotator_id (column 2)", '"ada,supported\\n'),
    ("stray-quote", H + OK + 'b-2,ada,"supp"orted\n', 3, "label (column 3)", '"supp"orted'),
    ("ragged-row", H + OK + "b-2,ada\n", 3, None, "b-2,ada"),
    ("blank-line", H + OK + "\nb-2,ada,supported\n", 3, None, ""),
    ("truncated", H + OK + "b-2,ad", 3, None, "b-2,ad"),
    ("too-large", H + "b-1,ada," + "x" * 2_000_001 + "\n", 2, None, None),
    ("duplicate-column", "item_id,Item_ID,annotator_id,label\n", 1, "column 2", "Item_ID"),
    ("blank-column", "item_id,annotator_id,label,\nb-1,ada,supported,x\n", 1, "column 4", None),
    ("missing-column", "item_id,annotator_id,label \n" + OK, 1, "label", None),
    (
        "unexpected-column",
        "item_id,annotator_id,label,model_says\nb-1,ada,supported,no\n",
        1,
        "model_says (column 4)",
        None,
    ),
    ("no-rows", H, 1, None, None),
    ("compressed", gzip.compress(H.encode()), None, None, None),
    ("web-page", "<!DOCTYPE html>\n<html><title>Sign in, please</title></html>\n", None, None, None),
    ("header-not-first", "Labels of r1\n" + H + OK, 1, None, "Labels of r1"),
    ("damaged-parquet", b"PAR1 and no more", None, None, None),
    ("unknown-annotator", H + OK + "b-2,Adele,supported\n", 3, "annotator_id (column 2)", "Adele"),
    ("adjudicator-as-annotator", H + "b-1,dee,supported\n", 2, "annotator_id (column 2)", "dee"),
    ("unknown-status", full(status="done"), 2, "status (column 4)", "done"),
    ("unknown-origin", full(origin="theirs"), 2, "origin (column 9)", "theirs"),
    ("blank-label", H + OK + "b-2,ada,\n", 3, "label (column 3)", ""),
    ("unknown-label", H + OK + "b-2,ada,mabye\n", 3, "label (column 3)", "mabye"),
    ("near-miss-label", H + OK + "b-2,ada,Supported \n", 3, "label (column 3)", "Supported "),
    ("several-labels", H + "b-1,ada,supported|unsupported\n", 2, "label (column 3)", "supported|unsupported"),
    ("label-without-answer", full(status="skipped"), 2, "label (column 5)", "supported"),
    ("abstain-without-reason", full(status="abstained", label=""), 2, "abstain_reason (column 6)", ""),
    (
        "undeclared-abstain-reason",
        full(status="abstained", label="", abstain_reason="tired"),
        2,
        "abstain_reason (column 6)",
        "tired",
    ),
    (
        "reason-without-abstention",
        full(abstain_reason="source-missing"),
        2,
        "abstain_reason (column 6)",
        "source-missing",
    ),
    ("other-guideline-version", full(guideline_version="0.9"), 2, "guideline_version (column 7)", "0.9"),
    ("bad-time", full(labelled_at="01.04.2026"), 2, "labelled_at (column 8)", "01.04.2026"),
    ("blank-id", H + ",ada,supported\n", 2, "item_id (column 1)", ""),
    ("id-not-nfc", H + "cafe\u0301,ada,supported\n", 2, "item_id (column 1)", "cafe\u0301"),
    ("id-characters", H + "b\u200b-1,ada,supported\n", 2, "item_id (column 1)", "b\\u200b-1"),
    ("id-too-long", H + "x" * 201 + ",ada,supported\n", 2, "item_id (column 1)", "x" * 79 + "…"),
    ("unknown-item", H + OK + "q-77,ada,supported\n", 3, "item_id (column 1)", "q-77"),
    ("near-miss-item", H + OK + "7,ada,supported\n", 3, "item_id (column 1)", "7"),
    ("other-round", H + "z-1,ada,supported\n", 2, "item_id (column 1)", "z-1"),
    ("other-item-version", full(item_version="v0"), 2, "item_version (column 2)", "v0"),
    ("gold-row", full(origin="gold"), 2, "item_id (column 1)", "007"),
    ("duplicate-row", H + OK + OK, 3, "item_id (column 1)", "b-1"),
    ("conflicting-duplicate", H + OK + "b-1,ada,unsupported\n", 3, "item_id (column 1)", "b-1"),
    ("changed-label", H + "b-9,ada,unsupported\n", 2, "label (column 3)", "unsupported"),
    ("constant-item-id", H + 3 * OK, None, "item_id (column 1)", "b-1"),
    ("transposed-matrix", "item_id,annotator_id,label\nada,b-1,supported\n", 2, "item_id (column 1)", "ada"),
    ("one-author", H + 2 * (OK + "b-2,ada,supported\n"), None, "annotator_id (column 2)", "ada"),
    ("abstention-spelling", H + OK + "b-2,ada,Not sure\n", 3, "label (column 3)", "Not sure"),
    ("bad-json", '{"item_id": "b-1"\n', 1, None, '{"item_id": "b-1"'),
    ("duplicate-key", '{"item_id": "b-1", "item_id": "b-2"}\n', 1, "item_id", None),
    (
        "nested-value",
        '{"item_id": {"a": 1}, "annotator_id": "ada", "label": "supported"}\n',
        1,
        "item_id",
        '{"a": "1"}',
    ),
]


def problem_of(refused: InputRefused, code: str) -> Problem:
    found = [p for p in refused.problems if p.code == code]
    assert found, f"{code} not among {[(p.code, p.line, p.value) for p in refused.problems]}"
    return found[0]


@pytest.mark.parametrize(("code", "data", "line", "column", "value"), PLANTED, ids=[case[0] for case in PLANTED])
def test_each_planted_defect_is_refused_with_its_place(
    standing: Any, code: str, data: str | bytes, line: int | None, column: str | None, value: str | None
) -> None:
    before = standing.labels()
    with pytest.raises(InputRefused) as refused:
        standing.ingest(data)
    found = problem_of(refused.value, code)
    assert (found.file, found.line, found.column) == ("labels.csv", line, column)
    if value is not None:
        assert found.value == value
    assert found.fix == REASONS[code].fix
    assert found.message
    assert standing.labels() == before
    assert standing.project.events()[-1].type == "ingest.refused"
    assert code in dict(standing.project.events()[-1].payload["counts"])


def parquet(**columns: pa.Array) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return buffer.getvalue()


def workbook(*sheets: list[list[object]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for rows in sheets:
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


NAMES = ["item_id", "annotator_id", "label"]
# code, name of the file, its bytes, line, column
PLANTED_IN_OTHERS: list[tuple[str, str, Callable[[], bytes], int | None, str | None]] = [
    ("json-array", "l.json", lambda: b'["b-1"]', 1, None),
    (
        "column-type",
        "l.parquet",
        lambda: parquet(item_id=pa.array(["b-1"]), annotator_id=pa.array(["ada"]), label=pa.array([0.5])),
        None,
        "label (column 3)",
    ),
    ("several-sheets", "l.xlsx", lambda: workbook([NAMES], [NAMES]), None, None),
    ("formula-cell", "l.xlsx", lambda: workbook([NAMES, ["b-1", "ada", "=A1"]]), 2, "label (column 3)"),
    ("error-cell", "l.xlsx", lambda: workbook([NAMES, ["b-1", "ada", "#N/A"]]), 2, "label (column 3)"),
    ("converted-cell", "l.xlsx", lambda: workbook([NAMES, [1.5, "ada", "supported"]]), 2, "item_id (column 1)"),
    ("damaged-workbook", "l.xlsx", lambda: workbook([NAMES]).replace(b"<worksheet", b"<w0rksheet"), None, None),
]


@pytest.mark.parametrize(
    ("code", "name", "make", "line", "column"), PLANTED_IN_OTHERS, ids=[case[0] for case in PLANTED_IN_OTHERS]
)
def test_each_defect_of_other_kinds_of_file_is_refused(
    standing: Any, code: str, name: str, make: Callable[[], bytes], line: int | None, column: str | None
) -> None:
    data = make() if code != "damaged-workbook" else _broken_workbook()
    with pytest.raises(InputRefused) as refused:
        ingest(standing.project, "r1", [standing.write(data, name)])
    found = problem_of(refused.value, code)
    assert (found.line, found.column) == (line, column)
    assert len(standing.labels()) == 1


def _broken_workbook() -> bytes:
    import zipfile

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("xl/workbook.xml", "<")
    return buffer.getvalue()


def test_a_constant_beside_a_column_is_refused(make_round: Callable[..., Any]) -> None:
    made = make_round(extra="constants: {annotator_id: ada}\n")
    with pytest.raises(InputRefused) as refused:
        made.ingest(H + OK)
    found = problem_of(refused.value, "constant-and-column")
    assert (found.line, found.column) == (1, "annotator_id")


def test_files_that_are_no_files_are_refused(standing: Any) -> None:
    (standing.folder / "link.csv").symlink_to(standing.folder / "study.yaml")
    os.mkfifo(standing.folder / "pipe.csv")
    for name, code in [
        ("link.csv", "not-a-regular-file"),
        ("pipe.csv", "not-a-regular-file"),
        ("no.csv", "no-such-file"),
    ]:
        with pytest.raises(InputRefused) as refused:
            ingest(standing.project, "r1", [standing.folder / name])
        assert problem_of(refused.value, code).file == name


def test_every_defect_of_a_file_is_listed_in_the_order_of_its_lines(standing: Any) -> None:
    text = H + "7,ada,supported\nb-1,zed,yes\nb-2,ada,\nb-3,ada,supported\nb-3,ada,supported\n"
    with pytest.raises(InputRefused) as refused:
        standing.ingest(text)
    assert [(p.line, p.code) for p in refused.value.problems] == [
        (2, "near-miss-item"),
        (3, "unknown-annotator"),
        (3, "unknown-label"),
        (4, "blank-label"),
        (6, "duplicate-row"),
    ]
    assert refused.value.headline == "labels.csv: 4 of 5 rows refused, nothing stored"


def test_a_thousand_problems_are_listed_and_all_are_counted(standing: Any) -> None:
    text = H + "".join(f"q-{i},ada,wrong-{i}\n" for i in range(1500))
    with pytest.raises(InputRefused) as refused:
        standing.ingest(text)
    assert len(refused.value.problems) == 1000
    assert refused.value.counts == {"unknown-item": 1500, "unknown-label": 1500}


def test_lines_are_physical_also_after_newlines_inside_cells(make_round: Callable[..., Any]) -> None:
    made = make_round(extra="ignore: [note]\n")
    text = 'item_id,annotator_id,label,note\nb-1,ada,supported,"one\ntwo\nthree"\nb-2,ada,mabye,\n'
    with pytest.raises(InputRefused) as refused:
        made.ingest(text)
    assert problem_of(refused.value, "unknown-label").line == 5


NEAR = ["7", "B-1", "b-1 ", "b_1", "０07", "7.0"]


@pytest.mark.parametrize("item", NEAR)
def test_nearly_right_ids_are_refused_with_the_item_they_resemble(standing: Any, item: str) -> None:
    with pytest.raises(InputRefused) as refused:
        standing.ingest(H + f"{item},ada,supported\n")
    wanted = "'007'" if "7" in item else "'b-1'"
    assert wanted in problem_of(refused.value, "near-miss-item").message


NOT_ABSTENTIONS = ["", "NA", "null", "None", "n/a", "-"]


@pytest.mark.parametrize("label", NOT_ABSTENTIONS)
def test_only_the_declared_status_means_abstain(standing: Any, label: str) -> None:
    with pytest.raises(InputRefused) as refused:
        standing.ingest(H + f"b-1,ada,{label}\n")
    codes = {p.code for p in refused.value.problems} - {"abstention-spelling"}  # what it may have meant is said beside
    assert codes == {"blank-label" if label == "" else "unknown-label"}


# Reached only by a race, another user's file, a reader's own fault, or from other verbs (their tests plant them).
ELSEWHERE = {"changed-during-read", "cannot-be-opened", "unreadable", "schema-unspecified"}


def test_every_code_has_a_planted_defect() -> None:
    planted = {case[0] for case in PLANTED} | {case[0] for case in PLANTED_IN_OTHERS}
    planted |= {"constant-and-column", "not-a-regular-file", "no-such-file"}
    ours = {r.code for r in REASONS.values() if r.check.split(":")[0] in ("bytes", "table", "row", "set", "trap")}
    assert ours - planted == ELSEWHERE


def test_every_code_names_a_check_that_exists() -> None:
    for reason in REASONS.values():
        kind, name = reason.check.split(":")
        if kind == "row" and name != "any":
            assert name == reason.code
            assert name in COLUMN_OF or name in ID_REASONS
        elif kind in ("set", "trap"):
            assert callable(getattr(set_checks if kind == "set" else trap_checks, name))
        assert re.fullmatch(r"[a-z0-9-]+", reason.code)
        assert reason.meaning
        assert reason.fix.endswith(".")


REFUSED_BYTES = {
    "a label": H.encode() + b"b-1,ada,mabye\n",
    "gzip": gzip.compress(H.encode()),
    "a web page": b"<html>no</html>",
    "zeros": b"\x00" * 9,
    "nothing": b"",
}


@pytest.mark.parametrize("data", REFUSED_BYTES.values(), ids=REFUSED_BYTES)
def test_the_folder_of_objects_holds_the_refused_bytes(standing: Any, data: bytes) -> None:
    with pytest.raises(InputRefused):
        standing.ingest(data)
    refused = standing.project.events()[-1]
    assert (refused.type, refused.payload["raw"]) == ("ingest.refused", sha256(data).hexdigest())
    assert Path(standing.project.objects.path(refused.payload["raw"])).read_bytes() == data
