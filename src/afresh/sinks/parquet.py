"""Parquet: files of columns, put whole to a folder or an address of fsspec."""

from collections.abc import Sequence
from datetime import datetime
from importlib import import_module
from io import BytesIO
from typing import Any

import orjson

from afresh.base.extras import need
from afresh.base.records.sinks import Column, Line
from afresh.sinks.whole_files import WholeFiles

_KEY = Column("key", "text")


class ParquetSink(WholeFiles):
    """Every file has the same columns, those of the stream, whatever its lines leave out."""

    def __init__(self, where: str, *, columns: Sequence[Column] = (), **given: str) -> None:
        need("parquet", "a sink of Parquet files")
        super().__init__(where, ending=".parquet", encode=self._file, **given)
        self._columns = [_KEY, *columns]

    def _file(self, lines: Sequence[Line]) -> bytes:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
        types = _types(arrow)
        arrays = [
            arrow.array([_value(line.data.get(column.name), column.kind) for line in lines], types[column.kind])
            for column in self._columns
        ]
        table = arrow.Table.from_arrays(arrays, names=[column.name for column in self._columns])
        body = BytesIO()
        parquet.write_table(table, body, compression="zstd")
        return body.getvalue()


def _types(arrow: Any) -> dict[str, Any]:
    text = arrow.string()
    return {
        "text": text,
        "whole": arrow.int64(),
        "real": arrow.float64(),
        "flag": arrow.bool_(),
        "time": arrow.timestamp("ms", tz="UTC"),
        "texts": arrow.list_(text),
        "json": text,
    }


def _value(value: Any, kind: str) -> Any:
    if value is None:
        return None
    if kind == "time":
        return datetime.fromisoformat(value)
    if kind == "json":
        return orjson.dumps(value).decode()
    return list(value) if kind == "texts" else value
