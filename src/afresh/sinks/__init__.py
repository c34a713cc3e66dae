"""Sinks: entries, results and documents leave for files, object stores and message brokers.

    make_sink("ndjson:out")                     a folder of files, a line each
    make_sink("parquet:s3://bucket/crawl")      any address of fsspec
    make_sink("nats://127.0.0.1:4222/afresh")   a stream of NATS

The word before the first colon chooses the sink; another package adds one by an entry point of ``afresh.sinks``.
"""

from collections.abc import Callable, Sequence
from urllib.parse import parse_qsl

from afresh.base.errors import AfreshError, UsageError
from afresh.base.records.sinks import Column, Sink
from afresh.base.registry import Registry

#: makes a sink of the address and its parameters; ``columns``: of the stream
MakeSink = Callable[..., Sink]

PLACES = {
    "ndjson": "ndjson:make_ndjson",
    "parquet": "parquet:ParquetSink",
    "warc": "warc:WarcSink",
    "documents": "documents:DocumentSink",
    "nats": "nats:NatsSink",
}

SINKS: Registry[MakeSink] = Registry("sink", PLACES, package=__name__, group="afresh.sinks")


def make_sink(address: str, *, columns: Sequence[Column] = ()) -> Sink:
    """The sink of an address like NAME:WHERE?key=value; UsageError says what is wrong with it."""
    name, colon, rest = address.partition(":")
    if not colon or not rest:
        raise UsageError(f"{address!r} is no sink; write it like ndjson:FOLDER or nats://127.0.0.1:4222/SUBJECT")
    make = SINKS.find(name)
    where, _, query = rest.partition("?")
    given = dict(parse_qsl(query, keep_blank_values=True))
    try:
        return make(where, columns=columns, **given)
    except TypeError as error:
        raise UsageError(f"{name}: {error}") from error
    except AfreshError as error:
        raise UsageError(f"{name}: {error}") from error
