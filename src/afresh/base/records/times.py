"""Times in a store that a wrong clock wrote, and how far ahead each kind of them may lie."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

SKEW = 300.0  # seconds: clocks of machines that share a store differ, but not by more


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeBounds:
    """How far ahead a time may lie, in seconds."""

    intervals: Mapping[str, float]  # the longest between two visits, by kind of resource
    trouble: float  # the longest wait after failures, or that a server may ask for
    pause: float  # the longest that a site is left alone
    delay: float  # the shortest
    lease: float
    delivery: float  # the longest wait between two tries to tell somebody

    @property
    def longest(self) -> float:
        """Past this nothing is ever planned."""
        return 1.25 * max(self.trouble, self.pause, *self.intervals.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierBounds:
    """How far ahead a time of a frontier may lie, in seconds."""

    interval: float  # the longest between two visits of a page
    pause: float  # the longest that a site is left alone
    delay: float  # the shortest, of a site that states none
    lease: float

    @property
    def longest(self) -> float:
        """Past this nothing is ever planned."""
        return 1.25 * max(self.interval, self.pause, self.lease)


@dataclass(frozen=True, slots=True)
class SeenTimes:
    """The latest times in a store; None: there are none."""

    visited: float | None  # the end of a visit
    added: float | None  # a resource
    due: float | None
    ready: float | None  # a site
    worked: float | None = None  # the end of the visit recorded last: not the latest where a clock was ahead before

    @property
    def latest(self) -> float:
        """Of what was done."""
        return max(self.visited or 0.0, self.added or 0.0)

    def are_ahead(self, now: float, bounds: TimeBounds | FrontierBounds) -> bool:
        """Whether a clock that was ahead of ours must have written some of them."""
        planned = max(self.due or 0.0, self.ready or 0.0)
        return self.latest > now + SKEW or planned > now + SKEW + bounds.longest


class TimeStore(Protocol):
    """Laws: ``tests.laws.store_times``."""

    def seen_times(self) -> SeenTimes:
        """By indexes: cheap however much there is."""
        ...

    def unfinished_pauses(self, *, since: float) -> list[tuple[str, float]]:
        """Sites that were not to be asked at that time, and until when."""
        ...

    def pull_back(self, *, now: float, bounds: TimeBounds) -> int:
        """Brings due times and pauses that a wrong clock wrote to where they would be; how many resources and sites.

        What was visited ahead of now keeps its interval and its site the rest of its pause, within their bounds; what
        else lies further ahead than its bound is cut there. The log stays as it is.
        """
        ...
