"""The calls of URLFrontier that stream URLs: in, in batches as they arrive; out, as fast as the client takes them."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from afresh.base.errors import AfreshError, UsageError
from afresh.base.records.queues import NEVER_AGAIN, QueueUrl, Taken
from afresh.doors.grpc.calls import Calls, queue_request
from afresh.doors.grpc.inflow import batches
from afresh.doors.grpc.translating import FAIL, STATUSES, infos, item_id, item_to_put, to_item, to_put
from afresh.doors.rest.queue_metrics import QueueMetrics
from afresh.frontier.queues import CrawlPut, Queues
from afresh.frontier.urlfrontier.protocol import protocol_schema

_URLS_TOGETHER, _URLS_WAITING = 512, 1_024  # messages of a stream of single URLs
_BATCHES_TOGETHER, _BATCHES_WAITING = 16, 32  # messages of a stream of batches
MOST_ITEMS = 50_000  # URLs of one message
_log = logging.getLogger(__name__)

Read = Callable[[], Awaitable[Any]]
Write = Callable[[bytes], Awaitable[None]]


class Streams:
    """One method a call; ``read`` and ``write`` are the two ends of its stream."""

    def __init__(self, queues: Queues, calls: Calls, metrics: QueueMetrics, *, content_key: str = "") -> None:
        self._queues, self._calls, self._metrics = queues, calls, metrics
        self._content_key = content_key  # '': clients say when URLs are due again
        messages = protocol_schema().messages
        self._item, self._ack = messages["URLItem"], messages["AckMessage"]
        self._batch, self._batch_ack = messages["DiscoveredBatch"], messages["BatchAck"]
        self._giving_back: set[asyncio.Task[None]] = set()

    async def put_urls(self, read: Read, write: Write) -> None:
        """Each URL is acknowledged once it is kept, in the order they came."""
        self._metrics.add("put_calls")
        async for messages in batches(read, most=_URLS_TOGETHER, waiting=_URLS_WAITING):
            items = [self._item.FromString(message) for message in messages]
            statuses = await self._put([item_to_put(item, content_key=self._content_key) for item in items])
            for item, status in zip(items, statuses, strict=True):
                await write(self._ack(ID=item_id(item), status=status).SerializeToString())

    async def put_discovered(self, read: Read, write: Write) -> None:
        """Each batch is acknowledged once all its URLs are kept."""
        self._metrics.add("batch_calls")
        async for messages in batches(read, most=_BATCHES_TOGETHER, waiting=_BATCHES_WAITING):
            found = [self._batch.FromString(message) for message in messages]
            if max(len(batch.items) for batch in found) > MOST_ITEMS:
                raise UsageError(f"more than {MOST_ITEMS:,} URLs in one message; send them in several")
            statuses = iter(await self._put([to_put(info) for batch in found for info in batch.items]))
            for batch in found:
                own = [next(statuses) for _ in batch.items]
                await write(self._batch_ack(ID=batch.ID, statuses=own).SerializeToString())

    async def get_urls(self, asked: Any, write: Write) -> None:
        """Queues are chosen some at a time, the next ones when the client has taken those before."""
        self._metrics.add("get_calls")
        began = time.perf_counter()
        async for urls in self._queues.get(queue_request(asked)):
            await self._send(urls, write)
            self._metrics.add("got", len(urls))
        self._metrics.add("get_ended")
        self._metrics.add("get_seconds", time.perf_counter() - began)

    async def list_urls(self, asked: Any, write: Write) -> None:
        async for part in self._calls.list_urls(asked):
            for one in part:
                await write(to_item(one).SerializeToString())

    async def _put(self, puts: Sequence[CrawlPut]) -> list[int]:
        """Statuses; where the store fails, of all of them that they may be sent again."""
        try:
            taken = await self._queues.put(puts)
        except AfreshError as error:
            _log.warning("%s URLs were not taken: %s", len(puts), error)
            return [FAIL] * len(puts)
        self._count(puts, taken)
        return [STATUSES[one] for one in taken]

    def _count(self, puts: Sequence[CrawlPut], taken: Sequence[Taken]) -> None:
        known = sum(one.put.is_known for one in puts)
        metrics = self._metrics
        metrics.add("put", len(puts))
        metrics.add("discovered", len(puts) - known)
        metrics.add("known", known)
        metrics.add("ignored", taken.count(Taken.KNOWN))
        if known:
            metrics.add("completed", sum(one.put.is_known and one.put.due == NEVER_AGAIN for one in puts))

    async def _send(self, urls: Sequence[QueueUrl], write: Write) -> None:
        """A client that goes away does not keep what it never got."""
        sent = 0
        try:
            for message in infos(urls):
                await write(message)
                sent += 1
        finally:
            if sent < len(urls):
                task = asyncio.create_task(self._give_back(urls[sent:]))
                self._giving_back.add(task)
                task.add_done_callback(self._giving_back.discard)

    async def _give_back(self, urls: Sequence[QueueUrl]) -> None:
        try:
            await self._queues.unlock(urls)
        except AfreshError as error:  # their locks end by themselves
            _log.warning("%s URLs stay locked for a while: %s", len(urls), error)
