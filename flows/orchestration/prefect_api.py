"""Where a flow run reports to: the Prefect server a person configured, or a temporary one of Prefect's own.

Prefect cannot run a flow without an API. Imports Prefect when called, so only after `prefect_settings`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

from agreement.errors import ConfigError

LOG = "temporary-api.log"
WITHOUT_PREFECT = "The single commands (ingest, close, measure, report, gate) do the same without Prefect."


def configured_api() -> str | None:
    """The address of the Prefect server to use; None if none is configured."""
    from prefect.settings import PREFECT_API_URL

    return PREFECT_API_URL.value() or None


@contextmanager
def prefect_api(folder: Path) -> Iterator[None]:
    """An API for the flow runs inside.

    folder: where a temporary one writes its log. ConfigError if there is no answer, now or later.
    """
    address = configured_api()
    if address is not None:
        require_answer(address)
        with _answering():
            yield
            drain()
    else:
        with _temporary_api(folder), _answering():
            yield


def require_answer(address: str) -> None:
    """ConfigError unless a Prefect server answers there. Prefect itself would try on, then show a traceback."""
    from prefect.client.orchestration import get_client
    from prefect.settings import PREFECT_CLIENT_MAX_RETRIES, temporary_settings

    try:
        with temporary_settings({PREFECT_CLIENT_MAX_RETRIES: 0}), get_client(sync_client=True) as client:
            failure = client.api_healthcheck()
    except RuntimeError as error:
        failure = error
    if failure is not None:
        raise ConfigError(
            f"the Prefect server at {_without_password(address)} does not answer",
            next_step="Start it, or unset PREFECT_API_URL: then a temporary one is used. " + WITHOUT_PREFECT,
            code="prefect-does-not-answer",
        ) from failure


def drain() -> None:
    """Send what waits to be sent: afterwards there may be nobody to send it to, and Prefect would say so at length."""
    from prefect.events.worker import EventsWorker
    from prefect.logging.handlers import APILogWorker

    EventsWorker.drain_all(timeout=10)
    APILogWorker.drain_all(timeout=10)


@contextmanager
def _answering() -> Iterator[None]:
    import httpx  # what Prefect's client raises when a server goes away
    from prefect.exceptions import PrefectException

    try:
        yield
    except (httpx.HTTPError, PrefectException) as error:
        raise ConfigError(
            f"Prefect failed during the run: {type(error).__name__}",
            next_step="What was done is in the ledger. Run it again: it goes on from there. " + WITHOUT_PREFECT,
            code="prefect-failed",
        ) from error


@contextmanager
def _temporary_api(folder: Path) -> Iterator[None]:
    from prefect.server.api.server import SubprocessASGIServer
    from prefect.settings import PREFECT_API_URL, temporary_settings

    folder.mkdir(parents=True, exist_ok=True)
    server = SubprocessASGIServer()
    with _ending_with_us(server):
        try:
            with _output_to(folder / LOG):
                _start(server)
            with temporary_settings({PREFECT_API_URL: server.api_url}):
                yield
                drain()
        finally:
            server.stop()


def _start(server: Any) -> None:
    try:
        server.start()
    except RuntimeError as error:
        raise ConfigError(
            f"Prefect's temporary API did not start: {str(error).splitlines()[0]}",
            next_step=f"Its log is {LOG} in the project's .prefect folder. {WITHOUT_PREFECT}",
            code="prefect-did-not-start",
        ) from error


@contextmanager
def _output_to(log: Path) -> Iterator[None]:
    """This process's output goes to a file meanwhile. A process started inside keeps it so for good."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = {number: os.dup(number) for number in (1, 2)}
    try:
        with log.open("ab") as file:
            for number in kept:
                os.dup2(file.fileno(), number)
        yield
    finally:
        for number, copy in kept.items():
            os.dup2(copy, number)
            os.close(copy)


@contextmanager
def _ending_with_us(server: Any) -> Iterator[None]:
    """Whatever ends this process, kill -9 included, ends the server it started.

    A shell waits at a pipe whose other end only we hold: told "done" it leaves, at the pipe's end it ends the server.
    """
    done = Event()
    guards: list[subprocess.Popen[bytes]] = []
    starter = Thread(target=_set_guard, args=(server, done, guards), daemon=True)
    starter.start()
    try:
        yield
    finally:
        done.set()
        starter.join()
        for guard in guards:
            guard.communicate(b"done\n")


def _set_guard(server: Any, done: Event, guards: list[subprocess.Popen[bytes]]) -> None:
    """Set the guard up as soon as the server's process exists, which is seconds before it answers."""
    while not done.is_set():
        process = server.server_process
        if process is not None:
            script = ["/bin/sh", "-c", 'read -r done || kill "$0"', str(process.pid)]
            silent = subprocess.DEVNULL
            # A session of its own: Ctrl-C is for us, and the guard has to outlive us.
            guard = subprocess.Popen(
                script, stdin=subprocess.PIPE, stdout=silent, stderr=silent, start_new_session=True
            )
            guards.append(guard)
            return
        time.sleep(0.01)


def _without_password(address: str) -> str:
    """The address as it may be shown: without what stands before an @."""
    scheme, _, rest = address.rpartition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}" if scheme else rest
