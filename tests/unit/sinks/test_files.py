"""Sinks that are files: whole lines, none twice, whatever was torn."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from afresh.base.errors import AfreshError, UsageError
from afresh.base.records.sinks import Column, Line, Sink, SinkAway
from afresh.sinks import SINKS, make_sink
from afresh.sinks.cursors import key_of

MARK = "5f00c0ffee00"


def lines(first: int, last: int, **data: object) -> list[Line]:
    return [Line(n, key_of(MARK, n), {"key": key_of(MARK, n), "n": n, **data}) for n in range(first, last + 1)]


def carried(sink: Sink, *batches: Sequence[Line]) -> int:
    """Opens a sink, writes and closes it; what it said that it held."""

    async def scenario() -> int:
        held = await sink.open(MARK)
        for batch in batches:
            await sink.write(batch)
        await sink.close()
        return held

    return asyncio.run(scenario())


def numbers(folder: Path) -> list[int]:
    return [
        json.loads(line)["n"] for path in sorted(folder.glob("*.ndjson")) for line in path.read_bytes().splitlines()
    ]


def test_lines_are_appended_and_the_last_one_is_known(tmp_path: Path) -> None:
    assert carried(make_sink(f"ndjson:{tmp_path}/out"), lines(1, 3), lines(4, 5)) == 0
    assert carried(make_sink(f"ndjson:{tmp_path}/out"), lines(6, 6)) == 5
    assert numbers(tmp_path / "out") == [1, 2, 3, 4, 5, 6]
    assert len(list((tmp_path / "out").glob("*.ndjson"))) == 1


def test_a_torn_line_is_cut_off(tmp_path: Path) -> None:
    carried(make_sink(f"ndjson:{tmp_path}"), lines(1, 3, text="x" * 100_000))
    [path] = tmp_path.glob("*.ndjson")
    for cut in (1, 50_000, 100_030):
        whole = path.read_bytes()
        path.write_bytes(whole[:-cut])
        assert carried(make_sink(f"ndjson:{tmp_path}"), lines(3, 3, text="x" * 100_000)) == 2
        assert path.read_bytes() == whole


def test_a_file_of_one_torn_line_counts_for_nothing(tmp_path: Path) -> None:
    carried(make_sink(f"ndjson:{tmp_path}?rotate=10"), lines(1, 1), lines(2, 2))
    _, second = sorted(tmp_path.glob("*.ndjson"))
    second.write_bytes(second.read_bytes()[:4])
    assert carried(make_sink(f"ndjson:{tmp_path}"), lines(2, 2)) == 1
    assert numbers(tmp_path) == [1, 2]


def test_a_new_file_is_begun_at_its_size(tmp_path: Path) -> None:
    carried(make_sink(f"ndjson:{tmp_path}?rotate=90"), *[lines(n, n) for n in range(1, 11)])
    assert len(list(tmp_path.glob("*.ndjson"))) == 4
    assert numbers(tmp_path) == list(range(1, 11))


def test_files_of_another_store_are_left_alone(tmp_path: Path) -> None:
    carried(make_sink(f"ndjson:{tmp_path}"), lines(1, 9))

    async def other() -> int:
        sink = make_sink(f"ndjson:{tmp_path}")
        held = await sink.open("0123456789ab")
        await sink.close()
        return held

    assert asyncio.run(other()) == 0


def test_two_processes_do_not_write_into_one_folder(tmp_path: Path) -> None:
    async def scenario() -> None:
        first, second = make_sink(f"ndjson:{tmp_path}"), make_sink(f"ndjson:{tmp_path}")
        await first.open(MARK)
        with pytest.raises(SinkAway, match="in use"):
            await second.open(MARK)
        await first.close()
        await second.open(MARK)
        await second.close()

    asyncio.run(scenario())


def test_a_place_that_is_none_is_away(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SinkAway, match="cannot be written to"):
        carried(make_sink(f"ndjson:{tmp_path}/file/below"), lines(1, 1))
    with pytest.raises(SinkAway, match="cannot be written to"):
        carried(make_sink(f"documents:{tmp_path}/file/below"), lines(1, 1))


@pytest.mark.parametrize("where", ["{}/out", "file://{}/out", "memory://{}/out"])
def test_parquet_has_the_columns_of_the_stream(where: str, tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow.parquet", reason="left out: needs pyarrow")
    fsspec = pytest.importorskip("fsspec", reason="left out: needs fsspec")
    columns = [Column("n", "whole"), Column("at", "time"), Column("links", "texts"), Column("more", "json")]
    address = where.format(tmp_path)
    sink = make_sink(f"parquet:{address}?lines=100", columns=columns)
    told = {"at": "2026-01-31T12:00:00.250Z", "links": ("a", "b"), "more": {"x": 1}}
    assert carried(sink, lines(1, 3, **told), lines(4, 4, at=None)) == 0
    assert carried(sink) == 4
    system, path = fsspec.core.url_to_fs(address)
    files = sorted(system.glob(f"{path}/*.parquet"))
    assert len(files) == 2
    tables = [arrow.read_table(system.open(file)) for file in files]
    assert tables[0].schema == tables[1].schema
    rows = [row for table in tables for row in table.to_pylist()]
    assert [row["n"] for row in rows] == [1, 2, 3, 4]
    assert rows[0]["key"] == key_of(MARK, 1)
    assert rows[0]["at"].isoformat() == "2026-01-31T12:00:00.250000+00:00"
    assert (rows[0]["links"], rows[0]["more"], rows[3]["links"]) == (["a", "b"], '{"x":1}', None)


def test_ndjson_at_another_address_is_put_in_whole_files(tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec", reason="left out: needs fsspec")
    sink = make_sink(f"ndjson:memory://{tmp_path}?lines=2&every=5m")
    assert (sink.most, sink.patience) == (2, 300.0)
    carried(sink, lines(1, 2), lines(3, 3))
    assert carried(sink) == 3
    system = fsspec.filesystem("memory")
    text = b"".join(system.cat(path) for path in sorted(system.glob(f"{tmp_path}/*.ndjson")))
    assert [json.loads(line)["n"] for line in text.splitlines()] == [1, 2, 3]


def documents(first: int, last: int) -> list[Line]:
    told = {"url": "https://a.example/f", "at": "2026-01-31T12:00:00Z", "headers": "content-type: text/xml\netag: x"}
    return [line._replace(body=b"<rss/>") for line in lines(first, last, **told)]


def test_documents_are_files_with_what_is_told_of_them(tmp_path: Path) -> None:
    sink = make_sink(f"documents:{tmp_path}")
    assert sink.stream == "documents"
    assert carried(sink, documents(1, 2)) == 0
    assert carried(sink) == 2
    bodies, told = sorted(tmp_path.glob("*.body")), sorted(tmp_path.glob("*.json"))
    assert [path.read_bytes() for path in bodies] == [b"<rss/>"] * 2
    assert [json.loads(path.read_bytes())["n"] for path in told] == [1, 2]


def test_documents_leave_as_warc(tmp_path: Path) -> None:
    warcio = pytest.importorskip("warcio.archiveiterator", reason="left out: needs warcio")
    sink = make_sink(f"warc:{tmp_path}")
    assert carried(sink, documents(1, 2)) == 0
    assert carried(sink) == 2
    [path] = tmp_path.glob("*.warc.gz")
    with path.open("rb") as file:
        found = [
            (record.rec_headers.get_header("Afresh-Key"), record.content_stream().read())
            for record in warcio.ArchiveIterator(file)
            if record.rec_type == "response"
        ]
    assert found == [(key_of(MARK, n), b"<rss/>") for n in (1, 2)]


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("out", "is no sink"),
        ("ndjson:", "is no sink"),
        ("njson:out", "did you mean ndjson"),
        ("ndjson:out?rotate=much", "is no amount"),
        ("ndjson:out?colour=red", "colour"),
        ("parquet:out?every=now", "not a duration"),
        ("nats://127.0.0.1:4222", "HOST:PORT/SUBJECT"),
        ("nats://127.0.0.1:4222/a.*", "HOST:PORT/SUBJECT"),
        ("parquet:nosuch://bucket/x", "nosuch"),
    ],
)
def test_an_address_that_is_none_is_refused_in_words(address: str, words: str) -> None:
    with pytest.raises(AfreshError, match=words) as refused:
        make_sink(address)
    assert isinstance(refused.value, UsageError)


def test_the_sinks_there_are() -> None:
    assert SINKS.names()[:5] == ("ndjson", "parquet", "warc", "documents", "nats")
