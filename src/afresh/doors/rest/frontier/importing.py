"""Imports of URLs, read step by step: neither memory nor the other callers have to bear all of a body at once.

A body is read twice. The first reading keeps nothing and refuses what is wrong anywhere, so that a bad body leaves no
half of it behind; the second gives seeds, so many at a time. Between steps the event loop is left to others.
"""

import asyncio
import time
import zlib
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from datetime import datetime
from typing import TypeVar

import msgspec
from starlette.datastructures import Headers

from afresh.base.executor import give_way
from afresh.base.records.frontier import Seed
from afresh.doors.rest.frontier.bodies import SeedList, SeedUrl
from afresh.doors.rest.frontier.reading import decode
from afresh.doors.rest.problems import Refused
from afresh.frontier.seed_lines import seed_lines
from afresh.frontier.urls import CrawlUrls

T = TypeVar("T")
MOST_UNPACKED = 256_000_000  # bytes
MOST_JSON = 8_000_000  # of one JSON value, unpacked: it is read in one go, and its objects take ten times as much
LONGEST_LINE = 100_000
_PIECE = 262_144  # bytes looked at in one step
_BATCH = 2_000  # lines or items of one step, and seeds handed on together
_BUSY = 0.01  # seconds after which others have the loop

_SEED_LIST = msgspec.json.Decoder(SeedList)
_SEED_LINE: "msgspec.json.Decoder[SeedUrl | str]" = msgspec.json.Decoder(SeedUrl | str)


async def in_turns(work: Iterable[T], turn: asyncio.Lock) -> AsyncIterator[T]:
    """Goes through work a little at a time and lets others go first; of all with this lock, one at a time."""
    items = iter(work)
    while True:
        async with turn:
            step = list(_for_a_while(items))
            await give_way()
        if not step:
            return
        for item in step:
            yield item


def _for_a_while(items: Iterator[T]) -> Iterator[T]:
    end = time.perf_counter() + _BUSY
    for item in items:
        yield item
        if time.perf_counter() >= end:
            return


class Import:
    """The URLs of one body: JSON, one JSON value a line, or one URL a line; packed or not."""

    def __init__(self, body: bytes, headers: Headers, urls: CrawlUrls) -> None:
        self._body, self._urls = body, urls
        self._kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        encoding = headers.get("content-encoding", "identity").strip().lower()
        if encoding not in ("", "identity", "gzip"):
            raise Refused(415, f"Content-Encoding {encoding!r} is not understood; send gzip or nothing")
        self._is_packed = encoding == "gzip"
        self._list: list[SeedUrl | str] = []

    def check(self) -> Iterator[None]:
        """Reads all of it in steps; Refused says what is wrong."""
        if self._kind == "application/json":
            yield from self._read_whole()
            return
        for number, lines in _numbered(_lines(self._pieces())):
            if self._kind != "text/plain" or not _is_text(lines):
                for place, line in enumerate(lines, number):
                    _read_line(line, place, self._kind)
            yield None

    def seeds(self) -> Iterator[tuple[list[Seed], list[str]]]:
        """Seeds and what was refused, of each step; what was checked before."""
        if self._kind == "application/json":
            for start in range(0, len(self._list), _BATCH):
                yield _seeds(self._list[start : start + _BATCH], self._urls)
            return
        is_plain = self._kind == "text/plain"
        for number, lines in _numbered(_lines(self._pieces())):
            if is_plain:
                yield _plain_seeds(_texts(lines, is_first=number == 1), self._urls)
                continue
            items = [_read_line(line, place, self._kind) for place, line in enumerate(lines, number)]
            yield _seeds([item for item in items if item is not None], self._urls)

    def _read_whole(self) -> Iterator[None]:
        parts: list[bytes] = []
        size = 0
        for piece in self._pieces():
            size += len(piece)
            if size > MOST_JSON:
                raise Refused(
                    413, f"more than {MOST_JSON:,} bytes of JSON; send one value a line: application/x-ndjson"
                )
            parts.append(piece)
            yield None
        self._list = decode(_SEED_LIST, b"".join(parts)).urls

    def _pieces(self) -> Iterator[bytes]:
        if self._is_packed:
            return _unpacked(self._body)
        return (self._body[start : start + _PIECE] for start in range(0, len(self._body), _PIECE))


