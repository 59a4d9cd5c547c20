"""The ten items in flat files: plain ones, and the exports that a map describes."""

import io
import json

from ten_base import ITEMS, LABELS, PEOPLE, TIMES, dumped, json_lines, table

_LONG = ("item_id", "text", "annotator_id", "label", "labelled_at")


def _long_rows():
    return [(item, text, person, label, TIMES[person]) for item, text, person, label in LABELS]


def plain_csv():
    return {"labels.csv": table(_LONG, _long_rows())}


def plain_tsv():
    return {"labels.tsv": table(_LONG, _long_rows(), "\t")}


def plain_json_lines():
    return {"labels.jsonl": json_lines(dict(zip(_LONG, row, strict=True)) for row in _long_rows())}


def plain_parquet():
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.table({n: list(c) for n, c in zip(_LONG, zip(*_long_rows(), strict=True), strict=True)}), out)
    return {"labels.parquet": out.getvalue()}


def plain_excel():
    import openpyxl

    book = openpyxl.Workbook()
    for row in (_LONG, *_long_rows()):
        book.active.append(row)
    out = io.BytesIO()
    book.save(out)
    return {"labels.xlsx": out.getvalue()}


def wide_csv():
    return {"wide.csv": table(("item_id", "text", *PEOPLE), ITEMS)}


def lists_csv():
    """One row an item, lists in cells paired by position, and a first column without a name (pandas' index)."""
    rows = ((n, item, text, str([[v] for v in both]), str(list(PEOPLE))) for n, (item, text, *both) in enumerate(ITEMS))
    return {"lists.csv": table(("", "item_id", "text", "annotations", "anon_annotators"), rows)}


def hugging_face_parquet():
    """ClassLabel numbers, and their names where the datasets library writes them: in the file's metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = ["no", "yes"]
    columns = dict(zip(_LONG, zip(*_long_rows(), strict=True), strict=True))
    columns["label"] = [names.index(label) for label in columns["label"]]
    features = {"label": {"names": names, "_type": "ClassLabel"}, "text": {"dtype": "string", "_type": "Value"}}
    data = pa.table({name: list(cells) for name, cells in columns.items()})
    data = data.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": features}})})
    out = io.BytesIO()
    pq.write_table(data, out)
    return {"train-00000-of-00001.parquet": out.getvalue()}


def hugging_face_folder():
    """save_to_disk: an Arrow stream, and the features beside it."""
    import pyarrow as pa

    names = ["no", "yes"]
    columns = dict(zip(_LONG, zip(*_long_rows(), strict=True), strict=True))
    columns["label"] = [names.index(label) for label in columns["label"]]
    data, out = pa.table({name: list(cells) for name, cells in columns.items()}), io.BytesIO()
    with pa.ipc.new_stream(out, data.schema) as writer:
        writer.write_table(data)
    info = {"features": {"label": {"names": names, "_type": "ClassLabel"}}}
    return {"data-00000-of-00001.arrow": out.getvalue(), "dataset_info.json": dumped(info), "state.json": dumped({})}


TURK_COLUMNS = (
    "HITId",
    "HITTypeId",
    "Title",
    "AssignmentId",
    "WorkerId",
    "AssignmentStatus",
    "AcceptTime",
    "SubmitTime",
    "Input.key",
    "Input.text",
    "Answer.verdict",
    "Approve",
    "Reject",
)
_TURK_TIMES = {"ada": "Wed Apr 01 02:00:00 PDT 2026", "bo": "2026-04-01 10:00:00 UTC"}


def mturk():
    """As the requester site writes it: Approve and Reject have names and no cells."""
    rows = [
        (f"H{n // 2}", "T", "judge", f"A{n}", person, "Approved", "", _TURK_TIMES[person], item, text, label)
        for n, (item, text, person, label) in enumerate(LABELS)
    ]
    return {"Batch_1.csv": table(TURK_COLUMNS, rows)}


def toloka():
    header = (
        "INPUT:key",
        "INPUT:text",
        "OUTPUT:verdict",
        "GOLDEN:verdict",
        "HINT:text",
        "ASSIGNMENT:link",
        "ASSIGNMENT:assignment_id",
        "ASSIGNMENT:worker_id",
        "ASSIGNMENT:status",
        "ASSIGNMENT:started",
    )
    rows = [
        (item, text, label, "", "", "l", f"s{n // 4}", person, "APPROVED", TIMES[person])
        for n, (item, text, person, label) in enumerate(LABELS)
    ]
    return {"assignments.tsv": table(header, rows, "\t").replace(b"\nq-02", b"\n\nq-02", 1)}


def langsmith():
    return {
        "feedback.jsonl": json_lines(
            {
                "id": f"f{n}",
                "created_at": TIMES[person],
                "modified_at": TIMES[person],
                "session_id": "s",
                "run_id": item,
                "key": "verdict",
                "score": None,
                "value": label,
                "comment": "",
                "correction": None,
                "feedback_source": {"type": "app", "metadata": None, "user_id": person},
            }
            for n, (item, _, person, label) in enumerate(LABELS)
        )
    }


def langfuse():
    return {
        "scores.jsonl": json_lines(
            {
                "id": f"s{n}",
                "traceId": item,
                "observationId": None,
                "sessionId": None,
                "name": "verdict",
                "source": "ANNOTATION",
                "dataType": "CATEGORICAL",
                "value": None,
                "stringValue": label,
                "authorUserId": person,
                "queueId": "q",
                "comment": None,
                "timestamp": TIMES[person],
                "createdAt": TIMES[person],
                "updatedAt": TIMES[person],
            }
            for n, (item, _, person, label) in enumerate(LABELS)
        )
    }
