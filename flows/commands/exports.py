"""Files people ask for, after the results are known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands import options, printing

if TYPE_CHECKING:
    from flows.export_files import Sheet

WHAT = ("disagreements", "confused-pairs", "queue", "release")


def export(
    what: Annotated[str, typer.Argument(help=f"One of: {', '.join(WHAT)}.", metavar="WHAT")],
    of: Annotated[str, typer.Argument(help="Round; for a release, its folder.", metavar="ROUND")],
    to: Annotated[
        Path,
        typer.Argument(
            help="File to write: .csv, .xlsx, .parquet, .jsonl, .json (Label Studio tasks); without an ending, a "
            "Hugging Face data set folder.",
            metavar="FILE",
        ),
    ],
    study: options.OfStudy = None,
) -> None:
    """Write who disagreed where, what is confused with what, what is left to decide, or a release, as a file."""
    from agreement.errors import ConfigError
    from flows import export_files
    from flows.storage.published import write_whole

    writers = {
        ".csv": export_files.as_csv,
        ".xlsx": export_files.as_excel,
        ".parquet": export_files.as_parquet,
        ".jsonl": export_files.as_json_lines,
        ".json": export_files.as_label_studio_tasks,
    }
    if what not in WHAT:
        raise ConfigError(
            f"export {what}: not one of {', '.join(WHAT)}", code="unknown-export", next_step="Name one of them."
        )
    if to.exists():
        raise ConfigError(
            f"{to.name} is there already", next_step="Name another file; nothing is overwritten.", code="file-exists"
        )
    if to.suffix and to.suffix not in writers:
        raise ConfigError(
            f"{to.name}: known endings are {', '.join(writers)}",
            code="unknown-ending",
            next_step="Name a file with one of these endings, or a folder.",
        )
    sheet = _sheet(what, of, study)
    if to.suffix:
        write_whole(to, writers[to.suffix](sheet))
    else:
        if "label" not in sheet.columns:
            raise ConfigError(
                f"export {what}: a data set folder needs the column label",
                code="no-label-column",
                next_step="Name a file with an ending instead, such as .csv.",
            )
        names = sorted({record["label"] for record in sheet.records()} - {""})
        for name, data in export_files.as_hugging_face(sheet, "label", names).items():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            write_whole(to / name, data)
    printing.line(f"{to.name}: {len(sheet.rows):,} rows.")
    if to.suffix in (".csv", ".xlsx"):
        printing.line("Cells that a spreadsheet would run begin with an apostrophe; .jsonl and .parquet are exact.")


def _sheet(what: str, of: str, study: str | None) -> Sheet:
    from flows import exports

    if what == "release":
        return exports.released_labels(Path(of))
    show = {
        "disagreements": exports.disagreements,
        "confused-pairs": exports.confused_pairs,
        "queue": exports.adjudication_queue,
    }
    return show[what](options.project(), of, study)
