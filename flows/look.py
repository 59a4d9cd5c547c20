"""Looking at the agreement in any labels file: no study, no project, nothing stored."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agreement.errors import ConfigError, InputRefused, Problem
from flows.looks.columns import choice_of
from flows.looks.notes import NO_HEADER, for_a_look, no_answer, seems_data
from flows.looks.options import LookOptions, check_options, listed
from flows.looks.rows import Choice, labels_of_several, long_rows
from flows.reading.intake import Intake, take_in
from flows.reading.tables import Table, read_table
from flows.storage.objects import Objects
from flows.storage.store import Connection, memory_store

if TYPE_CHECKING:
    from flows.labels.exports_in import Export


def look(
    path: Path, options: LookOptions, revealed: Callable[[dict[str, list[str]]], object] | None = None
) -> dict[str, Any]:
    """Every figure of a labels file as one record, ready for JSON.

    revealed: told what the figures rest on, item -> labels in alphabetical order, where several annotators gave some.
    Raises InputRefused for a file that cannot be read as it is (all problems, with their lines), ConfigError for
    options that do not fit it.
    """
    check_options(options)
    try:
        with tempfile.TemporaryDirectory() as folder:
            objects = Objects(Path(folder).resolve())
            intake = take_in(path, objects)
            with memory_store(objects.folder) as con:
                record = {"file": intake.name, "sha256": intake.digest, **_looked_at(con, intake, options)}
                if revealed is not None:
                    revealed(labels_of_several(con))
                return record
    except InputRefused as refusal:
        raise for_a_look(refusal) from refusal


def _looked_at(con: Connection, intake: Intake, options: LookOptions) -> dict[str, Any]:
    export = _export(con, intake, options)
    if export is None:
        return _plain(con, read_table(intake, con, header=options.header), options)
    options = replace(options, item="item_id", annotator="annotator_id", label="label")
    record = _record(con, export.table, choice_of(export.table, options), options)
    return record | _understood(export, record)


def _plain(con: Connection, table: Table, options: LookOptions) -> dict[str, Any]:
    """The record of a file of columns. Where the columns asked for are not there, its first line may be data."""
    try:
        choice = choice_of(table, options)
    except ConfigError as refusal:
        by_number = any(text.isdigit() for text in (options.item, options.annotator, options.label))
        if options.header and (by_number or seems_data(con, table)):
            refusal.next_step = NO_HEADER
        raise
    if choice.wide:
        return _record(con, table, choice, options)
    used = {*choice.item, choice.annotator, choice.label, choice.by}
    condition, notes = no_answer(con, table, used)
    record = _record(con, table, replace(choice, no_answer=condition), options)
    return record | {"notes": [*record["notes"], *notes]}


def _export(con: Connection, intake: Intake, options: LookOptions) -> Export | None:
    """The file as another tool's export, with every answer that is no annotator's own label made a missing one."""
    from flows.formats.reading import ReadOptions
    from flows.labels.exports_in import has_class_numbers, read_intake

    told = options.annotator or options.label or options.wide or not options.header
    if told and not (options.format or options.map or (has_class_numbers(intake) and not options.wide)):
        return None

    how = None
    if options.map is not None:
        from schemas.format_map import parse_format_map

        how = parse_format_map(options.map.read_bytes(), options.map.name)
    asked = ReadOptions(
        question=options.question or None,
        item_key=options.item or None,
        columns={
            name: column for name, column in (("annotator_id", options.annotator), ("label", options.label)) if column
        },
        categories=listed(options.categories),
        looking=True,
        format_map=how,
    )
    export = read_intake(intake, con, asked, options.format or None)
    if export is not None:
        label, status, origin = (export.table.sql(name) for name in ("label", "status", "origin"))
        con.execute(
            f"update {export.table.relation} set {label} = '' where {status} <> 'labelled' or {origin} <> 'own'"
        )
    return export


def _understood(export: Export, record: dict[str, Any]) -> dict[str, Any]:
    """What an export adds to the record: how it was read, and what it cannot express."""
    return {
        "notes": [*export.notes(), *record["notes"]],
        "loss": list(export.reading.loss),
        "question": export.reading.question,
    }


def _record(con: Connection, table: Table, choice: Choice, options: LookOptions) -> dict[str, Any]:
    from flows.looks.figures import compared, figures
    from flows.record.alike_signs import alike_signs

    found = long_rows(con, table, choice)
    if not found.n_labels:
        raise ConfigError(
            f"{table.file}: no label in it",
            [Problem("no-labels", f"{table.n_rows} rows, and none holds a label", "Check --label and --missing.")],
        )
    whole = found.patterns(con, None)
    signs = [f"{code}: {sentence}" for code, sentence in alike_signs([whole])]
    groups = [("all", whole), *((value, found.patterns(con, value)) for value in found.groups)]
    settings: dict[str, Any] = {
        "scale": options.scale,
        "method": "percentile" if options.interval == "percentile" else "bca",
        "weights": options.weights or None,
    }
    difference = compared(con, found, whole, options.compare, choice.positive, **settings) if options.compare else None
    return {
        "format": table.format,
        "n_rows": table.n_rows,
        "n_labels": found.n_labels,
        "n_missing": found.n_missing,
        "n_duplicates": found.n_duplicates,
        "duplicates": options.duplicates,
        "categories": list(found.categories),
        "categories_declared": bool(options.categories),
        "positive": list(choice.positive),
        "scale": options.scale,
        "interval": options.interval,
        "weights": options.weights or None,
        "by": options.by or None,
        "difference": difference,
        "notes": [*table.notes, *found.notes, *signs],
        "groups": [{"name": name, **figures(patterns, choice.positive, **settings)} for name, patterns in groups],
    }
