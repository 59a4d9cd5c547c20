"""What an attacker would put into a name, a cell or a file: none of it does anything (faults.md, 13-15, 56-65)."""

from __future__ import annotations

import gzip
import io
import json
import re
import socket
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from agreement.errors import ConfigError, GoldgateError, InputRefused
from flows import cli
from flows.export_files import defused
from flows.ingest import ingest
from flows.measure import measure
from flows.register import register
from flows.releases.release import release
from flows.report import write_report
from flows.storage.store import StoreError, memory_store, rows
from flows.told import record_deviation
from schemas.names import id_fault, person_fault, shown, slug_fault, version_fault

PATHS = (
    *("../../x", "/etc/passwd", "..", ".", "a/b", "a\\b", "con", "NUL.txt", "x" * 300, "x.", "~root", "a\x00b", "-rf"),
    *("e\u0301", "\u202etxt", "$(id)", "`id`", "a;b", "%2e%2e", "file:///x"),
)
SQL = (
    "x'); drop table raw_label; --",
    '"; drop table event; --',
    "' or 1=1 --",
    "'; attach 'x.db' as y; --",
    "'; copy raw_label to 'x.csv'; --",
    "' union select * from read_text('/etc/passwd') --",
    "'; set enable_external_access=true; --",
    "$1",
    "?",
    "{x}",
    "%s",
    "'||(select 1)||'",
)
YAML = (
    "!!python/object/apply:os.system ['true']",
    "!!python/name:os.system",
    "&a [*a]",
    "a: &x {b: 1}\nc: *x",
    "<<: {a: 1}",
    "a: 1\na: 2",
    "--- a\n--- b",
    "!include /etc/passwd",
    "study: [" * 2000,
    "x: " + "y" * 70_000,
)
HTML = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</title><svg/onload=alert(1)>",
    "'-alert(1)-'",
    "<!--<iframe src=javascript:alert(1)>",
    "[x](javascript:alert(1))",
    "![x](//example.org/x.png)",
)
TERMINAL = ("\x1b[2J", "\x1b]0;owned\x07", "\x9b31m", "a\rb", "\u202egnp.exe", "\u200b", "\x07", "line\nbreak")
FORMULAS = ("=1+1", "+1", "-1+2", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("x")', "=cmd|' /C calc'!A0")
GLOBS = ("*.csv", "[ab].csv", "?.csv", "**.csv", "{a,b}.csv", "a'b.csv", 'a"b.csv', "-x.csv")


def test_there_are_at_least_60_payloads() -> None:
    assert sum(map(len, (PATHS, SQL, YAML, HTML, TERMINAL, FORMULAS, GLOBS))) + 4 >= 60


@pytest.mark.parametrize("name", PATHS)
def test_no_name_that_becomes_a_folder_leaves_its_folder(make: Any, name: str) -> None:
    assert slug_fault(name) is not None
    assert version_fault(name) is not None
    assert person_fault(name) is not None
    make.register()
    with pytest.raises(GoldgateError):
        release(make.project, "promises", name)
    assert not make.project.releases.exists() or not any(make.project.releases.rglob("*"))


@pytest.mark.parametrize("text", SQL)
def test_sql_in_ids_labels_names_and_columns_stays_text(make: Any, text: str) -> None:
    make.register()
    make.open({"uniform": {"++": 1, "--": 1}})
    quoted = '"' + text.replace('"', '""') + '"'
    path = make.folder / "in.csv"
    path.write_text(f"item_id,annotator_id,{quoted}\n{quoted},ada,{quoted}\n")
    with pytest.raises(InputRefused):
        ingest(make.project, "r1", [path])
    path.write_text(f"item_id,annotator_id,label\n{quoted},ada,{quoted}\n")
    with pytest.raises(InputRefused) as refused:
        ingest(make.project, "r1", [path])
    assert {p.line for p in refused.value.problems} == {2}
    with make.project.reading() as con:
        assert rows(con, "select count(*) from raw_label") == [(0,)]
        assert rows(con, "select count(*) from frame_item") == [(2,)]


def test_an_item_id_full_of_sql_is_an_item_like_any_other(make: Any) -> None:
    item = "x'); drop table raw_label; -- $1 ? %s"
    assert id_fault(item) is None  # ids come from somebody else's system and may look like anything
    make.register()
    folder = make.round({"uniform": {"++": 1}})
    for path in (folder / "frame.csv", folder / "assignments.csv", folder / "labels.csv"):
        path.write_text(path.read_text().replace("r1-uniform-1", item))
    from flows.open import open_round

    open_round(make.project, folder)
    make.ingest()
    with make.project.reading() as con:
        assert rows(con, "select distinct item_id from raw_label") == [(item,)]


@pytest.mark.parametrize("text", YAML, ids=range(len(YAML)))
def test_yaml_declares_and_does_nothing_else(make: Any, text: str) -> None:
    path = make.folder / "study.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError):
        register(make.project, path)


def test_markup_in_every_text_of_a_study_is_escaped_in_its_pages(make: Any) -> None:
    everything = " ".join(HTML).replace('"', '\\"')
    make.register(make.study(text=lambda text: text.replace("Does the answer promise too much?", f'"{everything}"')))
    make.measured({"uniform": {"++": 2, "--": 2}})
    folder = make.project.root / write_report(make.project, "r1").folder
    page = (folder / "report.html").read_text()
    assert active(page) == []
    markdown = (folder / "report.md").read_text()
    assert not re.search(r"(?<!\\)\]\(", markdown)  # a link needs a bracket that is not escaped
    assert "<script>" not in markdown


def active(page: str) -> list[str]:
    """Whatever in a page could run, load or lead elsewhere."""
    found: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            for name, value in attrs:
                leads = name in ("href", "src", "xlink:href") and not (value or "").startswith(
                    ("#", "data:image/", "data:,")
                )
                if name.startswith("on") or leads:
                    found.append(f"{tag} {name}={value}")
            if tag in ("script", "iframe", "object", "embed", "form", "base"):
                found.append(tag)

    Reader().feed(page)
    return found


@pytest.mark.parametrize("payload", HTML)
def test_a_page_that_holds_it_unescaped_would_be_noticed(payload: str) -> None:
    """The control of the test above: Markdown's and a comment aside, each payload is active as it stands."""
    assert payload.startswith(("[", "!", "'", "<!--")) or active(f'<p title="{payload}">{payload}</p>') != []


@pytest.mark.parametrize("text", TERMINAL)
def test_a_terminal_is_shown_escapes_and_not_sent_them(text: str) -> None:
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u200b\u202e]", shown(text))


