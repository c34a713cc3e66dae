"""What goes to and fro between a Scrapy process and its frontier: collected, sent together, never waited for."""

import asyncio
import logging
import math
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol

from scrapy import Request

from afresh.base.records.queues import Taken
from afresh.doors.scrapy.messages import Answer, Done, Found, Message, Served
from afresh.doors.scrapy.process import FrontierLost, FrontierProcess

_log = logging.getLogger(__name__)
_COMPANY = 0.005  # seconds a message waits for more to say
_FIRST_LOOK, _LAST_LOOK = 0.02, 0.25  # seconds between two questions for pages, while there are none
_AGAIN = 1.0  # seconds until a store that is away is asked again
_STARTS = 3  # of the process, in a row
_FAREWELL = 20.0  # seconds after which a frontier that is away is not told any more


class Listener(Protocol):
    """What the exchange asks the scheduler for, and tells it."""

    def working(self) -> Sequence[int]:
        """The pages that are worked on."""
        ...

    def finish(self) -> None:
        """Says which of them are done by now."""
        ...

    def pages_came(self) -> None:
        """There are pages to work on, or nothing is left of the crawl."""
        ...

    def was_known(self, request: Request) -> None:
        """A request was found whose page the frontier knew."""
        ...

    def lost(self) -> None:
        """The frontier cannot be asked any more."""
        ...


class Exchange:
    """Both directions. Everything happens in Scrapy's own event loop. ``most``: pages that wait here to be taken."""

    def __init__(self, process: FrontierProcess, listener: Listener, *, most: int, lease: float) -> None:
        self._process, self._listener, self._most, self._renew_after = process, listener, most, lease / 3
        self._found: list[Found] = []
        self._requests: list[Request] = []  # that were found, in the same order
        self._done: list[Done] = []
        self._told = 0  # pages said to be done in the message that is under way
        self._pauses: dict[str, float] = {}
        self._news = asyncio.Event()
        self._renewed = time.monotonic()
        self._look = _FIRST_LOOK
        self._task: asyncio.Task[None] | None = None
        self._ends = math.inf  # by ``time.monotonic``: when nothing more is tried
        self.pages: deque[Served] = deque()  # ours, and nobody works on them yet
        self.is_left = True  # whether the crawl had anything left when the frontier was last asked

    # --- said by the scheduler, which does not wait ---

    def found(self, one: Found, request: Request) -> None:
        self._found.append(one)
        self._requests.append(request)
        self.is_left = True
        self._news.set()

    def done(self, one: Done) -> None:
        self._done.append(one)
        self._news.set()

    def pause(self, site: str, seconds: float) -> None:
        self._pauses[site] = seconds
        self._news.set()

    @property
    def unsettled(self) -> int:
        """Pages that are done, as far as this process goes, and of which the frontier has not said that it knows."""
        return len(self._done) + self._told

    # --- in the background ---

    async def start(self) -> None:
        """FrontierLost if it cannot be opened."""
        await self._process.start()
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Says what is left to say, gives back what nobody has begun, and ends the process."""
        if self._task is not None:
            self._ends = time.monotonic() + _FAREWELL
            self._news.set()
            await self._task
        await self._process.stop()

    async def _run(self) -> None:
        try:
            while self._ends == math.inf:
                await self._turn()
            given_back = [one.number for one in self.pages]
            self.pages.clear()
            await self._tell(self._compose(want=0, given_back=given_back))
        except FrontierLost as error:
            _log.error("the frontier is lost: %s", error)
            self._listener.lost()
        except Exception:  # the outermost loop: a spider without a frontier is closed, not left waiting
            _log.exception("the exchange with the frontier failed")
            self._listener.lost()

    async def _turn(self) -> None:
        """One message and its answer, as soon as there is something to say or to ask."""
        await asyncio.sleep(_COMPANY)
        self._news.clear()
        want = self._most - len(self.pages) if 2 * len(self.pages) <= self._most else 0
        message = self._compose(want=want)
        if message == _NOTHING:
            await self._wait(_LAST_LOOK)
            return
        answer = await self._tell(message)
        if want and not answer.served:
            await self._wait(self._look)
            self._look = min(2 * self._look, _LAST_LOOK)
        else:
            self._look = _FIRST_LOOK

    def _compose(self, *, want: int, given_back: Sequence[int] = ()) -> Message:
        self._listener.finish()
        working = self._listener.working()
        renewed: list[int] = []
        if time.monotonic() - self._renewed > self._renew_after:
            self._renewed = time.monotonic()
            renewed = [*working, *(one.number for one in self.pages)]
        message = Message(
            found=self._found,
            done=self._done,
            pauses=list(self._pauses.items()),
            renewed=renewed,
            given_back=list(given_back),
            want=want,
            ask_left=bool(want) and not (working or self.pages),
        )
        self._found, self._done, self._pauses = [], [], {}
        return message

    async def _tell(self, message: Message) -> Answer:
        requests, self._requests = self._requests, []
        self._told = len(message.done)
        answer = await self._ask(message)
        self._told = 0
        for request, taken in zip(requests, answer.taken, strict=True):
            if taken == Taken.KNOWN:
                self._listener.was_known(request)
        self.pages.extend(answer.served)
        self.is_left = answer.left or bool(self._found)
        if self.pages or not self.is_left:
            self._listener.pages_came()
        return answer

    async def _ask(self, message: Message) -> Answer:
        """The answer, however long the store is away and even if the process ends; FrontierLost after that."""
        starts = 0
        while True:
            try:
                answer = await self._process.ask(message)
            except (EOFError, OSError):
                starts += 1
                if starts > _STARTS:
                    raise FrontierLost("the process that keeps it ends again and again") from None
                _log.error("the process that keeps the frontier has ended; it is started again")
                await self._process.stop()
                await asyncio.sleep(_AGAIN)
                await self._process.start()
                continue
            if not answer.error:
                return answer
            if not answer.may_pass or time.monotonic() > self._ends:
                raise FrontierLost(answer.error)
            _log.warning("%s; tried again in %s s", answer.error, _AGAIN)
            await asyncio.sleep(_AGAIN)

    async def _wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._news.wait(), seconds)


_NOTHING = Message()