def _unpacked(body: bytes) -> Iterator[bytes]:
    """The plain bytes of gzip (one file, or several one behind the other) in pieces, some of them empty."""
    unpacker = zlib.decompressobj(wbits=31)
    size = start = 0
    pending = b""
    while True:
        if not pending:
            pending, start = body[start : start + _PIECE], start + _PIECE
        try:
            plain = unpacker.decompress(pending, _PIECE)
        except zlib.error:
            raise Refused(400, "the body is not gzip, as its Content-Encoding says") from None
        pending = unpacker.unconsumed_tail
        size += len(plain)
        if size > MOST_UNPACKED:
            raise Refused(413, f"the body unpacks to more than {MOST_UNPACKED:,} bytes; send it in parts")
        yield plain
        if unpacker.eof:
            pending = unpacker.unused_data or body[start : start + _PIECE]
            start += 0 if unpacker.unused_data else _PIECE
            if not pending.strip(b"\0"):
                return
            unpacker = zlib.decompressobj(wbits=31)
        elif not plain and not pending and start >= len(body):
            raise Refused(400, "the gzip body is cut short")


def _lines(pieces: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Lines as they come, a batch at a time; a batch may be empty."""
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        if len(rest) > LONGEST_LINE:
            raise Refused(422, f"a line of more than {LONGEST_LINE:,} bytes; write one URL a line")
        for start in range(0, len(lines) or 1, _BATCH):
            yield lines[start : start + _BATCH]
    if rest:
        yield [rest]


def _numbered(batches: Iterable[list[bytes]]) -> Iterator[tuple[int, list[bytes]]]:
    """Each batch with the number of its first line."""
    number = 1
    for lines in batches:
        yield number, lines
        number += len(lines)


def _is_text(lines: list[bytes]) -> bool:
    """Whether all of them are UTF-8, which is soon said of many together; if not, it takes a second look at each."""
    try:
        b"\n".join(lines).decode()
    except UnicodeDecodeError:
        return False
    return True


def _texts(lines: list[bytes], *, is_first: bool) -> list[str]:
    """What lines of plain text say, read together; the file may begin with a mark."""
    return seed_lines(b"\n".join(lines).decode("utf-8-sig" if is_first else "utf-8").split("\n"))


def _read_line(line: bytes, number: int, kind: str) -> SeedUrl | str | None:
    """What a line says; None: nothing."""
    if not line or line.isspace():
        return None
    if kind != "text/plain":
        try:
            return decode(_SEED_LINE, line)
        except Refused as error:
            raise Refused(error.status_code, f"line {number}: {error.detail}", where=f"line {number}") from None
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError:
        raise Refused(400, f"line {number} is not UTF-8", where=f"line {number}") from None


def _plain_seeds(lines: Sequence[str], urls: CrawlUrls) -> tuple[list[Seed], list[str]]:
    """The same for URLs alone, as most imports are: a third of the time."""
    found = list(map(urls.read, lines))
    seeds = [Seed(*known) for known in found if known is not None]
    if len(seeds) == len(found):
        return seeds, []
    return seeds, [line for line, known in zip(lines, found, strict=True) if known is None]


def _seeds(items: "Iterable[SeedUrl | str]", urls: CrawlUrls) -> tuple[list[Seed], list[str]]:
    seeds: list[Seed] = []
    refused: list[str] = []
    read, keep = urls.read, seeds.append
    for item in items:
        url = item.strip() if isinstance(item, str) else item.url
        if url and not seed_lines([url]):  # a comment; a text without anything is refused, for somebody meant a URL
            continue
        known = read(url)
        if known is None:
            refused.append(url)
        elif isinstance(item, str):
            keep(Seed(*known))
        else:
            keep(
                Seed(
                    url=known[0],
                    site=known[1],
                    pagerank=item.url_pagerank,
                    discovered=_maybe(item.url_discovery_date),
                    last_visited=_maybe(item.url_last_visited),
                    crawl_delay=item.fqdn_crawl_delay,
                    bot_excluded=item.url_bot_excluded,
                )
            )
    return seeds, refused


def _maybe(when: datetime | None) -> float | None:
    return None if when is None else max(0.0, when.timestamp())