@pytest.mark.parametrize("text", TERMINAL)
def test_no_command_sends_a_terminal_what_a_file_or_a_person_wrote(
    make: Any, text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Labels and names of a file looked at, its refusal at ingest, and a person's own words in the history."""
    make.register()
    make.open({"uniform": {"++": 1}})
    record_deviation(make.project, "r1", f"it was {text} late")
    labels = [{"text": f"{n}{text}", "label": f"a{text}b", "annotator": f"{who}{text}"} for n in "123" for who in "xy"]
    (make.folder / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in labels))
    (make.folder / "in.csv").write_text(f"item_id,annotator_id,label\nr1-uniform-1,ada{text},a\u202eb\n", newline="")
    asked = ("--item", "text", "--annotator", "annotator", "--label", "label")
    for command in (
        ("agreement", str(make.folder / "in.jsonl"), *asked),
        ("agreement", str(make.folder / "in.jsonl"), *asked, "--json"),
        ("ingest", "r1", str(make.folder / "in.csv")),
        ("history", "promises"),
        ("history", "promises", "--json"),
    ):
        monkeypatch.setattr("sys.argv", ["goldgate", "--root", str(make.project.root), *command])
        with pytest.raises(SystemExit):
            cli.main()
        said = "".join(capsys.readouterr())
        assert said
        assert re.findall(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e]", said) == [], command


@pytest.mark.parametrize("text", FORMULAS)
def test_a_spreadsheet_takes_no_cell_for_a_formula(text: str) -> None:
    assert defused(text).startswith("'")


@pytest.mark.parametrize("name", GLOBS)
def test_a_file_is_opened_by_its_very_name(make: Any, name: str) -> None:
    make.register()
    make.open({"uniform": {"++": 1}})
    text = (make.folders["r1"] / "labels.csv").read_text()
    for other in ("a.csv", "b.csv"):
        (make.folder / other).write_text("not to be read\n")
    path = make.folder / name
    path.write_text(text)
    assert ingest(make.project, "r1", [path]).n_new == 2


def _zip_out() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("../../out.csv", "x")
        archive.writestr("/abs.csv", "x")
    return out.getvalue()


@pytest.mark.parametrize("data", [gzip.compress(b"0" * 10_000_000), b"BZh91AY", b"7z\xbc\xaf\x27\x1c", _zip_out()])
def test_archives_do_not_unpack_themselves(make: Any, data: bytes) -> None:
    make.register()
    make.open({"uniform": {"++": 1}})
    path = make.folder / "in.csv"
    path.write_bytes(data)
    with pytest.raises(InputRefused):
        ingest(make.project, "r1", [path])
    assert not Path(make.folder.parent / "out.csv").exists()


@pytest.mark.parametrize(
    "query",
    [
        "select * from read_text('/etc/passwd')",
        "copy (select 1) to '/tmp/goldgate-payload.csv'",
        "attach '/tmp/goldgate-payload.db' as other",
        "install httpfs",
        "load httpfs",
        "set enable_external_access = true",
        "set lock_configuration = false",
        "select * from python_variable",
        "select * from glob('/*')",
    ],
)
def test_the_database_reaches_nothing_but_the_objects(tmp_path: Path, query: str) -> None:
    python_variable = [1]  # a name a replacement scan would find
    with memory_store(tmp_path) as con, pytest.raises(StoreError):
        rows(con, query)
    assert python_variable == [1]


def test_a_round_from_registration_to_release_opens_no_socket(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: object, **more: object) -> None:
        raise AssertionError("somebody wanted the network")

    make.register()
    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    make.gated({"uniform": {"++": 3, "--": 3}})
    make.report()
    release(make.project, "promises", "1")


def test_no_artefact_names_a_folder_of_this_machine_or_its_user(make: Any) -> None:
    make.register()
    make.gated({"uniform": {"++": 3, "--": 3}})
    make.report()
    release(make.project, "promises", "1")
    measure(make.project, "r1")
    places = [str(make.folder), str(Path.home()) + "/"]
    for path in (p for p in make.project.root.rglob("*") if p.is_file() and not p.name.startswith("goldgate.duckdb")):
        data = path.read_bytes()
        assert not [place for place in places if place.encode() in data], path.name
