"""What the tests of the flows share: a small round's folder, the command line in this process, and one real Prefect
server for the whole session.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[2]

STUDY = """\
study: {study}
question: Does the answer promise too much?
unit: one answer
guideline: {{version: "1.0", file: guideline.md}}
scale: nominal
categories:
  - {{value: fine, definition: It does not., examples: [a], counter_examples: [b]}}
  - {{value: too-much, positive: true, definition: It does., examples: [b], counter_examples: [a]}}
abstention_reasons: [unreadable]
roster: {{annotators: [{{id: ada}}, {{id: bo}}], adjudicators: [{{id: dee}}]}}
passes: 2
slices: {{uniform: {{rate: "0.10"}}}}
interval: {{level: "0.95", resamples: 1000, seed: 7}}
release: {{contested: adjudicated, unresolved: refuse}}
gate:
  use: a test
  because: it must pass or fail
  attempts: 1
  rules:
    - {{slice: uniform, statistic: union_positives, at_least: "20"}}
    - {{slice: uniform, statistic: positive_specific_agreement, at_least: "0.65"}}
    - {{slice: uniform, statistic: krippendorff_alpha, judged_on: lower, at_least: "0"}}
"""

ROUND = """\
study: {study}
round: {round}
kind: {kind}
guideline_version: "1.0"
study_file: study.yaml
frame: frame.csv
files: [labels.csv]
complete: {complete}
"""


@pytest.fixture
def round_folder(tmp_path: Path) -> Callable[..., Path]:
    """Writes a round's folder: 60 items, ada flags 1 to 22 of them, bo from `bo_from` on, each answer in one file.

    With bo_from=2 they share 21 of 23 flags and the registered gate passes; with bo_from=20 they share 3 of 41.
    """

    def write(
        where: Path | None = None,
        *,
        study: str = "promises",
        name: str = "round-01",
        bo_from: int = 2,
        kind: str = "measured",
        complete: bool = True,
        gaps: int = 0,
    ) -> Path:
        folder = where or tmp_path / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "guideline.md").write_text("Flag what the policy does not grant.\n")
        (folder / "study.yaml").write_text(STUDY.format(study=study))
        (folder / "frame.csv").write_text(
            "item_id,item_version,slice,inclusion_probability\n"
            + "".join(f"{name}-{n},v1,uniform,0.10\n" for n in range(1, 61))
        )
        flags = {"ada": range(1, 23), "bo": range(bo_from, bo_from + 22)}
        answers = [
            f"{name}-{n},{who},{'too-much' if n in flagged else 'fine'}\n"
            for who, flagged in flags.items()
            for n in range(1, 61)
        ]
        (folder / "labels.csv").write_text("item_id,annotator_id,label\n" + "".join(answers[: 120 - gaps]))
        (folder / "round.yaml").write_text(
            ROUND.format(study=study, round=name, kind=kind, complete=str(complete).lower())
        )
        return folder

    return write


@dataclass(frozen=True)
class Answer:
    """What a command said, and its exit code."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """Runs a command in this process."""
    from flows import cli

    def call(root: Path, *arguments: object) -> Answer:
        with monkeypatch.context() as patch:
            patch.setenv("GOLDGATE_ROOT", str(root))
            patch.setattr(sys, "argv", ["goldgate", *map(str, arguments)])
            with pytest.raises(SystemExit) as ended:
                cli.main()
        return Answer(int(ended.value.code or 0), *capsys.readouterr())

    return call


@dataclass
class Typist:
    """Types commands; each is expected to end with the exit code named."""

    make: Any
    run: Callable[..., Any]

    def types(self, *arguments: object, code: int = 0) -> str:
        found = self.run(self.make.project.root, *arguments)
        assert found.code == code, (arguments, found.out, found.err)
        return " ".join((found.out + found.err).split())

    def register(self, **options: Any) -> None:
        self.types("register", self.make.study(**options))

    def open(self, labels: Any, name: str = "r1", code: int = 0, **options: Any) -> str:
        return self.types("open", self.make.round(labels, name, **options), code=code)

    def labels(self, name: str = "r1") -> Path:
        return Path(self.make.folders[name] / "labels.csv")

    def collect(self, labels: Any, name: str = "r1", **options: Any) -> None:
        """A round opened, its labels brought in, closed."""
        self.open(labels, name, **options)
        self.types("ingest", name, self.labels(name))
        self.types("close", name, "--incomplete", "not all came")

    def gated(self, labels: Any, name: str = "r1", code: int = 0, **options: Any) -> str:
        self.collect(labels, name, **options)
        self.types("measure", name)
        return self.types("gate", name, code=code)

    def report(self, name: str = "r1") -> str:
        """The page of the last report, as text."""
        self.types("measure", name)
        folder = sorted((self.make.project.root / "reports").glob(f"promises*/{name}/*"))[-1]
        return " ".join((folder / "report.md").read_text().split())


@pytest.fixture
def typist(make: Any, run: Callable[..., Answer]) -> Iterator[Typist]:
    """Somebody at the command line of an empty project. Of a report only the Markdown page is drawn."""
    from flows import report
    from flows.pages.report_markdown import render_report_markdown
    from schemas.report import to_json

    def render(record: Any) -> dict[str, bytes]:
        return {
            name: render_report_markdown(record) if name == "report.md" else to_json(record) for name in report.FILES
        }

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report, "render", render)
        yield Typist(make, run)


@pytest.fixture(scope="session")
def prefect_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Prefect server of our own, in use by every flow run of the session and ended by its id."""
    from flows.orchestration.prefect_settings import prefect_environment

    home = tmp_path_factory.mktemp("prefect")
    with prefect_environment(home, quiet=True):
        address, server = _start_server(home)
        try:
            from prefect.settings import PREFECT_API_URL, temporary_settings

            # Prefect read the environment when something imported it; this reaches it whenever that was.
            with temporary_settings({PREFECT_API_URL: address}):
                yield address
                from flows.orchestration.prefect_api import drain

                drain()
        finally:
            server.terminate()
            server.wait(timeout=30)


def _start_server(home: Path) -> tuple[str, subprocess.Popen[bytes]]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # What `prefect server start` runs, without the seconds its command line takes to import.
    command = [sys.executable, "-m", "uvicorn", "--factory", "prefect.server.api.server:create_app"]
    log = (home / "server.log").open("wb")
    environment = {**os.environ, "PREFECT_SERVER_UI_ENABLED": "false", "PREFECT_HOME": str(home)}
    server = subprocess.Popen([*command, "--port", str(port)], stdout=log, stderr=log, env=environment, cwd=home)
    address = f"http://127.0.0.1:{port}/api"
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        assert server.poll() is None, (home / "server.log").read_text()
        try:
            with urllib.request.urlopen(f"{address}/health", timeout=5):
                return address, server
        except OSError:
            time.sleep(0.2)
    server.kill()
    raise AssertionError((home / "server.log").read_text())
