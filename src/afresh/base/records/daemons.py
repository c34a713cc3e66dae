"""The daemons that share a store: who is there, who leads, and what all of them may still spend."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from afresh.base.troubles import Standing, Trouble

STOPPED, SILENT = "stopped", "silent"  # beside what a daemon says of itself
HEARTBEAT = 15.0  # seconds between two words of a daemon, at most
_WORSE = tuple(Standing)  # from good to bad


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonRecord:
    """One daemon, as it last said."""

    name: str
    since: float
    seen: float
    requests: int  # in the hour before
    leads_since: float | None  # None: it follows
    status: str = Standing.OK  # a ``Standing``, or STOPPED after an end in good order
    troubles: tuple[Trouble, ...] = ()
    is_gone: bool = field(default=False, compare=False)  # the store knows that its process has ended without a word

    def standing(self, now: float) -> str:
        """How it is doing; SILENT: it should have said something since, so it was killed or cannot write."""
        is_silent = self.is_gone or now - self.seen > 4 * HEARTBEAT
        return SILENT if self.status != STOPPED and is_silent else self.status

    def speaks(self, now: float) -> bool:
        """Whether it is there."""
        return self.standing(now) not in (STOPPED, SILENT)


def spokesman(daemons: Iterable[DaemonRecord], now: float) -> DaemonRecord | None:
    """The one whose word counts for all: the worst of those that speak, else the one seen last; None: there is none.

    One that is silent beside others was killed, or moved away: they go on, and what it did not do is theirs to do.
    """

    def weight(one: DaemonRecord) -> tuple[int, float]:
        return (_WORSE.index(one.status) if one.speaks(now) and one.status in _WORSE else -1, one.seen)

    return max(daemons, key=weight, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """What a daemon wants from a bucket that all share: ``rate`` tokens a second, at most ``size`` saved up."""

    name: str
    rate: float
    size: float
    wanted: float = 0.0
    owed: float = 0.0  # spent beyond what it had drawn; negative: drawn and not spent


@dataclass(frozen=True, slots=True)
class Drawn:
    """What it got, and what is left for all."""

    granted: float
    left: float
