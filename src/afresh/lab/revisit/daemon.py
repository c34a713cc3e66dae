"""The daemon's own page code over a recorded trace: model, turns and plans of sites in virtual time.

What a visit does to beliefs, site clocks and places is ``pages.model`` and ``pages.turns``, and sites are planned by
``PagePlanner.plan_site``: the code the daemon runs. The lab's own are the trace, the clock, the budget (as for every
rival, see ``replay_kernel``), and the books that the daemon's store keeps, each function the counterpart of one SQL
statement; ``tests/unit/lab/revisit/test_as_in_the_daemon.py`` holds both to the same visits.
"""

import heapq
import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from afresh.base.models import Pace, SiteState
from afresh.base.records.pages import SitePages, SitePlan, Waiting
from afresh.base.settings.sections import RevisitSettings
from afresh.lab.replay.trace import Floats, Ints
from afresh.lab.revisit.histories import Histories, Tempo
from afresh.lab.revisit.replay_kernel import BIRTH, COUNTED, DEATH, REQUESTS, WARMING, score
from afresh.pages.model import PAGE_SIZE, Table
from afresh.pages.planner import PagePlanner
from afresh.pages.policies.policy import WEIGHT
from afresh.pages.site_plans import differs
from afresh.pages.turns import WINDOW, Order, Visited, seat

DAY = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonPolicy:
    """What the daemon does, as one of the policies of a comparison."""

    name: str = "afresh"
    summary: str = "the daemon's own code: policy, order within a site, prices of sites"
    observation: str = "visits"
    settings: RevisitSettings = field(
        default_factory=lambda: RevisitSettings(shortest=1.0, longest=math.inf, second_look=math.inf)
    )
    is_chosen: bool = False  # a person chose every page; else sitemaps named them


@dataclass(slots=True)
class Pot:
    """The budget of the pages that warm up, or of those that count."""

    tempo: Tempo
    income: float = 0.0  # requests a second
    credit: float = 0.0
    price: float = DAY
    pages: int = 0

    def wait(self) -> float:
        """Seconds until it may spend a request again."""
        debt = 1.0 - self.credit - self.tempo.overdraft * self.income
        return 0.0 if debt <= 0.0 else debt / self.income if self.income > 0.0 else math.inf

    def earn(self, seconds: float) -> None:
        self.credit = min(self.credit + self.income * seconds, 2.0 * self.tempo.patience * self.income)

    @property
    def target(self) -> float:
        """Requests a second to ask for, debts and savings evened out."""
        return self.income * min(max(1.0 + self.credit / (self.income * self.tempo.patience), 0.3), 3.0)


@dataclass(slots=True)
class Place:
    """What the two books of a site share."""

    free: float = -math.inf  # no request before this
    row: Floats = field(default_factory=lambda: np.empty(0))  # the policy's numbers of the site


@dataclass(slots=True)
class SiteBook:
    """The pages of a site that are in one pot, and the site as the store keeps it for them."""

    place: Place
    pot: Pot
    state: SiteState = field(default_factory=SiteState)
    pages: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    version: int = 0  # of its entry in the queue


