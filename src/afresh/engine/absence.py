"""A store that is away, or a want of descriptors: told at once, waited for, given up only when the end has come."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from afresh.base.errors import StoreAway
from afresh.base.troubles import DESCRIPTORS, STORE, Troubles

if TYPE_CHECKING:
    from afresh.base.protocols import Clock

AWAY = 1.0  # seconds between two tries of a store that is away
_WANT = 60.0  # seconds for which a want is shown that is met with no more


class Absence:
    """Whether the store is away, for everybody who asks it in one daemon."""

    def __init__(self, clock: Clock, troubles: Troubles) -> None:
        self._clock, self._troubles = clock, troubles
        self.give_up = math.inf  # when what still cannot be recorded is given up

    def note(self, error: StoreAway) -> None:
        self._troubles.report(STORE, str(error))

    async def wait(self, error: StoreAway) -> None:
        """Before another try; raises the error when the end of the loop has come and waited long enough."""
        self.note(error)
        await self._wait(error)

    def note_want(self, error: Exception) -> None:
        self._troubles.report(DESCRIPTORS, str(error), lasting=_WANT)

    async def want(self, error: Exception) -> None:
        """The same where we lack means of our own."""
        self.note_want(error)
        await self._wait(error)

    async def _wait(self, error: Exception) -> None:
        if self._clock.now() >= self.give_up:
            raise error
        await self._clock.sleep(AWAY)
