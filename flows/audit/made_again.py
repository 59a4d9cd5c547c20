"""Measurings, reports and releases made a second time, as they were made the first time: byte for byte the same?"""

from __future__ import annotations

from hashlib import sha256

from agreement.errors import Problem
from flows import measurement
from flows.audit.replay_check import Past
from flows.storage.ledger import Event
from flows.storage.published import digest_of

FIX = "Compare the package versions in report.json with those installed."


def _measuring(past: Past, event: Event) -> None:
    from flows.measure import measured_bytes

    round_state, objects = past.round(event), past.project.objects
    if event.seq in past.found.uncounted or _made_elsewhere(past, event, f"measuring {round_state.round_id}"):
        return
    versions = measurement.report_of(objects.read(event.payload["measurement"])).protocol.versions
    again = measured_bytes(past.con, objects, past.state, round_state, versions)
    past.found.made["measurings"] += 1
    if sha256(again).hexdigest() != event.payload["measurement"]:
        past.differs("measuring-differs", event, f"measuring {round_state.round_id} again gives other figures", FIX)


def _report(past: Past, event: Event) -> None:
    """Drawing a page computes nothing, so it needs no labels."""
    from flows import report

    round_state, version = past.round(event), event.payload["version"]
    if _made_elsewhere(past, event, f"report {version} of {round_state.round_id}"):
        return
    files = report.remade(past.project.objects, round_state, event)
    past.found.made["reports"] += 1
    for name, digest in event.payload["files"]:
        if name not in files or digest_of(files[name]) != digest:
            what = f"writing {name} of {round_state.round_id} again gives another page than {event.payload['folder']}"
            past.differs("report-differs", event, what, FIX)


def _release(past: Past, event: Event) -> None:
    from flows.releases.remade import remade_id, rounds_of

    version = event.payload["version"]
    if _made_elsewhere(past, event, f"release {version}"):
        return
    if past.lost_rows(event, *rounds_of(past.state, event)):
        past.not_compared(event, f"release {version} cannot be made again")
        return
    past.found.made["releases"] += 1
    if remade_id(past.project, past.con, past.state, event) != event.payload["release_id"]:
        past.differs("release-differs", event, f"making release {version} again gives another id", FIX)


def _made_elsewhere(past: Past, event: Event, what: str) -> bool:
    """Another version may have written it otherwise: then it is not made again, and that is said."""
    if event.tool == past.project.tool():
        return False
    past.found.skipped += 1
    message = f"event {event.seq}: {what} was not made again: {event.tool} made it, and this is {past.project.tool()}"
    past.found.problems.append(
        Problem("not-made-again", message, f"Verify with the version that made it: {event.tool}.")
    )
    return True


CHECKS = {"round.measured": _measuring, "report.written": _report, "release.promoted": _release}
