"""Metadata of a release in the Croissant format (JSON-LD, version 1.1), so that loaders find its columns and files."""

from __future__ import annotations

import json
from typing import Any

from flows.releases.reference_set import COLUMNS
from flows.storage.published import digest_of
from schemas.study import Study

CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "extract": "cr:extract",
    "column": "cr:column",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "recordSet": "cr:recordSet",
    "source": "cr:source",
}
DESCRIPTIONS = {
    "item_id": "The item's own key.",
    "item_version": "What was in front of the annotator.",
    "label": "The reference label.",
    "how": "How the label came about: unanimous, adjudicated, majority or relabelled.",
    "slice": "What the item was drawn for; only `uniform` speaks of traffic.",
    "cell": "Stratum of the pool.",
    "inclusion_probability": "With which probability the item was drawn; empty where nothing was drawn.",
    "round_id": "The blind round the labels come from.",
    "guideline_version": "The guideline annotators followed.",
}


def croissant(study: Study, version: str, files: dict[str, bytes], canary: str) -> bytes:
    """The release's croissant.json. files: the label files by name, for their digests."""
    kinds = {"labels.csv": "text/csv", "labels.parquet": "application/vnd.apache.parquet"}
    record: dict[str, Any] = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "name": f"{study.study}-{version}",
        "description": f"Reference labels: {study.question} Registered use: {study.gate.use}. {canary}",
        "version": version,
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": name,
                "name": name,
                "contentUrl": name,
                "encodingFormat": kind,
                "sha256": digest_of(files[name]),
            }
            for name, kind in kinds.items()
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "labels",
                "name": "labels",
                "key": {"@id": "labels/item_id"},
                "field": [_field(name) for name in COLUMNS],
            }
        ],
    }
    return (json.dumps(record, indent=2, ensure_ascii=False) + "\n").encode()


def _field(name: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"labels/{name}",
        "name": name,
        "description": DESCRIPTIONS[name],
        "dataType": "sc:Text",
        "source": {"fileObject": {"@id": "labels.parquet"}, "extract": {"column": name}},
    }
