"""URLFrontier's dump of a frontier: one ``URLItem`` a line, in the JSON form of proto3."""

import math
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
import orjson

from afresh.base.errors import ParseError
from afresh.base.records.queues import NEVER_AGAIN, Put, StoredUrl
from afresh.frontier.queues import CrawlPut, crawl_name
from afresh.frontier.urls import written

_BATCH = 20_000  # lines of one batch
_UNREADABLE = Put("", "")  # what a store refuses


class _Values(msgspec.Struct):
    values: list[str] = []


class _Info(msgspec.Struct):
    url: str = ""
    key: str = ""
    metadata: dict[str, _Values] = {}
    crawl: str = msgspec.field(default="", name="crawlID")


class _Found(msgspec.Struct):
    info: _Info


class _Known(msgspec.Struct):
    info: _Info
    again: str | int = msgspec.field(default=0, name="refetchableFromDate")
    again_too: str | int = msgspec.field(default=0, name="refetchable_from_date")


class _Item(msgspec.Struct):
    """Numbers of 64 bits are texts in proto3's JSON; readers take both, and a field's name in the file, too."""

    known: _Known | None = None
    discovered: _Found | None = None
    created: str | int = msgspec.field(default=0, name="creationDate")
    created_too: str | int = msgspec.field(default=0, name="creation_date")


_ITEM = msgspec.json.Decoder(_Item)


def read_dump(lines: Iterable[bytes]) -> Iterator[list[CrawlPut]]:
    """URLs as they are put, some at a time; ParseError names the line that is no item.

    >>> next(read_dump([b'{"discovered":{"info":{"url":"http://a.example/"}}}']))[0].put.key
    'a.example'
    """
    batch: list[CrawlPut] = []
    for number, line in enumerate(lines, 1):
        if line.isspace():
            continue
        try:
            batch.append(_read(_ITEM.decode(line)))
        except ValueError as error:  # also msgspec's own
            raise ParseError(f"line {number} is no URLItem: {error}") from error
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _read(item: _Item) -> CrawlPut:
    known = item.known
    part = known or item.discovered
    if part is None:
        raise ValueError("it is neither known nor discovered")
    info = part.info
    crawl = crawl_name(info.crawl)
    queue = written(info.url, info.key)
    if queue is None:
        return CrawlPut(crawl, _UNREADABLE)
    created = float(item.created or item.created_too) or None
    text = _to_text(info.metadata) if info.metadata else ""
    if known is None:
        return CrawlPut(crawl, Put(info.url, queue, False, None, text, created))
    again = float(known.again or known.again_too)
    return CrawlPut(crawl, Put(info.url, queue, True, again or NEVER_AGAIN, text, created))


def _to_text(metadata: dict[str, _Values]) -> str:
    values = {name: listed.values for name, listed in metadata.items()}
    return orjson.dumps(values, option=orjson.OPT_SORT_KEYS).decode()


def write_item(one: StoredUrl) -> bytes:
    """A line of the dump.

    >>> write_item(StoredUrl("http://a.example/", "a.example", "DEFAULT", "", 5.0, 3.0))
    b'{"known":{"info":{"url":"http://a.example/","key":"a.example","crawlID":"DEFAULT"},"refetchableFromDate":"5"},...
    """
    info: dict[str, Any] = {"url": one.url, "key": one.key}
    if one.metadata:
        info["metadata"] = {name: {"values": values} for name, values in orjson.loads(one.metadata).items()}
    info["crawlID"] = one.crawl
    known: dict[str, Any] = {"info": info}
    if not math.isinf(one.due):
        known["refetchableFromDate"] = str(max(1, int(one.due)))  # 0 is never again
    item = {"known": known, "creationDate": str(max(0, int(one.created)))}
    return orjson.dumps(item, option=orjson.OPT_APPEND_NEWLINE)
