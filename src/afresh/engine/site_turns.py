"""Turns: a site is asked one request at a time, and between the end of one and the start of the next lies its pause.

That is the largest of the setting, the site's own, the Crawl-delay of its robots.txt and what a Retry-After asked for.
Within a process this is remembered here, between processes by the store (``site_ledger``, and the leases of the loop,
which come with a request as its ``Terms``).
"""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING

from afresh.base.durations import format_duration
from afresh.base.models import Failed, Failure, Outcome, TakenSite, Terms
from afresh.base.politeness import Manners, is_sites_trouble, next_allowed, site_rest_of
from afresh.base.value_class import dataclass
from afresh.http.failures import HopRefused

if TYPE_CHECKING:
    from afresh.base.protocols import Clock
    from afresh.engine.site_ledger import Ledger
    from afresh.http.robots import Rules

_WORTH_TELLING = 1.0  # seconds that somebody has waited for a turn
_MANY = 10_000  # sites remembered before those that are ready again are forgotten


@dataclass(slots=True)
class AskedSite:
    """What this process remembers of a site."""

    lock: asyncio.Lock
    next_allowed: float = 0.0
    ended: float = 0.0  # its last request
    failures: int = 0  # in a row
    waiting: int = 0  # requests under way or in the queue
    crawl_delay: float = 0.0  # of the robots.txt looked at last

    def follow(self, now: float) -> None:
        """After a step of the clock backward what is left of the pause stays."""
        if self.ended > now:
            self.next_allowed -= self.ended - now
            self.ended = now

    def keep_pace(self, rules: Rules) -> None:
        """A Crawl-delay counts from the end of the last request, even if that was the one it came with."""
        self.crawl_delay = delay = rules.delay or 0.0
        if self.ended + delay > self.next_allowed:
            self.next_allowed = self.ended + delay


@dataclass(slots=True)
class Turn:
    """A site that may be asked once, now."""

    site: AskedSite
    pause: float  # seconds that the site is known to want after it
    taken: TakenSite | None = None  # in the store
    is_leased: bool = False  # by the caller, whose report tells the store


