"""The calls of URLFrontier that take one message: each a short way to a use case."""

import logging
from collections.abc import AsyncIterator
from typing import Any

from afresh.base.errors import UsageError
from afresh.base.records.queues import QueueRequest, StoredUrl
from afresh.doors.grpc.translating import to_item
from afresh.frontier.queues import Queues, crawl_name
from afresh.frontier.urlfrontier.protocol import protocol_schema
from afresh.frontier.urls import written

_FEW = 100  # queues or URLs listed when nobody says how many
_HOLD = 30.0  # seconds of a lock when nobody says how long
_DAY = 86_400.0
_LEVELS = (logging.DEBUG, logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR)
_log = logging.getLogger(__name__)


class UrlUnknown(LookupError):
    """Nothing is stored of that URL."""


class Calls:
    """One method a call, under its name in small letters."""

    def __init__(self, queues: Queues, *, address: str) -> None:
        self._queues, self._address = queues, address
        self._messages = protocol_schema().messages

    def _long(self, value: int) -> Any:
        return self._messages["Long"](value=value)

    def _empty(self) -> Any:
        return self._messages["Empty"]()

    async def list_nodes(self, asked: Any) -> Any:  # noqa: ARG002 (every call has what was asked)
        return self._messages["StringList"](values=[self._address])

    async def list_crawls(self, asked: Any) -> Any:  # noqa: ARG002
        return self._messages["StringList"](values=await self._queues.crawls())

    async def delete_crawl(self, asked: Any) -> Any:
        return self._long(await self._queues.remove(crawl_name(asked.value)))

    async def list_queues(self, asked: Any) -> Any:
        crawl = crawl_name(asked.crawlID)
        keys, total = await self._queues.keys(
            crawl, start=asked.start, limit=asked.size or _FEW, all_of_them=asked.include_inactive
        )
        return self._messages["QueueList"](values=keys, total=total, start=asked.start, size=len(keys), crawlID=crawl)

    async def get_stats(self, asked: Any) -> Any:
        crawl = crawl_name(asked.crawlID)
        stats = await self._queues.stats(crawl, asked.key)
        counts = {"completed": stats.completed, "active_queues": stats.active_queues}
        return self._messages["Stats"](
            size=stats.active, inProcess=stats.locked, counts=counts, numberOfQueues=stats.queues, crawlID=crawl
        )

    async def delete_queue(self, asked: Any) -> Any:
        return self._long(await self._queues.remove(crawl_name(asked.crawlID), asked.key) if asked.key else 0)

    async def block_queue_until(self, asked: Any) -> Any:
        await self._queues.block(crawl_name(asked.crawlID), asked.key, float(asked.time))
        return self._empty()

    async def set_active(self, asked: Any) -> Any:
        await self._queues.set_active(asked.state)
        return self._empty()

    async def get_active(self, asked: Any) -> Any:  # noqa: ARG002
        return self._messages["Boolean"](state=await self._queues.is_active())

    async def set_delay(self, asked: Any) -> Any:
        seconds = float(asked.delay_requestable)
        if asked.key:
            await self._queues.set_delay(crawl_name(asked.crawlID), asked.key, seconds)
        else:
            await self._queues.set_default_delay(seconds)
        return self._empty()

    async def set_log_level(self, asked: Any) -> Any:
        level = _LEVELS[asked.level] if asked.level < len(_LEVELS) else logging.INFO
        logging.getLogger(asked.package or None).setLevel(level)
        _log.info("%s logs from %s on", asked.package or "everything", logging.getLevelName(level))
        return self._empty()

    async def set_crawl_limit(self, asked: Any) -> Any:
        await self._queues.set_limit(crawl_name(asked.crawlID), asked.key, asked.limit)
        return self._empty()

    async def get_url_status(self, asked: Any) -> Any:
        key = written(asked.url, asked.key)
        if key is None:
            raise UsageError(f"{asked.url!r} is not a URL")
        found = await self._queues.status(crawl_name(asked.crawlID), key, asked.url)
        if found is None:
            raise UrlUnknown(asked.url)
        return to_item(found)

    async def count_urls(self, asked: Any) -> Any:
        crawl, text = crawl_name(asked.crawlID), asked.filter.strip() and asked.filter
        return self._long(await self._queues.count(crawl, asked.key, containing=text, ignore_case=asked.ignoreCase))

    async def purge_urls(self, asked: Any) -> Any:
        return self._long(await self._queues.purge(crawl_name(asked.crawlID), asked.key, age=asked.days * _DAY))

    async def list_urls(self, asked: Any) -> AsyncIterator[list[StoredUrl]]:
        """Stored URLs from ``start`` on, some at a time."""
        crawl, text = crawl_name(asked.crawlID), asked.filter.strip() and asked.filter
        skip, left = asked.start, asked.size or _FEW
        async for part in self._queues.stored(crawl, asked.key, containing=text, ignore_case=asked.ignoreCase):
            wanted = list(part[skip : skip + left])
            skip = max(0, skip - len(part))
            left -= len(wanted)
            yield wanted
            if left <= 0:
                return


def queue_request(asked: Any) -> QueueRequest:
    """What ``GetParams`` asks for."""
    named = asked.WhichOneof("item") == "crawlID"
    return QueueRequest(
        crawl=crawl_name(asked.crawlID) if named else None,
        key=asked.key,
        queues=asked.max_queues,
        urls=asked.max_urls_per_queue,
        hold=float(asked.delay_requestable) or _HOLD,
    )
