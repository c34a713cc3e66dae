"""What an explanation tells besides the rule's words: where a price comes from, what each estimator believes."""

from __future__ import annotations

from enum import StrEnum

from afresh.base.value_class import dataclass

#: How the reason of a visit begins that is only a safety net.
TOLD_BY_A_HUB = "its hub tells us of news"
#: What stands before the address of the feed for which a page is not visited.
DOUBLED_PAGE = "a page, and the feed it announces is watched already: "
#: What stands before the address of a redirect that robots.txt forbids.
FORBIDDEN_TARGET = "robots.txt forbids where it leads: "


class PriceSource(StrEnum):
    """Who sets the price of a visit."""

    SETTING = "setting"  # ``budget.price``
    RULE = "rule"  # the rule of the resource names one
    BUDGET = "budget"  # the controller that holds a budget
    TARGET = "target"  # the controller that meets a quality target
    SITE = "site"  # its site bears no more at the price of all


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceOrigin:
    """What a visit of a resource costs, and where that comes from."""

    price: float  # entry-seconds
    weight: float  # of the resource: the price is held against so many times what a visit is worth
    source: PriceSource
    name: str  # of the setting, the rule, the site, or the budget in words
    since: float | None = None  # when the budget began to be held; None: not known, or there is none
    has_moved: bool = False  # it was higher when the next visit was planned


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief:
    """What an estimator makes of a feed's visits."""

    estimator: str
    per_day: float  # entries that it expects in the next 24 hours,
    next_hour: float  # in the next one,
    unseen: float  # and to have been published since the last good visit


@dataclass(frozen=True, slots=True, kw_only=True)
class DueRound:
    """What is due, and what it takes to visit all of it once."""

    visits: int = 0
    robots: int = 0  # robots.txt that have to be read before: of sites that were never asked
    busiest: float = 0.0  # seconds that pass at least at the site that takes longest: its visits, a pause after each

    def takes(self, pace: float, *, saved: int = 0) -> float:
        """Seconds, where so many requests may leave at once, and then one every so often.

        >>> DueRound(visits=131, robots=90, busiest=15.0).takes(3.0), DueRound(visits=4, busiest=20.0).takes(3.0)
        (663.0, 20.0)
        >>> DueRound(visits=14).takes(2.0, saved=10), DueRound(visits=14).takes(2.0, saved=72)
        (8.0, 0.0)
        """
        return max(pace * max(0, self.visits + self.robots - saved), self.busiest)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldBack:
    """A budget that keeps what is due waiting."""

    budget: str  # in words
    pace: float  # seconds between two requests that it allows
    free_at: float | None  # when the next may leave, as far as is known
    ahead: DueRound | None = None  # all that is due, where that is to be told
    saved: int = 0  # that may leave at once, as far as is known

    def next_free(self, now: float) -> float:
        """When one may leave at the latest: those that were free before may be taken.

        >>> held = HeldBack(budget="60 requests an hour", pace=60.0, free_at=100.0)
        >>> held.next_free(50.0), held.next_free(230.0)
        (100.0, 280.0)
        """
        if self.saved > 1:  # a visit under way may have taken one
            return now
        if self.free_at is None or self.free_at >= now:
            return now if self.free_at is None else self.free_at
        return now + -(now - self.free_at) % self.pace if self.pace else now
