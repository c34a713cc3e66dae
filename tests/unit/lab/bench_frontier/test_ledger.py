"""The ledger of a measurement sees what it is there to see."""

import asyncio

import pytest

from afresh.base.errors import UsageError
from afresh.lab.bench_frontier.http import Broken, Connection, Reply
from afresh.lab.bench_frontier.ledger import Ledger
from afresh.lab.bench_frontier.material import Material
from afresh.lab.bench_frontier.options import BenchOptions


def ledger() -> Ledger:
    return Ledger(delay=0.1, reservation=600.0)


def lease(book: Ledger, fetcher: int, at: float, pages: int = 10) -> None:
    book.lease(fetcher, "a.example", pages, expires=at + 600.0, received=at + 0.001)


def test_a_site_in_two_hands_is_seen() -> None:
    book = ledger()
    lease(book, 1, 100.0)
    lease(book, 2, 102.0)
    assert (book.shared, book.hurried) == (1, 0)


def test_a_site_before_its_time_is_seen() -> None:
    book = ledger()
    lease(book, 1, 100.0)
    book.let_go(1, "a.example")
    lease(book, 2, 100.99)
    assert (book.shared, book.hurried) == (0, 1)


def test_what_is_right_is_no_violation() -> None:
    book = ledger()
    lease(book, 1, 100.0)
    book.let_go(1, "a.example")
    lease(book, 2, 101.0)
    book.let_go(2, "a.example")
    lease(book, 1, 102.0)
    lease(book, 3, 1_000_000.0)  # the reservation of 1 has ended
    assert book.violations == 0


def test_material_is_what_it_says() -> None:
    options = BenchOptions(sites=7, urls=100, links=5)
    material = Material(options)
    urls = [url for batch in material.all_urls(30) for url in batch]
    assert len(urls) == len(set(urls)) == 100
    assert {url.split("/")[2] for url in urls} == {material.site(number) for number in range(7)}
    assert set(urls) == {material.url(number) for number in range(100)}
    links = [link for _ in range(20) for link in material.links("www.site1.net")]
    new = [link for link in links if link not in urls]
    assert (len(links), len(new)) == (100, 20)
    assert len(set(new)) == 20


def test_options_that_make_no_sense() -> None:
    for wrong in ({"sites": 0}, {"urls": 5}, {"delay": -1.0}, {"site_order": "best"}, {"kill_every": 0.0}):
        with pytest.raises(UsageError):
            BenchOptions(**wrong)  # type: ignore[arg-type]
    assert len(BenchOptions(site_order="all").modes[0]) == 13


async def answered(answer: bytes, size: int) -> Reply:
    """The reply to one request that is answered so, in pieces of this size."""
    done = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        for start in range(0, len(answer), size):
            writer.write(answer[start : start + size])
            await writer.drain()
        writer.close()
        await writer.wait_closed()
        done.set()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        connection = Connection(*server.sockets[0].getsockname()[:2])
        try:
            return await asyncio.wait_for(connection.post("/", b""), 5)
        finally:
            connection.close()
            await asyncio.wait_for(done.wait(), 5)


HEAD = b"HTTP/1.1 200 OK\r\ncontent-length: 200\r\n\r\n"


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_answers_arrive_whole_however_they_are_cut(size: int) -> None:
    assert asyncio.run(answered(HEAD + b"x" * 200, size)) == Reply(200, b"x" * 200)


def test_a_connection_that_breaks_says_so() -> None:
    with pytest.raises(Broken):
        asyncio.run(answered(HEAD + b"half", 1000))