class Crawl:
    """A crawler that goes by the daemon's page code through what really happened."""

    def __init__(
        self,
        histories: Histories,
        share: Floats,
        settings: RevisitSettings,
        *,
        delay: float,
        seed: int = 0,
        draw: Callable[[], float] | None = None,
        epoch: float | None = None,
        price: Callable[[float], float] | None = None,
        is_chosen: bool = False,
    ) -> None:
        """``share``: what a page's being there adds to the budget, requests a second; ``draw``: random numbers.

        ``price`` by time in place of the one that meets the budget, which is then not held.
        """
        count = len(histories)
        self.accounts = np.zeros((count, 4))
        self.violations = 0
        self.visits: list[tuple[float, int]] | None = None  # time and page, if somebody wants them
        self.prices: list[tuple[float, float]] = []  # time and price of the pages that count
        self._web, self._share, self._delay, self._epoch = histories, share, delay, epoch or histories.tempo.epoch
        self._given = price
        self._draw = draw or random.Random(seed).random
        self._planner = PagePlanner(settings)
        self._model = self._planner.model
        self._pots = (Pot(histories.tempo), Pot(histories.tempo))
        places = [Place() for _ in histories.site_names]
        self._books = [SiteBook(place, pot) for place in places for pot in self._pots]  # of site n: 2n and 2n + 1
        self._rows = np.zeros((count, PAGE_SIZE))
        if is_chosen:
            for row in self._rows:
                self._model.choose(row)
        self._rows[:, WEIGHT] = histories.weight
        self._last, self._turn, self._frequency = np.zeros(count), np.full(count, math.inf), np.zeros(count)
        self._next_change = histories.offsets[:-1].copy()
        self._pot = np.full(count, WARMING)
        self._bounds = np.tile([settings.shortest, settings.longest], (WINDOW, 1))
        self._queue: list[tuple[float, int, int]] = []

    def run(self) -> None:
        """The whole history: pages appear, count, end; sites are served and planned anew."""
        web = self._web
        times = np.stack((web.born, web.scored, web.ends), axis=1).ravel()
        events = np.lexsort((np.tile(np.arange(3), len(web)), times))
        now = plan_at = float(times[events[0]])
        for event in (int(number) for number in events):
            happens = float(times[event])
            while (then := min(self._soonest(), plan_at)) < happens:
                self._pass(then - now)
                now = max(now, then)
                if plan_at <= now:
                    plan_at = now + self._epoch
                    self._plan(now)
                else:
                    self._serve(now)
            self._pass(happens - now)
            now = max(now, happens)
            self._happen(event // 3, event % 3, now)

    # --- what happens ---

    def _book(self, page: int) -> SiteBook:
        return self._books[2 * int(self._web.site[page]) + int(self._pot[page])]

    def _happen(self, page: int, kind: int, now: float) -> None:
        """A page appears, begins to count, or ends."""
        if kind != BIRTH:
            self._leave(page, now)
        if kind == DEATH:
            self._account(page, now)
            return
        self._pot[page] = WARMING if kind == BIRTH else COUNTED
        book = self._book(page)
        book.pot.income += self._share[page]
        book.pot.pages += 1
        book.pages = np.append(book.pages, page)
        if kind == BIRTH:  # its first copy is fresh and free
            self._learnt(page, now, changed=None)
        else:
            self._conclude(page, now, wait=self._wait(page))

    def _leave(self, page: int, now: float) -> None:
        book = self._book(page)
        book.pages = book.pages[book.pages != page]
        self._conclude(page, now, wait=math.inf)
        pot = book.pot
        pot.pages -= 1
        pot.income = max(0.0, pot.income - self._share[page]) if pot.pages else 0.0
        pot.credit = pot.credit if pot.pages else 0.0

    def _pass(self, seconds: float) -> None:
        if seconds > 0.0:
            for pot in self._pots:
                pot.earn(seconds)

    # --- the queue of sites ---

    def _enqueue(self, number: int, now: float) -> None:
        book = self._books[number]
        book.version += 1
        if len(book.pages):
            ready = max(book.place.free, now if book.state.next_turn is None else book.state.next_turn)
            heapq.heappush(self._queue, (ready, number, book.version))

    def _soonest(self) -> float:
        while self._queue and self._queue[0][2] != self._books[self._queue[0][1]].version:
            heapq.heappop(self._queue)
        return self._queue[0][0] if self._queue else math.inf

    def _serve(self, now: float) -> None:
        """Visits the first page of the first site, or lets it wait for its budget."""
        _, number, _ = heapq.heappop(self._queue)
        book = self._books[number]
        page = int(book.pages[np.argmin(self._turn[book.pages])])
        if self._turn[page] == math.inf:
            return
        ready = book.place.free  # the other pot's pages may have had the site meanwhile
        if self._given is None and (wait := book.pot.wait()) > 0.0:
            ready = max(ready, now + min(wait, self._epoch) + 1e-3)
        if ready > now:
            book.version += 1
            heapq.heappush(self._queue, (ready, number, book.version))
            return
        book.pot.credit -= 1.0
        self._visit(page, now)

    # --- a visit ---

    def _visit(self, page: int, now: float) -> None:
        web, place = self._web, self._book(page).place
        self.violations += now < place.free - 1e-6
        place.free = now + self._delay
        if self.visits is not None:
            self.visits.append((now, page))
        self._account(page, now)
        self.accounts[page, REQUESTS] += now >= web.scored[page]
        at, end = self._next_change[page], web.offsets[page + 1]
        changed = bool(at < end and web.changes[at] <= now)
        if changed:
            self._next_change[page] = at + np.searchsorted(web.changes[at:end], now, side="right")
        self._learnt(page, now, changed=changed)

    def _learnt(self, page: int, now: float, *, changed: bool | None) -> None:
        """What ``engine.plan`` does after a visit; None: the first."""
        model, book = self._model, self._book(page)
        row, clock, u = self._rows[page], model.clock(book.place.row), self._draw()
        model.rebase(self._rows[page : page + 1])
        if changed is not None:
            model.learn(row, clock, last=self._last[page], now=now, changed=changed)
        self._last[page] = now
        if changed is None:
            model.look_again(row, u)
        self._conclude(page, now, wait=self._wait(page), clock=clock)

    def _wait(self, page: int) -> float:
        book, row, settings = self._book(page), self._rows[page], self._model.settings
        if not row[WEIGHT] > 0.0:
            return math.inf
        wait = self._model.interval(row, max(book.pot.price, book.state.price))
        return min(settings.longest, max(settings.shortest, wait))

    def _conclude(self, page: int, now: float, *, wait: float, clock: Floats | None = None) -> None:
        """Seats a page and records what that does to its site."""
        book, settings = self._book(page), self._model.settings
        visited = Visited(
            row=self._rows[page],
            last=float(self._last[page]),
            wait=wait,
            shortest=settings.shortest,
            longest=settings.longest,
            was_turn=bool(self._turn[page] < math.inf),
            frequency=float(self._frequency[page]),
        )
        made = seat(
            self._model,
            visited,
            book.state,
            self._others(book, page),
            self._model.clock(book.place.row) if clock is None else clock,
            price=book.pot.price,
            now=now,
            free=max(now, book.place.free),
        )
        self._turn[page] = math.inf if made.turn is None else made.turn
        self._frequency[page] = made.frequency
        if made.pace.called is not None:
            self._turn[made.pace.called[0]] = made.pace.called[1]
        book.state = recorded(book.state, made.pace)
        if made.pace.state is not None:
            book.place.row = made.pace.state
        self._enqueue(2 * int(self._web.site[page]) + int(self._pot[page]), now)

    # --- what the store knows ---

    def _others(self, book: SiteBook, besides: int) -> Order:
        """Statement ``first_in_turn``."""
        ids = book.pages[(book.pages != besides) & (self._turn[book.pages] < math.inf)]
        if len(ids) > WINDOW:
            ids = ids[np.argpartition(self._turn[ids], WINDOW)[:WINDOW]]
        ids = ids[np.argsort(self._turn[ids], kind="stable")]
        rows, bounds = self._rows[ids], self._bounds[: len(ids)]
        self._model.rebase(rows)
        return Order(ids, self._turn[ids], Table(rows, self._last[ids], bounds[:, 0].copy(), bounds[:, 1].copy()))

    def _waiting(self, ids: Ints) -> Waiting:
        count = len(ids)
        nothing = np.full(count, math.nan)
        return Waiting(
            ids=ids,
            turn=self._turn[ids],
            last=self._last[ids],
            hastened=np.zeros(count),
            weight=self._rows[ids, WEIGHT],
            shortest=nothing,
            longest=nothing,
            state_of=(self._planner.name,) * count,
            state=self._rows[ids],
        )

    def _site_pages(self, number: int) -> SitePages | None:
        """What the replanner is told of a book; the other book of the site is what else the site spends."""
        book = self._books[number]
        ids = book.pages[self._turn[book.pages] < math.inf]
        if not len(ids):
            return None
        other = min(self._books[number ^ 1].state.frequency, 0.9 / max(self._delay, 1e-3))
        state = replace(book.state, row=book.place.row)
        pages = self._waiting(ids)
        return SitePages(site=number, delay=None, other=other, next_allowed=book.place.free, state=state, pages=pages)

    # --- prices ---

    def _plan(self, now: float) -> None:
        """Sets the prices of both pots, then plans all sites."""
        for number, pot in enumerate(self._pots):
            ids = np.flatnonzero((self._pot == number) & (self._turn < math.inf))
            if self._given is not None:
                pot.price = self._given(now)
            elif len(ids) and pot.income > 0.0:
                pot.price = self._set_price(self._model.table(self._waiting(ids)), pot.target, pot.price)
        self.prices.append((now, self._pots[COUNTED].price))
        for number, book in enumerate(self._books):
            site = self._site_pages(number)
            if site is None:
                continue
            plan = self._planner.plan_site(site, price=book.pot.price, delay=self._delay, now=now)
            if differs(site, plan):
                book.state = planned(book.state, plan, now)
                self._enqueue(number, now)

    def _set_price(self, pages: Table, target: float, price: float) -> float:
        """The price at which pages ask for the target: a search in the logarithms of both."""
        at, low, high = math.log(price), math.log(1e-9), math.log(1e18)
        for _ in range(60):
            error = math.log(max(self._model.wanted(pages, math.exp(at)), 1e-30) / target)
            if abs(error) < 0.01 or high - low < 1e-3:
                break
            low, high = (at, high) if error > 0.0 else (low, at)
            guess = at + 1.2 * min(max(error, -4.0), 4.0)
            at = guess if low < guess < high else 0.5 * (low + high)
        return math.exp(at)

    def _account(self, page: int, now: float) -> None:
        """Adds freshness and age of a page from its last visit until now, as far as they are scored."""
        web = self._web
        begin = max(float(self._last[page]), float(web.scored[page]))
        if now <= begin:
            return
        at = self._next_change[page]
        change = float(web.changes[at]) if at < web.offsets[page + 1] else math.inf
        score(self.accounts[page], begin, change, now)


def recorded(state: SiteState, pace: Pace) -> SiteState:
    """The site after a recorded visit: statement ``record_site``."""
    return replace(
        state,
        turn=state.turn if pace.at is None else state.turn_now(pace.at),
        turn_at=state.turn_at if pace.at is None else pace.at,
        frequency=max(0.0, state.frequency + pace.added),
        speed=pace.speed if state.speed is None else state.speed,
        next_turn=state.next_turn if pace.next_turn is None else pace.next_turn,
        row=state.row if pace.state is None else pace.state,
    )


def planned(state: SiteState, plan: SitePlan, now: float) -> SiteState:
    """The site after a plan: statement ``plan_site``."""
    if not plan.frequency > 0.0:
        return state
    scaled = state.speed
    if scaled is not None and state.frequency > 0.0:
        scaled *= plan.frequency / state.frequency
    pending = state.next_turn
    if plan.next_turn is not None:
        pending = plan.next_turn
    elif pending is not None and pending > now:
        stretched = now + (pending - now) * max(state.frequency, 1e-12) / plan.frequency
        pending = min(stretched, now + 1.0 / plan.frequency)
    return replace(
        state,
        price=min(plan.price, 1e300),
        turn=state.turn_now(now),
        turn_at=None if state.turn_at is None else now,
        frequency=plan.frequency,
        speed=scaled,
        next_turn=pending,
    )
