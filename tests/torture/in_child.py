"""Work done in a forked child: it may be killed, and no connection is inherited."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any


def in_child(work: Callable[[], Any]) -> dict[str, Any]:
    """What `work` gives: {"value": …}, {"error": …}, or {"signal": …} if the child was killed."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            answer = {"value": work()}
        except BaseException as error:  # whatever it is, the parent is to know
            import traceback

            answer = {"error": f"{type(error).__name__}: {str(error)[:200]} {traceback.format_exc()[-600:]}"}
        with os.fdopen(write, "wb") as pipe:
            pipe.write(json.dumps(answer).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        data = pipe.read()
    _, status = os.waitpid(pid, 0)
    return json.loads(data) if data else {"signal": os.waitstatus_to_exitcode(status)}
