"""What goes wrong with afresh itself: the one place to which it is reported, and at which every door looks.

A site that fails is no trouble of ours; a full disk, a database that is away, a companion that fails, a clock that
jumps and descriptors that run out are. Each has a name, a reason and a beginning.
"""

import logging
import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import StrEnum

from afresh.base.value_class import dataclass

log = logging.getLogger("afresh.health")

STORE, CLOCK, NETWORK, LOOP, DESCRIPTORS = "store", "clock", "network", "loop", "descriptors"
CLOCKS = "clocks"  # of the machines that share a store
SERVERS = "servers"  # of a store that is divided among several: one is away, what is on the others goes on
_REMIND = 600.0  # seconds after which a trouble that lasts is logged again
_MOST_WORDS = 500  # characters of a reason


class Standing(StrEnum):
    """How afresh is doing as a whole."""

    OK = "ok"
    DEGRADED = "degraded"  # something does not work, and is tried again
    FAILING = "failing"  # nothing is watched any more


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that does not work as it should."""

    what: str  # the part concerned: store, clock, network, descriptors, or the name of a companion
    why: str
    since: float
    times: int = 1  # how often it was met with


@dataclass(slots=True)
class _Known:
    trouble: Trouble
    until: float  # when it is taken to be over unless it is reported again
    logged: float


class Troubles:
    """What is wrong now. Whoever meets with a fault reports it; whoever sees that it has passed says so."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._known: dict[str, _Known] = {}

    def report(self, what: str, why: str, *, lasting: float = math.inf) -> None:
        """It lasts until ``over``, or so many seconds after the last report. Logged once, and now and then again."""
        now, why = self._now(), why[:_MOST_WORDS]
        known = self._known.get(what)
        if known is None or known.until <= now:
            log.warning("%s: %s", what, why)
            self._known[what] = _Known(Trouble(what, why, now), now + lasting, now)
            return
        known.trouble = replace(known.trouble, why=why, times=known.trouble.times + 1)
        known.until = now + lasting
        if now - known.logged >= _REMIND:
            known.logged = now
            log.warning("%s: %s (%d times since it began)", what, why, known.trouble.times)

    def over(self, what: str) -> None:
        known = self._known.pop(what, None)
        if known is not None:
            log.info("%s: it works again, after %.0f s", what, max(0.0, self._now() - known.trouble.since))

    def __contains__(self, what: str) -> bool:
        known = self._known.get(what)
        return known is not None and known.until > self._now()

    def why(self, what: str) -> str:
        """The reason of a trouble; empty: there is none."""
        return self._known[what].trouble.why if what in self else ""

    def since(self, what: str) -> float:
        """When a trouble began; now: there is none."""
        return self._known[what].trouble.since if what in self else self._now()

    def current(self) -> tuple[Trouble, ...]:
        """Those of now, the oldest first."""
        now = self._now()
        for what in [what for what, known in self._known.items() if known.until <= now]:
            self.over(what)
        return tuple(sorted((known.trouble for known in self._known.values()), key=lambda trouble: trouble.since))


def standing(troubles: Iterable[Trouble], *, is_alive: bool) -> Standing:
    """One word for all of it."""
    found = {trouble.what for trouble in troubles}
    if not is_alive or LOOP in found:
        return Standing.FAILING
    return Standing.DEGRADED if found else Standing.OK
