"""The process that keeps the frontier of a Scrapy process: messages on standard input, answers on standard output.

A process and not a thread: SQLite's driver gives up the interpreter at every row, and a spider that parses pages would
be waited for each time. Several of these take turns at one SQLite file, or meet in one PostgreSQL.
"""

import asyncio
import os
from collections.abc import Sequence
from contextlib import AsyncExitStack
from itertools import chain
from typing import BinaryIO, NoReturn

import msgspec

from afresh.base.child_process import be_child, serve
from afresh.base.errors import AfreshError, StoreAway, StoreBusy
from afresh.base.records.queues import Put, QueueRequest, QueueUrl
from afresh.base.settings import load_settings
from afresh.doors.scrapy.messages import Answer, Done, Found, Message, Opening, Served
from afresh.frontier.queues import CrawlPut, Queues
from afresh.frontier.service import running_frontier

_PASSING = (StoreAway, StoreBusy)
_KEY = "scrapy"  # under which a request is kept with its page, as clients of queues keep what they like


class CrawlFrontier:
    """The use cases of queues, for one crawl."""

    def __init__(self, queues: Queues, opening: Opening) -> None:
        self._queues, self._crawl, self._opening = queues, opening.crawl, opening

    async def exchange(self, message: Message) -> Answer:
        """Takes what was found and done in one transaction, then hands out."""
        for site, pause in message.pauses:
            await self._queues.set_delay(self._crawl, site, pause)
        puts = chain(map(_found, message.found), self._done(message.done))
        taken = await self._queues.put([CrawlPut(self._crawl, put) for put in puts])
        if message.renewed:
            await self._queues.renew(message.renewed, hold=self._opening.lease)
        if message.given_back:
            await self._queues.unlock([QueueUrl("", "", self._crawl, number=one) for one in message.given_back])
        served = await self._serve(message.want) if message.want else []
        left = True
        if message.ask_left and not served:
            left = (await self._queues.stats(self._crawl)).active > 0
        return Answer(taken=[int(one) for one in taken[: len(message.found)]], served=served, left=left)

    async def _serve(self, want: int) -> list[Served]:
        request = QueueRequest(
            crawl=self._crawl,
            queues=want,
            urls=1,  # one at a time of a site, of all processes
            hold=self._opening.lease,
            default_delay=self._opening.pause,
            own_delay=True,
        )
        return [
            Served(one.url, one.key, _request(one.metadata), one.number)
            async for urls in self._queues.get(request)
            for one in urls
        ]

    def _done(self, pages: Sequence[Done]) -> list[Put]:
        now = self._queues.now()
        return [
            Put(
                one.url,
                one.site,
                is_known=True,
                due=one.due,
                metadata=_metadata(one.request),
                content=one.content,
                quiet=now + one.rest,
            )
            for one in pages
        ]


def _found(one: Found) -> Put:
    return Put(one.url, one.site, due=one.due, metadata=_metadata(one.request))


def _metadata(request: str) -> str:
    return msgspec.json.encode({_KEY: [request]}).decode() if request else ""


def _request(metadata: str) -> str:
    """What we kept with a page; of a page that somebody else has put there, nothing."""
    kept = msgspec.json.decode(metadata, type=dict[str, list[str]]) if metadata else {}
    return "".join(kept.get(_KEY, ())[:1])


async def open_crawl(stack: AsyncExitStack, opening: Opening) -> CrawlFrontier:
    """The frontier of a crawl, until the stack is closed."""
    settings = load_settings(environment=os.environ, overrides=opening.settings).settings
    frontier = await stack.enter_async_context(
        running_frontier(settings.frontier, hygiene=settings.hygiene, exclusive=False)
    )
    return CrawlFrontier(Queues(frontier), opening)


def serve_frontier(source: BinaryIO, target: BinaryIO) -> None:
    """Answers one message after another until there is nobody any more."""
    encode = msgspec.msgpack.Encoder().encode
    decode = msgspec.msgpack.Decoder(Message).decode
    opened: list[CrawlFrontier] = []
    stack = AsyncExitStack()

    async def work(content: bytes) -> Answer:
        if opened:
            return await opened[0].exchange(decode(content))
        opened.append(await open_crawl(stack, msgspec.msgpack.decode(content, type=Opening)))
        return Answer()

    with asyncio.Runner() as runner:

        def answer(content: bytes) -> bytes:
            try:
                return encode(runner.run(work(content)))
            except AfreshError as error:
                return encode(Answer(error=str(error) or type(error).__name__, may_pass=isinstance(error, _PASSING)))

        serve(source, target, answer)
        runner.run(stack.aclose())


def main() -> NoReturn:
    be_child(serve_frontier)


if __name__ == "__main__":
    main()
