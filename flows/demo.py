"""`goldgate demo`: the sample study played from registration to release in a scratch folder.

Every step is the function behind a command, called as that command calls it; what to type instead is printed first.
"""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from agreement.errors import ConfigError, InputRefused
from flows.adjudicate import adjudicate
from flows.audit.verify import verify
from flows.close import close_round
from flows.demo_stage import Say, Stage, look_at, show_refusal, show_slices, show_verdict
from flows.gate import evaluate
from flows.history import history
from flows.ingest import ingest
from flows.measure import measure
from flows.open import open_round
from flows.pages.history_page import render_history_html
from flows.register import register
from flows.releases.release import release
from flows.report import write_report
from flows.run import run
from flows.sample import copy_sample

STUDY = "beyond-policy"
# Days before now. Labelling takes days, the demo seconds: so the first part is dated back, by the project's clock.
ROUND_1_OPENS, ROUND_1_ENDS, ROUND_2_OPENS = 21, 17, 10


def demo(out: Path | None = None, say: Say = print, started: datetime | None = None) -> Path:
    """Play the sample study into `out` (a new temporary folder if left out) and say what happens. The folder.

    started: what counts as now, for label times. ConfigError if `out` holds something already.
    """
    stage = Stage(_scratch(out), started or datetime.now(UTC), say)
    say("The sample study, from registration to release. All of it is invented; the first weeks are dated back.")
    say("")
    say(f"  $ cd {stage.folder}")
    opens = {"round-01": ROUND_1_OPENS, "round-02": ROUND_2_OPENS}
    copy_sample(stage.folder, {name: stage.started - timedelta(days=days) for name, days in opens.items()})
    head = _register_and_open(stage)
    _labels_come_in(stage)
    _first_round_is_blocked(stage)
    _second_round_passes(stage)
    _release(stage)
    _look_back(stage, head)
    return stage.folder


def _scratch(out: Path | None) -> Path:
    if out is None:
        return Path(tempfile.mkdtemp(prefix="goldgate-demo-"))
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ConfigError(
            f"{out}: not an empty folder", next_step="Name a new folder, or none at all.", code="folder-not-empty"
        )
    out.mkdir(parents=True, exist_ok=True)
    return out


def _register_and_open(stage: Stage) -> str:
    """Freeze the study and the first round. The head somebody would note down."""
    stage.title("1. Say what has to be shown, before any label is seen")
    project = stage.project(ROUND_1_OPENS)
    stage.command("register study-1.0.yaml")
    done = register(project, stage.folder / "study-1.0.yaml")
    head = f"{done.event.hash}@{done.event.seq}"
    stage.result(
        f"{done.study.question}",
        f"{len(done.study.gate.rules)} rules on {_list(sorted({r.slice for r in done.study.gate.rules}))} are frozen.",
        f"Head to note down: {head}",
    )
    stage.command("open round-01")
    opened = open_round(project, stage.folder / "round-01")
    stage.result(f"{opened.event.payload['n_items']:,} answers, three annotators, each alone.")
    return head


def _labels_come_in(stage: Stage) -> None:
    stage.title("2. Labels come in, whole or not at all")
    project, folder = stage.project(ROUND_1_ENDS), stage.folder / "round-01"
    stage.command("ingest round-01 round-01/ada-refused.csv")
    try:
        ingest(project, "round-01", [folder / "ada-refused.csv"])
    except InputRefused as refused:
        show_refusal(stage, refused)
    stage.command("ingest round-01 round-01/ada.csv round-01/bo.csv round-01/cy.csv")
    done = ingest(project, "round-01", [folder / f"{who}.csv" for who in ("ada", "bo", "cy")])
    stage.result(f"{done.n_new:,} answers of three people stored.")


def _first_round_is_blocked(stage: Stage) -> None:
    stage.title("3. Round 1 looks good, and is blocked")
    project = stage.project(ROUND_1_ENDS)
    reason = "five answers were lost on the way"
    stage.command(f'close round-01 --incomplete "{reason}"')
    close_round(project, "round-01", incomplete=reason)
    stage.command("measure round-01")
    measure(project, "round-01")
    stage.command("report round-01")
    written = write_report(project, "round-01")
    show_slices(stage, written.report)
    stage.command("gate round-01")
    show_verdict(stage, evaluate(project, "round-01").report)
    look_at(stage, f"data/{written.folder}/report.html")


def _second_round_passes(stage: Stage) -> None:
    stage.title("4. The guideline is mended, registered, and other answers are labelled")
    stage.result("guideline-2.0.md says when a hint is a promise; 1.0 did not.")
    project = stage.project(ROUND_2_OPENS)
    stage.command("register study-2.0.yaml")
    register(project, stage.folder / "study-2.0.yaml")
    stage.command("open round-02")
    opened = open_round(project, stage.folder / "round-02")
    stage.result(f"{opened.event.payload['n_items']:,} answers that nobody has seen yet.")
    stage.title("5. Round 2 passes: from files to verdict in one command, with Prefect")
    stage.command("run round-02")
    run(stage.folder / "round-02", stage.folder / "data", stage.result)
    written = write_report(stage.project(), "round-02")
    show_slices(stage, written.report)
    look_at(stage, f"data/{written.folder}/report.html")


def _release(stage: Stage) -> None:
    stage.title("6. The answers they differed on are decided, and the labels released")
    project = stage.project()
    stage.command("adjudicate round-02 round-02/adjudications.csv")
    decided = adjudicate(project, "round-02", stage.folder / "round-02" / "adjudications.csv")
    stage.result(f"{decided.n_decisions} decisions with a reason each. No agreement figure changes by them.")
    stage.command(f"release {STUDY} 1")
    done = release(project, STUDY, "1")
    stage.result(f"Release 1 is published: {done.release_id}")
    look_at(stage, f"data/{done.folder}/README.md", f"data/{done.folder}/labels.csv")


def _look_back(stage: Stage, head: str) -> None:
    stage.title("7. Anybody can check it later")
    project = stage.project()
    stage.command(f"history {STUDY} --html history.html")
    record = history(project, STUDY)
    (stage.folder / "history.html").write_bytes(render_history_html(record))
    for version in record.versions:
        for line in version.rounds:
            verdict = "not judged" if line.verdict is None else line.verdict.replace("_", " ")
            stage.result(f"{line.round_id}   guideline {line.guideline_version}   {line.grade}   {verdict}")
    look_at(stage, "history.html")
    stage.command(f"verify --head {head}")
    found = verify(project, [head])
    stage.result(f"{found.status}. {found.paragraph}")
    stage.say("")
    stage.say(f"All of it stays in {stage.folder}: have a look, or delete it.")


def _list(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
