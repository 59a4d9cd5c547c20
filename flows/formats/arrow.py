"""Arrow and Parquet files as Python columns or records, without a change of value."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from flows.reading.findings import refuse


def table_of(data: bytes, file: str) -> Any:
    """The pyarrow table of a Parquet, Arrow file or Arrow stream. InputRefused if damaged."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        if data.startswith(b"PAR1"):
            return pq.read_table(io.BytesIO(data))
        if data.startswith(b"ARROW1"):
            return pa.ipc.open_file(io.BytesIO(data)).read_all()
        return pa.ipc.open_stream(io.BytesIO(data)).read_all()
    except (pa.ArrowException, OSError, EOFError) as error:
        raise refuse("damaged-parquet", f"cannot be read: {error}", file=file) from error


def records_of_parquet(data: bytes, file: str) -> Iterator[dict[str, Any]]:
    yield from table_of(data, file).to_pylist()
