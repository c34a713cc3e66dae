"""The gate: every request that leaves for a site passes here, every hop of a redirect and robots.txt itself.

It waits for the turn of its site (``site_turns``). robots.txt is asked first and has three answers; *not known yet*
is not *forbidden*.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urljoin

from afresh.base.models import NO_TERMS, Failure, Fetched, Outcome, Rejected, Request, Site, Trip
from afresh.base.politeness import Manners
from afresh.base.records.explained import FORBIDDEN_TARGET
from afresh.base.records.robots import KeptRobots
from afresh.base.settings.sections import PolitenessSettings
from afresh.base.value_class import alike
from afresh.engine.site_turns import Turn, Turns, later
from afresh.http.failures import HopRefused
from afresh.http.location import Location, locate
from afresh.http.robots import RobotsMemory, Rules, Ruling, is_robots, robots_address, told_addresses
from afresh.parse.robots import MAX_BYTES

if TYPE_CHECKING:
    from afresh.base.protocols import Clock
    from afresh.engine.site_ledger import Ledger
    from afresh.http.hop import Client

PATIENCE = 30.0  # seconds a request waits for its site; longer pauses are the caller's business
_TIME_TO_ASK = 60.0  # seconds of a lease that are kept for the request itself


class RobotsArchive(Protocol):
    """Where what robots.txt said is kept for other processes, and for the next run."""

    async def recall(self, address: str, now: float) -> KeptRobots | None: ...

    async def keep(self, robots: KeptRobots) -> None: ...


class Gate:
    """A fetcher that asks sites politely; implements ``base.protocols.Fetcher``.

    ``robots`` None: robots.txt is neither asked nor heeded. ``binds_feeds``: it also binds requests that somebody made
    by name, which otherwise take from it only the pace, and whether they may go where they are led. ``ledger`` None: no
    other process asks the same sites. ``archive`` None: robots.txt is read for this process alone. ``asks_again``
    False: it belongs to a command that ends, so whoever wants to know more has to ask again.
    """

    def __init__(
        self,
        client: Client,
        *,
        clock: Clock,
        site_of: Callable[[str], str],
        manners: Manners | None = None,
        robots: RobotsMemory | None = None,
        binds_feeds: bool = False,
        ledger: Ledger | None = None,
        archive: RobotsArchive | None = None,
        patience: float = PATIENCE,
        asks_again: bool = True,
    ) -> None:
        self._client, self._clock, self._site_of = client, clock, site_of
        self._turns = Turns(manners or Manners(), clock=clock, ledger=ledger, asks_again=asks_again)
        self._robots, self._binds_feeds, self._archive = robots, binds_feeds, archive
        self._patience, self._asks_again = patience, asks_again
        self._readings: dict[str, asyncio.Event] = {}  # by address: a robots.txt that somebody reads now

    async def fetch(self, request: Request) -> Outcome:
        """Carries out the request as soon as its site may be asked; LATER and ROBOTS are outcomes without a request."""
        passage = _Passage(self, request)
        outcome = None
        try:
            outcome = await self._client.fetch(request, hop=passage.hop)
            if self._robots is not None and is_robots(request.url) and isinstance(outcome, Fetched | Rejected):
                passage.note(await self._heard(request.url, outcome))
            outcome = passage.told(outcome)
        finally:
            await passage.end(outcome)
        return outcome

    def ready_at(self, url: str) -> float:
        """When the site of a URL may be asked next, as far as this process knows; 0: nothing is known."""
        return self._turns.ready_at(self._site_of(url))

    def sitemaps(self, url: str) -> tuple[str, ...]:
        """Those that the robots.txt of a URL's origin names, as far as this process has read it."""
        if self._robots is None:
            return ()
        address = robots_address(locate(url))
        rules = self._robots.rules(address, self._clock.now())
        named = () if rules is None or rules.robots is None else rules.robots.sitemaps
        return tuple(urljoin(address, one) for one in named)

    def leave_alone(self, name: str, until: float) -> None:
        """A site is not asked before then, whatever its store says."""
        self._turns.leave_alone(name, until)

    @asynccontextmanager
    async def turn(self, url: str) -> AsyncIterator[None]:
        """The turn of a URL's site, for a request that is no visit, as a post to a hub; raises HopRefused: not now."""
        turn = await self._turns.enter(self._site_of(url), NO_TERMS, math.inf, patience=self._patience)
        try:
            yield
        finally:
            await self._turns.leave(turn, None)

    async def lend(self, name: str) -> Turn:
        """A turn of a site for another process; ``take_back`` ends it."""
        turn = await self._turns.enter(name, NO_TERMS, math.inf, patience=self._patience)
        turn.pause = max(turn.pause, turn.site.crawl_delay)
        return turn

    async def take_back(self, turn: Turn, *, next_allowed: float) -> None:
        """The other process has asked the site, and knows when it may be asked again."""
        turn.site.next_allowed = max(turn.site.next_allowed, next_allowed)
        await self._turns.leave(turn, None)

    def stop(self) -> None:
        """No request is begun any more: what waits ends as LATER."""
        self._turns.stop()

    def stop_waiting(self) -> None:
        """No pause is waited for any more: what cannot be asked at once ends as LATER."""
        self._turns.stop_waiting()

    async def close(self) -> None:
        await self._client.close()

    # --- robots.txt ---------------------------------------------------------------------------------------------------

    def _binds(self, request: Request) -> bool:
        return request.is_crawl or self._binds_feeds

    async def _read_robots(self, address: str, turn: Turn, request: Request) -> Outcome:
        """Asks for robots.txt in a turn of its site, which ends with it."""
        assert self._robots is not None
        asking = Request(url=address, accept="text/plain, */*;q=0.1", enough=MAX_BYTES, terms=request.terms)
        passage = _Passage(self, asking, turn=turn)
        outcome = None
        try:
            outcome = await self._client.fetch(asking, hop=passage.hop)
            passage.note(await self._heard(address, outcome))
        finally:
            await passage.end(outcome, is_robots=True)
        return outcome

    async def _heard(self, address: str, outcome: Outcome) -> Rules:
        """What came for robots.txt, remembered; where it tells, it is kept for others, too."""
        assert self._robots is not None
        rules = await self._robots.hear(address, outcome, self._clock.now())
        if self._archive is not None and rules.robots is not None and not rules.trouble:
            status, body = (outcome.status, outcome.body) if isinstance(outcome, Fetched) else (404, b"")
            for one in told_addresses(address, outcome):
                await self._archive.keep(KeptRobots(address=one, read=rules.read, status=status, body=body))
        return rules

    async def _recalled(self, address: str) -> Rules | None:
        """What another process has read, or this one before it was started anew; None: it has to be read."""
        assert self._robots is not None
        kept = None if self._archive is None else await self._archive.recall(address, self._clock.now())
        return None if kept is None else await self._robots.recall(kept)


