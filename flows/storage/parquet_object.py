"""The rows of a query as a Parquet object: the same rows in the same order always give the same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flows.storage.objects import Objects, file_digest
from flows.storage.store import Connection


def put_query(con: Connection, objects: Objects, query: str, params: Mapping[str, Any] | None = None) -> str:
    """Store what a query gives; the digest. The query must order its rows."""
    temporary = objects.incoming()
    try:
        target = str(temporary).replace("'", "''")  # COPY takes no parameter for its target, which is our own name
        con.execute(f"copy ({query}) to '{target}' (format parquet)", params)
        return objects.adopt(temporary, file_digest(temporary)).name
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
