"""The other process of a run whose sites are divided between two: each asks its own, and borrows a turn of the other's.

A redirect or a probe may lead to any site. The process that has a site keeps its queue and its pauses; the other gets a
turn there as one of its requests would, makes one request and says when the site may be asked again. Both hold an end
of one socket; who finds the other gone has all sites to itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from itertools import count
from typing import TYPE_CHECKING, Any, Final

import orjson

from afresh.base.child_process import framed, receive
from afresh.base.models import Failure, TakenSite
from afresh.http.failures import HopRefused

if TYPE_CHECKING:
    import socket

    from afresh.engine.gate import Gate
    from afresh.engine.site_turns import Turn

_ASKED, _LENT, _REFUSED, _RETURNED, _TOLD = b"?", b"+", b"-", b".", b"="  # how a message begins
_OURS: Final = TakenSite(0, 0.0)


class Neighbour:
    """Implements ``engine.site_ledger.Ledger``: our sites are free to take, the others are asked for.

    What the other process has to tell besides is shown to ``hear``.
    """

    def __init__(self, end: socket.socket, *, is_ours: Callable[[str], bool], hear: Callable[[bytes], None]) -> None:
        self._end, self._is_ours, self._hear = end, is_ours, hear
        self._numbers = count(1)
        self._asked: dict[int, asyncio.Future[TakenSite]] = {}  # turns that we wait for
        self._lent: dict[int, Turn] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.gone = asyncio.Event()  # there is nobody any more

    async def meet(self, gate: Gate) -> None:
        """Begins to listen; what is borrowed of us is lent by this gate."""
        self._gate = gate
        reader, self._writer = await asyncio.open_unix_connection(sock=self._end)
        self._listening = asyncio.create_task(self._listen(reader))

    async def part(self) -> None:
        """Hangs up."""
        for task in (ending := (self._listening, *self._tasks)):
            task.cancel()
        await asyncio.wait(ending)
        self._writer.close()
        await asyncio.sleep(0)

    def tell(self, content: bytes) -> None:
        """Something that is no matter of sites."""
        self._send(_TOLD, content)

    # --- what the gate asks -------------------------------------------------------------------------------------------

    async def take(self, site: str) -> TakenSite | float:
        """A turn of the site; raises HopRefused where the other process does not wait for one."""
        if self.gone.is_set() or self._is_ours(site):
            return _OURS
        number = next(self._numbers)
        turn: asyncio.Future[TakenSite] = asyncio.get_running_loop().create_future()
        self._asked[number] = turn
        self._send(_ASKED, orjson.dumps([number, site]))
        return await turn

    async def leave(self, taken: TakenSite, *, next_allowed: float) -> None:
        """After the request: the site is not asked before then."""
        if taken is not _OURS:
            self._send(_RETURNED, orjson.dumps([taken.lease, next_allowed]))

    # --- what the other says ------------------------------------------------------------------------------------------

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        try:
            while True:
                self._mind(await receive(reader))
        except (EOFError, OSError, ValueError, LookupError):  # gone, or out of its mind
            pass
        finally:
            self._writer.close()  # who is out of its mind, but still there, must not ask the sites that are ours now
            self.gone.set()
            for turn in self._asked.values():
                if not turn.done():
                    turn.set_result(_OURS)
            for lent in self._lent.values():
                self._begin(self._gate.take_back(lent, next_allowed=0.0))

    def _mind(self, message: bytes) -> None:
        kind, content = message[:1], message[1:]
        if kind == _TOLD:
            self._hear(content)
            return
        number, *rest = orjson.loads(content)
        if kind == _ASKED:
            self._begin(self._lend(number, *rest))
        elif kind == _RETURNED:
            self._begin(self._gate.take_back(self._lent.pop(number), next_allowed=rest[0]))
        elif kind == _LENT:
            self._answer(number, TakenSite(number, rest[0]))
        else:
            words, wait = rest
            self._answer(number, HopRefused(words, cause=Failure.LATER, retry_after=wait))

    def _answer(self, number: int, told: TakenSite | HopRefused) -> None:
        turn = self._asked.pop(number)
        if isinstance(told, HopRefused):
            if not turn.done():
                turn.set_exception(told)
        elif turn.done():  # who wanted it has given up meanwhile
            self._send(_RETURNED, orjson.dumps([number, 0.0]))
        else:
            turn.set_result(told)

    async def _lend(self, number: int, site: str) -> None:
        try:
            turn = await self._gate.lend(site)
        except HopRefused as refused:
            self._send(_REFUSED, orjson.dumps([number, str(refused), refused.retry_after]))
            return
        if self.gone.is_set():
            await self._gate.take_back(turn, next_allowed=0.0)
            return
        self._lent[number] = turn
        self._send(_LENT, orjson.dumps([number, turn.pause]))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _send(self, kind: bytes, content: bytes) -> None:
        if not self._writer.is_closing():
            self._writer.write(framed(kind + content))