class _Passage:
    """One request on its way: the site whose turn it has, and what robots.txt said."""

    __slots__ = (
        "_asked_bytes",
        "_asked_robots",
        "_gate",
        "_has_hopped",
        "_home",
        "_limit",
        "_name",
        "_page_rules",
        "_reads_robots",
        "_request",
        "_rules",
        "_since",
        "_turn",
    )

    def __init__(self, gate: Gate, request: Request, *, turn: Turn | None = None) -> None:
        self._gate, self._request, self._turn = gate, request, turn
        self._home = None if turn is None else turn.site
        self._has_hopped, self._reads_robots = False, turn is not None
        self._rules: Rules | None = None  # of the site it began at
        self._page_rules: Rules | None = None  # of the last hop
        self._name = ""  # of that hop's site
        self._asked_robots = self._asked_bytes = 0
        self._since = now = gate._clock.now()
        terms = request.terms
        self._limit = terms.until if terms.until is not None else now + gate._patience if terms.leased else math.inf

    async def hop(self, place: Location, *, is_part: bool = False) -> None:
        """Returns when this hop may be made; ends the turn of the one before, or is part of it."""
        gate, is_first = self._gate, not self._has_hopped
        if is_part:
            self._check_part(place)
            return
        self._has_hopped = True
        if self._turn is not None:
            if is_first:
                return  # it came with the turn it needs
            turn, self._turn = self._turn, None
            await gate._turns.leave(turn, None)
        name = self._name = gate._site_of(place.url)
        self._page_rules = None
        try:
            if gate._robots is None or not self._asks_robots(place):
                self._turn = await self._enter(name, is_first=is_first)
            else:
                await self._enter_by_rules(name, place, gate._robots, is_first=is_first)
        except HopRefused as refused:
            if leased := self._request.terms.leased:
                refused.site_rest = max(0.0, gate._turns.ready_at(leased) - gate._clock.now())
            raise
        if is_first and self._turn is not None:
            self._home = self._turn.site

    def _check_part(self, place: Location) -> None:
        """What a page wants of its own site belongs to its turn; of another it waits for none, or two pages that want
        something of each other's sites would wait for ever. Nothing is asked for that is known to be forbidden, and no
        site that wants more than its usual pause. robots.txt is not read for it.
        """
        gate, robots, now = self._gate, self._gate._robots, self._gate._clock.now()
        name = gate._site_of(place.url)
        if robots is not None:
            rules = robots.rules(robots_address(place), now) or (self._page_rules if name == self._name else None)
            if rules is not None and rules.ruling(place.url, robots.agent) is not Ruling.ALLOWED:
                words = f"robots.txt does not allow a part of the page: {place.url}"
                raise HopRefused(words, cause=Failure.ROBOTS, url=place.url)
        if name == self._name:
            return
        usual = gate._turns.usual_pause(name)
        if (ready := gate._turns.ready_at(name)) > now + usual:
            raise later(name, ready - now)
        gate._turns.leave_alone(name, now + usual)

    async def end(self, outcome: Outcome | None, *, is_robots: bool = False) -> None:
        turn, self._turn = self._turn, None
        if turn is not None:
            await self._gate._turns.leave(turn, outcome, is_robots=is_robots)

    def note(self, rules: Rules) -> None:
        """robots.txt has been read on this way: the site it began at keeps its pace from now on."""
        self._rules = rules
        if self._home is not None:
            self._home.keep_pace(rules)

    def told(self, outcome: Outcome) -> Outcome:
        """The outcome with what robots.txt says about the pace, and what it cost to ask for it."""
        rules = self._rules
        was_read = rules is not None and rules.robots is not None
        if not was_read and not self._asked_robots:
            return outcome
        trip = alike(
            Trip,
            outcome.trip,
            robots_read=was_read,
            crawl_delay=rules.delay if rules is not None and was_read else None,
            robots_requests=self._asked_robots,
            robots_bytes=self._asked_bytes,
        )
        if isinstance(outcome, Fetched):  # most of them
            return Fetched(trip=trip, status=outcome.status, body=outcome.body, picture=outcome.picture)
        return replace(outcome, trip=trip)

    def _asks_robots(self, place: Location) -> bool:
        """Rules are asked for what they bind, and for the pace of a site that more requests go to."""
        if self._reads_robots or is_robots(place.url):
            return False
        return self._request.terms.is_shared or self._is_bound(place)

    def _is_bound(self, place: Location) -> bool:
        """Rules bind crawls, and whoever is led elsewhere: the address alone is what somebody asked for."""
        request = self._request
        return self._gate._binds(request) or not (place.url == request.url or place.is_spelt_as(locate(request.url)))

    async def _enter(self, name: str, *, is_first: bool) -> Turn:
        """The next turn of a site. A redirect within the leased site waits for it as long as the lease lasts."""
        gate, terms = self._gate, self._request.terms
        if not is_first and name == terms.leased and terms.until is None:
            limit = max(self._limit, terms.held_until - _TIME_TO_ASK)
            return await gate._turns.enter(name, terms, limit, patience=math.inf)
        return await gate._turns.enter(name, terms, self._limit, patience=gate._patience)

    async def _enter_by_rules(self, name: str, place: Location, robots: RobotsMemory, *, is_first: bool) -> None:
        gate, address = self._gate, robots_address(place)
        turn: Turn | None = None
        wait: float | asyncio.Event = 0.0
        try:
            while True:
                rules = robots.rules(address, gate._clock.now())
                if rules is None and turn is None:
                    rules = await gate._recalled(address)
                if rules is not None:
                    wait = self._obey(rules, place, robots.agent, is_first=is_first)
                elif (reading := self._reading(name, address)) is not None:
                    wait = reading
                elif turn is None:
                    turn = await self._enter(name, is_first=is_first)  # somebody else may read it meanwhile
                    continue
                else:
                    mine, turn = turn, None
                    await self._read_robots(address, mine)
                    continue
                if rules is not None and not wait:
                    gate._turns.site(name).keep_pace(rules)
                    self._turn, turn = turn or await self._enter(name, is_first=is_first), None
                    return
                unneeded, turn = turn, None
                await self._wait(wait, name, unneeded)
        finally:
            if turn is not None:
                await gate._turns.give_back(turn)

    async def _wait(self, wait: float | asyncio.Event, name: str, unneeded: Turn | None) -> None:
        """So many seconds, or for somebody who reads robots.txt; meanwhile the turn of the site is for others."""
        gate = self._gate
        if unneeded is not None:
            await gate._turns.give_back(unneeded)
        if isinstance(wait, asyncio.Event):
            await wait.wait()
        else:
            await gate._turns.wait_until(gate._clock.now() + wait, self._limit, name)

    def _reading(self, name: str, address: str) -> asyncio.Event | None:
        """Set when somebody who reads this robots.txt now has ended; None: it is for us to read.

        Where it redirects, that takes more than one turn of the site. Who has the lease of the site must not wait for
        somebody who may wait for that lease.
        """
        return None if name == self._request.terms.leased else self._gate._readings.get(address)

    async def _read_robots(self, address: str, turn: Turn) -> None:
        readings, reading = self._gate._readings, asyncio.Event()
        readings[address] = reading
        try:
            trip = (await self._gate._read_robots(address, turn, self._request)).trip
        finally:
            if readings.get(address) is reading:
                del readings[address]
            reading.set()
        self._asked_robots += trip.requests
        self._asked_bytes += trip.bytes

    def _obey(self, rules: Rules, place: Location, agent: str, *, is_first: bool) -> float:
        """Seconds to wait before robots.txt is looked at again, 0: go on; or refuses the hop."""
        gate, now = self._gate, self._gate._clock.now()
        self._page_rules = rules
        if is_first or gate._site_of(place.url) == gate._site_of(self._request.url):
            self._rules = rules
        wait = max(0.0, rules.again - now)
        if (nobody := rules.failure) is not None:
            raise HopRefused(nobody.detail, cause=nobody.cause, url=place.url, retry_after=wait)
        if not self._is_bound(place):
            return 0.0
        ruling = rules.ruling(place.url, agent)
        if ruling is Ruling.FORBIDDEN:
            is_it = place.url == self._request.url
            what = "robots.txt disallows it" if is_it else f"{FORBIDDEN_TARGET}{place.url}"
            words = f"{what} (fetch.respect_robots)"
            raise HopRefused(words, cause=Failure.ROBOTS, url=place.url, retry_after=wait)
        if ruling is Ruling.ALLOWED:
            return 0.0
        is_patient = not self._request.terms.leased and rules.again <= self._since + min(gate._patience, PATIENCE)
        if is_patient and rules.again <= self._limit and gate._turns.is_patient:
            return max(wait, 0.001)
        words = rules.words(asks_again=gate._asks_again)
        raise HopRefused(words, cause=Failure.LATER, url=place.url, retry_after=wait)


def manners_of(politeness: PolitenessSettings) -> Manners:
    """How much a site is spared, by the settings."""
    return Manners(
        delay=politeness.delay,
        duration_factor=politeness.load_factor,
        backoff_base=politeness.trouble_wait,
        max_retry_after=politeness.retry_after_cap,
    )


def pause_of(outcome: Outcome, site: Site | None, delay: float | None) -> float:
    """Seconds the site is left alone: the operator's wish or the Crawl-delay of its robots.txt, whichever is longer."""
    trip = outcome.trip
    asked = trip.crawl_delay if trip.robots_read else site.state.crawl_delay if site is not None else None
    return max(delay or 0.0, asked or 0.0)
