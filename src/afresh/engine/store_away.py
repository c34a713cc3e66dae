"""A full disk, a database that is down, no descriptors left: told at once, waited for, given up only at the end."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from afresh.base.errors import ServerAway, StoreAway
from afresh.base.out_of_descriptors import is_shortage
from afresh.base.troubles import DESCRIPTORS, SERVERS, STORE, Troubles

if TYPE_CHECKING:
    from afresh.base.protocols import Clock

T = TypeVar("T")

AWAY = 1.0  # seconds between two tries of a store that is away
_WANT = 60.0  # seconds for which something is shown that is met with no more


class Absence:
    """Whether the store is away, for everybody who asks it in one daemon."""

    def __init__(self, clock: Clock, troubles: Troubles) -> None:
        self._clock, self._troubles = clock, troubles
        self.give_up = math.inf  # when what still cannot be recorded is given up

    def note(self, error: Exception) -> None:
        """Tells that the store is away, or that we lack means of our own; raises every other error."""
        if isinstance(error, ServerAway):
            self._troubles.report(SERVERS, str(error), lasting=_WANT)
        elif isinstance(error, StoreAway):
            self._troubles.report(STORE, str(error))
        elif is_shortage(error):
            self._troubles.report(DESCRIPTORS, str(error), lasting=_WANT)
        else:
            raise error

    @contextmanager
    def of_a_server(self) -> Iterator[None]:
        """What can wait until all servers of the store are there; the rest goes on without it."""
        try:
            yield
        except ServerAway as error:
            self.note(error)

    async def outlast(self, ask: Callable[[], Awaitable[T]]) -> T:
        """What it brings, asked until the store is back; raises when the end of the loop has waited long enough."""
        while True:
            try:
                return await ask()
            except Exception as error:
                self.note(error)
                if self._clock.now() >= self.give_up:
                    raise
            await self.pause()

    async def pause(self) -> None:
        """Between two tries."""
        await self._clock.sleep(AWAY)