class Turns:
    """Who asks which site now, and when each may be asked again.

    ``ledger`` None: no other process asks the same sites. ``asks_again`` False: it belongs to a command that ends, so
    whoever wants to know more has to ask again.
    """

    def __init__(self, manners: Manners, *, clock: Clock, ledger: Ledger | None, asks_again: bool) -> None:
        self._manners, self._clock, self._ledger, self._asks_again = manners, clock, ledger, asks_again
        self._sites: dict[str, AskedSite] = {}
        self._many = _MANY
        self._is_stopping, self.is_patient = False, True
        self._sleepers: set[asyncio.Future[None]] = set()

    def site(self, name: str) -> AskedSite:
        """What is remembered of a site, from now on if nothing was."""
        known = self._sites.get(name)
        if known is None:
            if len(self._sites) >= self._many:
                self._forget_ready()
            known = self._sites[name] = AskedSite(asyncio.Lock())
        return known

    def ready_at(self, name: str) -> float:
        """When the site may be asked next, as far as this process knows; 0: nothing is known."""
        if (known := self._sites.get(name)) is None:
            return 0.0
        known.follow(self._clock.now())
        return known.next_allowed

    def leave_alone(self, name: str, until: float) -> None:
        """A site is not asked before then, whatever its store says."""
        site = self.site(name)
        site.ended = max(site.ended, self._clock.now())
        site.next_allowed = max(site.next_allowed, until)

    def usual_pause(self, name: str) -> float:
        """Seconds between two requests to a site that is not in trouble."""
        return self._usual_pause(self.site(name))

    def stop(self) -> None:
        """No turn is begun any more: what waits ends as LATER."""
        self._is_stopping = True
        self.stop_waiting()

    def stop_waiting(self) -> None:
        """No pause is waited for any more: what cannot be asked at once ends as LATER."""
        self.is_patient = False
        for sleeper in self._sleepers:
            if not sleeper.done():
                sleeper.set_result(None)

    async def enter(self, name: str, terms: Terms, limit: float, *, patience: float) -> Turn:
        """Returns when nobody else asks the site and its pause is over.

        ``limit`` is the latest time to wait for, ``patience`` how long from the moment on when it is our turn.
        """
        site = self.site(name)
        if site.waiting and limit < math.inf:
            self._check_queue(name, site, limit)
        site.waiting += 1
        since, patient_until = self._clock.now(), math.inf
        try:
            while True:
                await site.lock.acquire()
                try:
                    patient_until = min(limit, patient_until, self._clock.now() + patience)
                    taken = await self._take(name, site, terms, patient_until)
                except BaseException:
                    site.lock.release()
                    raise
                if isinstance(taken, Turn):
                    return taken
                # Somebody else has it; if that is our own loop, its visit must not wait for us meanwhile.
                site.lock.release()
                waited = self._clock.now() - since
                if taken > patient_until and waited >= _WORTH_TELLING:
                    raise self._had_by_others(name, waited, taken - self._clock.now())
                await self.wait_until(taken, patient_until, name)
        except BaseException:
            site.waiting -= 1
            raise

    async def _take(self, name: str, site: AskedSite, terms: Terms, limit: float) -> Turn | float:
        """The turn, or when to try again because another process has the site."""
        site.follow(now := self._clock.now())
        while site.next_allowed > now:
            await self.wait_until(site.next_allowed, limit, name)
            site.follow(now := self._clock.now())
        if self._is_stopping:
            raise later(name, 0.0)
        if now > limit:  # those in front took longer than they were expected to
            raise later(name, self._pauses_ahead(site))
        if terms.leased == name:
            return Turn(site, terms.pause, is_leased=True)
        pause = terms.pause if not terms.leased else 0.0  # what is known of the leased site says nothing of this one
        if self._ledger is None:
            return Turn(site, pause)
        taken = await self._ledger.take(name)
        return Turn(site, max(pause, taken.pause), taken) if isinstance(taken, TakenSite) else taken

    async def leave(self, turn: Turn, outcome: Outcome | None, *, is_robots: bool = False) -> None:
        """The site's request has ended, with this outcome, or in between with a redirect or a cancellation (None)."""
        site = turn.site
        site.ended = self._clock.now()
        try:
            site.next_allowed = max(site.next_allowed, self._after(turn, outcome, is_robots=is_robots))
            if turn.taken is not None and self._ledger is not None:
                await self._ledger.leave(turn.taken, next_allowed=site.next_allowed)
        finally:
            self._release(site)

    def _after(self, turn: Turn, outcome: Outcome | None, *, is_robots: bool) -> float:
        """When the site may be asked again."""
        manners, site = self._manners, turn.site
        pause = max(turn.pause, site.crawl_delay)
        if outcome is None:
            return self._clock.now() + max(manners.delay, pause)
        if _asked_nobody(outcome):
            return site.next_allowed
        if is_robots:  # has growing pauses of its own; the rest of the site need not be in trouble
            wish = site_rest_of(outcome, manners=manners) or 0.0
            return outcome.trip.finished + max(manners.delay, pause, wish)
        site.failures = site.failures + 1 if is_sites_trouble(outcome) else 0
        failures = 0 if turn.is_leased else site.failures  # the loop's reports count for themselves
        return next_allowed(outcome, manners=manners, delay=pause, failures=failures)

    async def give_back(self, turn: Turn) -> None:
        """A turn that was not needed."""
        try:
            if turn.taken is not None and self._ledger is not None:
                await self._ledger.leave(turn.taken, next_allowed=turn.site.next_allowed)
        finally:
            self._release(turn.site)

    def _release(self, site: AskedSite) -> None:
        site.lock.release()
        site.waiting -= 1

    def _check_queue(self, name: str, site: AskedSite, limit: float) -> None:
        """Whoever may not wait for all in front need not begin to."""
        now = self._clock.now()
        site.follow(now)
        ready = max(now, site.next_allowed) + self._pauses_ahead(site)
        if ready > limit:
            raise later(name, ready - now)

    def _pauses_ahead(self, site: AskedSite) -> float:
        """Seconds that pass at least until all who ask the site now have been served."""
        return site.waiting * self._usual_pause(site)

    def _had_by_others(self, name: str, waited: float, wait: float) -> HopRefused:
        time = format_duration(round(waited))
        words = f"waited {time} for a turn at {name}, which another process is asking all the time"
        if not self._asks_again:
            words += ": the daemon on the same store, as a rule; try again, or when it has less to ask there"
        return HopRefused(words, cause=Failure.LATER, retry_after=max(0.0, wait))

    def _usual_pause(self, site: AskedSite) -> float:
        return max(self._manners.delay, site.crawl_delay)

    async def wait_until(self, time: float, limit: float, name: str) -> None:
        now = self._clock.now()
        if time > limit or not self.is_patient:
            raise later(name, max(0.0, time - now))
        await self._sleep(time - now)

    async def _sleep(self, seconds: float) -> None:
        """Waits so long, or until it is told to stop."""
        sleeping = asyncio.ensure_future(self._clock.sleep(seconds))
        woken = asyncio.get_running_loop().create_future()
        self._sleepers.add(woken)
        try:
            await asyncio.wait((sleeping, woken), return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._sleepers.discard(woken)
            sleeping.cancel()

    def _forget_ready(self) -> None:
        now = self._clock.now()
        for name in [name for name, site in self._sites.items() if not site.waiting and site.next_allowed <= now]:
            del self._sites[name]
        self._many = max(_MANY, 2 * len(self._sites))


def _asked_nobody(outcome: Outcome) -> bool:
    """Whether the address was refused before anything was sent: there is nobody to spare."""
    return isinstance(outcome, Failed) and outcome.cause is Failure.ADDRESS and not outcome.trip.requests


def later(name: str, wait: float) -> HopRefused:
    """What is raised where a site may not be asked for so many seconds."""
    words = f"{name} may not be asked for another {format_duration(wait)}, or is being asked"
    return HopRefused(words, cause=Failure.LATER, retry_after=wait)
