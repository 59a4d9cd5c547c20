"""The ten items as tools with nested exports would write them."""

import io
import json
import zipfile

from ten_base import ITEMS, LABELS, PEOPLE, SECONDS, TIMES, choice, dumped, json_lines, table


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
