"""The temporary Prefect API: quiet, on this machine only, and gone afterwards whatever happens."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]

# Python runs this at the start of every process below: it notes each one, and each try to leave the machine.
GUARD = """\
import os, sys
def note(line):
    with open(os.environ["GUARD_LOG"], "a") as log:
        log.write(line + "\\n")
def hook(event, args):
    if event in ("socket.connect", "socket.getaddrinfo"):
        address = args[1] if event == "socket.connect" else args[0]
        host = address[0] if isinstance(address, tuple) else address
        if str(host) not in ("127.0.0.1", "localhost", "::1", "0.0.0.0", "None"):
            note(f"left {event} {host}")
            raise OSError("no network in this test")
note(f"started {os.getpid()}")
sys.addaudithook(hook)
"""

RUN = """\
import sys
from pathlib import Path
from flows.run import run
sys.exit(run(Path(sys.argv[1]), Path(sys.argv[2])))
"""


def guarded(tmp_path: Path) -> dict[str, str]:
    """An environment of somebody who has set nothing for Prefect, with the guard in every Python process."""
    (tmp_path / "guard").mkdir()
    (tmp_path / "guard" / "sitecustomize.py").write_text(GUARD)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT", "DO_NOT_TRACK", "CI"))}
    ours = {
        "PYTHONPATH": f"{tmp_path / 'guard'}{os.pathsep}{REPOSITORY}",
        "GUARD_LOG": str(tmp_path / "guard.log"),
        "HOME": str(tmp_path),
    }
    return kept | ours


def is_running(pid: int) -> bool:
    """False as well for what has ended and only waits to be noticed by its parent."""
    found = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout.strip()
    return bool(found) and not found.startswith("Z")


def test_a_run_without_a_server_is_quiet_sends_nothing_out_and_leaves_no_process(
    round_folder: Callable[..., Path], tmp_path: Path
) -> None:
    folder, root = round_folder(bo_from=20), tmp_path / "data"
    command = [sys.executable, "-c", RUN, str(folder), str(root)]
    done = subprocess.run(command, env=guarded(tmp_path), capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (4, "")
    assert done.stdout.splitlines()[0] == "  register: promises, guideline 1.0"
    assert [line for line in done.stdout.splitlines() if "refect" in line] == [
        f"In Prefect: flow run {'/'.join(folder.parts[-2:])}, artifact verdict-promises-round-01"
    ]
    noted = (tmp_path / "guard.log").read_text().split("\n")
    assert [line for line in noted if line.startswith("left")] == []
    processes = [int(line.split()[1]) for line in noted if line.startswith("started")]
    assert len(processes) >= 2  # ours and the server's: both were watched
    assert not any(is_running(pid) for pid in processes)
    assert (root / ".prefect" / "prefect.db").exists()
    assert not (tmp_path / ".prefect").exists()


def test_the_guard_of_this_test_sees_who_leaves_the_machine(tmp_path: Path) -> None:
    code = "import socket; socket.socket().connect(('192.0.2.1', 80))"
    done = subprocess.run([sys.executable, "-c", code], env=guarded(tmp_path), capture_output=True)
    assert done.returncode != 0
    assert "left socket.connect 192.0.2.1" in (tmp_path / "guard.log").read_text()


KILLED = """\
import os, subprocess, time
from types import SimpleNamespace
from flows.orchestration.prefect_api import _ending_with_us
server = SimpleNamespace(server_process=None)
with _ending_with_us(server):
    server.server_process = subprocess.Popen(["sleep", "600"])
    print(server.server_process.pid, flush=True)
    time.sleep(1)
    os.kill(os.getpid(), 9)
"""


def test_a_killed_run_takes_its_server_with_it() -> None:
    done = subprocess.run([sys.executable, "-c", KILLED], cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)
    assert done.returncode == -9
    deadline = time.monotonic() + 30
    while is_running(int(done.stdout)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_running(int(done.stdout))
