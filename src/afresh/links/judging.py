"""A second process for judging pages when there are many: fetching goes on while pages are read.

Pages go over in batches, since handing over one costs as much as reading it. While the other process is
starting or busy, the caller judges for itself. Nothing that comes back can run code here: it is JSON.
"""

import asyncio
import marshal
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import ClassVar, Self

import orjson

from afresh.base.child_process import framed, receive
from afresh.base.models import Fetched
from afresh.base.records.links import Check, CheckStatus, KeptLink, Turned
from afresh.links.judging_start import Job, JudgingChild, SiteKnown, Told
from afresh.parse.documents import is_slow

_BATCH = 24
_PATIENCE = 0.004  # seconds a page waits for company
_BACKLOG = (
    12  # batches under way from which on the caller helps itself; fewer leave the other process idle now and then
)
_ROOM = 32 * 2**20  # bytes under way from which on, too


@dataclass(slots=True)
class _Waiting:
    job: Job
    told: "asyncio.Future[Told]"


class JudgingProcess:
    """Judges pages in another process; ``None`` as answer means that the caller has to do it.

    with JudgingChild() as child:
        async with JudgingProcess(child) as process:
            check = await process.judge(link, outcome)
    """

    ahead: ClassVar[int] = _BATCH * _BACKLOG  # pages that may wait to be judged while others are fetched

    def __init__(self, child: JudgingChild) -> None:
        self._child = child
        self._waiting: list[_Waiting] = []
        self._under_way: deque[Sequence[_Waiting]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._load = 0  # bytes of pages that wait for their answer
        self.ready = asyncio.Event()

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        stream = asyncio.StreamReader()
        self._jobs, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, self._child.jobs)
        self._answers, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stream), self._child.answers
        )
        self._reading = asyncio.create_task(self._read(stream))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._reading.cancel()
        await asyncio.wait((self._reading,))
        if not self._jobs.is_closing():
            self._jobs.abort()  # the other process reads the end of its input, and ends
        self._answers.close()
        await asyncio.sleep(0)

    async def judge(self, link: KeptLink, outcome: Fetched, *, site: SiteKnown = (False, None)) -> Check | None:
        """The check of a link never seen before, or None: not ready, too busy, or the page needs a closer look."""
        trip = outcome.trip
        content_type = trip.headers.get("content-type", "")
        if not self.ready.is_set() or self._is_busy() or is_slow(outcome.body, content_type):
            return None
        hops = tuple((hop.status, hop.url) for hop in trip.redirects)
        job: Job = (link.url, trip.final_url, content_type, outcome.status, trip.bytes, hops, outcome.body, site)
        loop = asyncio.get_running_loop()
        item = _Waiting(job, loop.create_future())
        self._waiting.append(item)
        if len(self._waiting) >= _BATCH:
            self._send()
        elif self._timer is None:
            self._timer = loop.call_later(_PATIENCE, self._send)
        self._load += len(outcome.body)
        try:
            told = await item.told
        finally:
            self._load -= len(outcome.body)
        if told is None:
            return None
        status, title, detail, turned, new_url = told
        return Check(
            url=link.url,
            at=trip.finished,
            status=CheckStatus(status),
            http=outcome.status,
            final_url=trip.final_url,
            title=link.title or title,
            detail=detail,
            turned=None if turned is None else Turned(turned),
            new_url=new_url,
            size=trip.bytes or len(outcome.body),
        )

    def _is_busy(self) -> bool:
        return len(self._under_way) >= _BACKLOG or self._load > _ROOM

    def _send(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        batch, self._waiting = self._waiting, []
        if not batch:
            return
        if not self.ready.is_set() or self._jobs.is_closing():
            _answer(batch, [None] * len(batch))
            return
        self._under_way.append(batch)
        self._jobs.write(framed(marshal.dumps([item.job for item in batch])))

    async def _read(self, stream: asyncio.StreamReader) -> None:
        """Hands the answers out; whatever goes wrong over there, the callers judge for themselves."""
        try:
            while True:
                content = await receive(stream)
                if not self.ready.is_set():  # its first word says that it is there
                    self.ready.set()
                    continue
                batch = self._under_way.popleft()
                _answer(batch, orjson.loads(content))
        except (asyncio.IncompleteReadError, OSError, ValueError, IndexError):
            self.ready.clear()
        finally:
            for batch in (*self._under_way, self._waiting):
                _answer(batch, [None] * len(batch))
            self._under_way.clear()
            self._waiting = []


def _answer(batch: Sequence[_Waiting], answers: Sequence[Told]) -> None:
    for item, told in zip(batch, answers, strict=True):
        if not item.told.done():
            item.told.set_result(told)
