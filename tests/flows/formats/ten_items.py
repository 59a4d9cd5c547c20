"""Ten items, two people, one question, invented; and the functions that write them as each tool would export them.

Each writer follows the fields that the tool's own export has. They are ours, so that no file of others is copied.
"""

import csv
import io
import json
import zipfile

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


def label_studio(key="annotations", skipped="was_cancelled"):
    tasks = []
    for n, (item, text, *both) in enumerate(ITEMS, 1):
        made = [
            {
                "id": 100 * n + i,
                "completed_by": {"id": i, "email": person},
                "result": [choice(label)],
                skipped: False,
                "ground_truth": False,
                "created_at": TIMES[person],
                "updated_at": TIMES[person],
                "lead_time": 3.5,
            }
            for i, (person, label) in enumerate(zip(PEOPLE, both, strict=True))
        ]
        tasks.append({"id": n, "data": {"ext_id": item, "text": text}, key: made, "agreement": 100})
    return {"export.json": dumped(tasks)}


def _min_rows():
    for n, (item, text, person, label) in enumerate(LABELS):
        yield {
            "ext_id": item,
            "text": text,
            "verdict": label,
            "id": n // 2 + 1,
            "annotator": person,
            "annotation_id": n,
            "created_at": TIMES[person],
            "updated_at": TIMES[person],
            "lead_time": 1.5,
        }


def label_studio_min():
    return {"min.json": dumped(list(_min_rows()))}


def label_studio_csv():
    rows = list(_min_rows())
    header = sorted(rows[0])
    return {"export.csv": table(header, ([row[name] for name in header] for row in rows))}


def prodigy_choice():
    return {
        "db-out.jsonl": json_lines(
            {
                "text": text,
                "item": item,
                "_input_hash": 17 * (n // 2) + 1,
                "_task_hash": -n,
                "_annotator_id": person,
                "_session_id": f"set-{person}",
                "_timestamp": SECONDS[person],
                "_view_id": "choice",
                "answer": "accept",
                "options": [{"id": "yes", "text": "Yes"}, {"id": "no", "text": "No"}],
                "accept": [label],
            }
            for n, (item, text, person, label) in enumerate(LABELS)
        )
    }


def argilla_flat():
    return {
        "records.json": dumped(
            [
                {
                    "id": item,
                    "status": "completed",
                    "text": text,
                    "verdict.responses": both,
                    "verdict.responses.users": list(PEOPLE),
                    "verdict.responses.status": ["submitted"] * 2,
                    "verdict.suggestion": None,
                }
                for item, text, *both in ITEMS
            ]
        )
    }


def argilla_nested():
    return {
        "records.jsonl": json_lines(
            {
                "id": item,
                "fields": {"text": text},
                "metadata": {},
                "suggestions": {},
                "status": "completed",
                "responses": {"verdict": [{"value": v, "user_id": p} for p, v in zip(PEOPLE, both, strict=True)]},
            }
            for item, text, *both in ITEMS
        )
    }


def argilla_old():
    return {
        "records.json": dumped(
            [
                {
                    "id": item,
                    "fields": {"text": text},
                    "responses": [
                        {"user_id": p, "status": "submitted", "values": {"verdict": {"value": v}}}
                        for p, v in zip(PEOPLE, both, strict=True)
                    ],
                }
                for item, text, *both in ITEMS
            ]
        )
    }


def argilla_parquet():
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(json.loads(argilla_flat()["records.json"])), out)
    return {"train.parquet": out.getvalue()}


def doccano_files():
    return {
        f"{person}.jsonl": json_lines(
            {"id": 500 + n, "text": row[1], "key": row[0], "label": [row[2 + i]], "Comments": []}
            for n, row in enumerate(ITEMS)
        )
        for i, person in enumerate(PEOPLE)
    }


def doccano_zip():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in doccano_files().items():
            archive.writestr(name, data)
    return {"doccano.zip": out.getvalue()}


def labelbox():
    def one(person, label):
        return {
            "label_kind": "Default",
            "version": "1.0.0",
            "id": f"l-{person}",
            "label_details": {"created_by": person, "created_at": TIMES[person], "reviews": []},
            "annotations": {
                "objects": [],
                "classifications": [
                    {"name": "verdict", "value": "verdict", "radio_answer": {"name": label, "value": label}}
                ],
            },
        }

    return {
        "export.ndjson": json_lines(
            {
                "data_row": {"id": f"cl{n}", "global_key": item, "row_data": text},
                "projects": {"p1": {"name": "v", "labels": [one(p, v) for p, v in zip(PEOPLE, both, strict=True)]}},
            }
            for n, (item, text, *both) in enumerate(ITEMS)
        )
    }


def ground_truth():
    files = {
        "output.manifest": json_lines(
            {
                "source": text,
                "key": item,
                "verdict": 0,
                "verdict-metadata": {
                    "class-name": "yes",
                    "human-annotated": "yes",
                    "type": "groundtruth/text",
                    "job-name": "labeling-job/verdict",
                    "creation-date": "2026-04-02T00:00:00.000001",
                    "worker-response-ref": f"s3://b/worker-response/iteration-1/{n}/answers.json",
                },
            }
            for n, (item, text, *_) in enumerate(ITEMS)
        )
    }
    for n, (_, _, *both) in enumerate(ITEMS):
        files[f"iteration-1/{n}/answers.json"] = dumped(
            {
                "answers": [
                    {
                        "workerId": person,
                        "answerContent": {"verdict": {"label": label}},
                        "submissionTime": TIMES[person],
                        "acceptanceTime": TIMES[person],
                        "timeSpentInSeconds": 2.5,
                    }
                    for person, label in zip(PEOPLE, both, strict=True)
                ]
            }
        )
    return files


def ground_truth_in_line():
    return {
        "output.manifest": json_lines(
            {
                "source": text,
                "key": item,
                "job": {
                    "annotationsFromAllWorkers": [
                        {"workerId": p, "annotationData": {"content": json.dumps({"verdict": {"label": v}})}}
                        for p, v in zip(PEOPLE, both, strict=True)
                    ]
                },
                "job-metadata": {"human-annotated": "yes"},
            }
            for item, text, *both in ITEMS
        )
    }


def potato():
    return {
        f"annotation_output/{person}/user_state.json": dumped(
            {
                "user_id": person,
                "instance_id_ordering": [item for item, *_ in ITEMS],
                "instance_id_to_label_to_value": {
                    row[0]: [[{"schema": "verdict", "name": row[2 + i]}, "true"]] for row in ITEMS
                },
                "instance_id_to_behavioral_data": {
                    row[0]: {
                        "annotation_changes": [
                            {
                                "timestamp": SECONDS[person],
                                "schema_name": "verdict",
                                "label_name": row[2 + i],
                                "action": "select",
                                "old_value": None,
                                "new_value": row[2 + i],
                            }
                        ]
                    }
                    for row in ITEMS
                },
            }
        )
        for i, person in enumerate(PEOPLE)
    }


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


_TURK = (
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
    return {"Batch_1.csv": table(_TURK, rows)}


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


def argilla_pushed():
    """1.x records as a hub's rows hold them: a column a question."""
    return {
        "rows.jsonl": json_lines(
            {
                "text": text,
                "verdict": [
                    {"user_id": p, "value": v, "status": "submitted"} for p, v in zip(PEOPLE, both, strict=True)
                ],
                "verdict-suggestion": None,
                "external_id": item,
                "metadata": "{}",
            }
            for item, text, *both in ITEMS
        )
    }
