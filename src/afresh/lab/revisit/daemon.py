"""The daemon's own page code over a recorded trace: model, turns and plans of sites in virtual time.

What a visit does to beliefs, site clocks, places and prices is ``pages.model`` and ``pages.turns``, and sites are planned
by ``pages.site_plans``: the code that the daemon runs. The lab's own are the trace, the clock, the budget (as for every
rival, see ``replay_kernel``), and the books that the daemon's store keeps, each function the counterpart of one SQL
statement; ``tests/unit/lab/revisit/test_as_in_the_daemon.py`` holds both to the same visits.
"""

import heapq
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from afresh.base.records.page_store import SitePages, Waiting
from afresh.base.records.pages import Pace, SitePlan, SiteState
from afresh.base.settings.watching import RevisitSettings
from afresh.lab.replay.trace import Floats, Ints
from afresh.lab.revisit.histories import Histories
from afresh.lab.revisit.replay_kernel import AGE, BIRTH, COUNTED, DEATH, FRESH, REQUESTS, SCORED, WARMING
from afresh.pages.model import PAGE_SIZE, Table
from afresh.pages.planner import PagePlanner
from afresh.pages.policies.policy import WEIGHT
from afresh.pages.site_plans import Replanner
from afresh.pages.turns import WINDOW, Order, Visited, seat

DAY = 86_400.0
EPOCH = 2 * DAY  # seconds between two settings of the price
PATIENCE = 21 * DAY  # seconds over which a debt or surplus of requests is evened out
OVERDRAFT = 2 * DAY  # seconds of budget that may be spent ahead


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonPolicy:
    """What the daemon does, as one of the policies of a comparison."""

    name: str = "afresh"
    summary: str = "the daemon's own code: policy, order within a site, prices of sites"
    observation: str = "visits"
    settings: RevisitSettings = field(
        default_factory=lambda: RevisitSettings(shortest=1.0, longest=math.inf, second_look=math.inf)
    )


@dataclass(slots=True)
class SiteBook:
    """A site as the store keeps it, and its pages."""

    state: SiteState = field(default_factory=SiteState)
    free: float = -math.inf  # no request before this
    pages: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    version: int = 0  # of its entry in the queue


@dataclass(slots=True)
class Pot:
    """The budget of the pages that warm up, or of those that count."""

    income: float = 0.0  # requests a second
    credit: float = 0.0
    price: float = DAY
    pages: int = 0

    def wait(self) -> float:
        """Seconds until it may spend a request again."""
        debt = 1.0 - self.credit - OVERDRAFT * self.income
        return 0.0 if debt <= 0.0 else debt / self.income if self.income > 0.0 else math.inf

    def earn(self, seconds: float) -> None:
        self.credit = min(self.credit + self.income * seconds, 2.0 * PATIENCE * self.income)

    @property
    def target(self) -> float:
        """Requests a second to ask for, debts and savings evened out."""
        return self.income * min(max(1.0 + self.credit / (self.income * PATIENCE), 0.3), 3.0)


class Crawl:
    """A crawler that goes by the daemon's page code through what really happened; the store of its replanner."""

    def __init__(
        self,
        histories: Histories,
        share: Floats,
        settings: RevisitSettings,
        *,
        delay: float,
        seed: int = 0,
        draw: Callable[[], float] | None = None,
        epoch: float = EPOCH,
    ) -> None:
        """``share``: what a page's being there adds to the budget, requests a second; ``draw``: random numbers."""
        count = len(histories)
        self.accounts = np.zeros((count, 4))
        self.violations = 0
        self.visits: list[tuple[float, int]] | None = None  # time and page, if somebody wants them
        self.prices: list[tuple[float, float]] = []  # time and price of the pages that count
        self._web, self._share, self._delay, self._epoch = histories, share, delay, epoch
        self._draw = draw or random.Random(seed).random  # noqa: S311 (jitter)
        self._planner = PagePlanner(settings)
        self._model = self._planner.model
        self._replanner = Replanner(self, self._planner, lambda: self._pots[COUNTED].price, delay)  # type: ignore[arg-type]
        self._sites = [SiteBook() for _ in histories.site_names]
        self._rows = np.zeros((count, PAGE_SIZE))
        self._last, self._turn, self._frequency = np.zeros(count), np.full(count, math.inf), np.zeros(count)
        self._next_change = histories.offsets[:-1].copy()
        self._pot = np.full(count, WARMING)
        self._pots = (Pot(), Pot())
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

    def _happen(self, page: int, kind: int, now: float) -> None:
        """A page appears, begins to count, or ends."""
        site = self._sites[self._web.site[page]]
        if kind != BIRTH:
            self._leave(self._pots[self._pot[page]], page)
        if kind == DEATH:
            self._account(page, now)
            self._conclude(page, now, wait=math.inf)
            site.pages = site.pages[site.pages != page]
            return
        self._pot[page] = WARMING if kind == BIRTH else COUNTED
        pot = self._pots[self._pot[page]]
        pot.income += self._share[page]
        pot.pages += 1
        self._weigh(np.array([page]))
        if kind == BIRTH:  # its first copy is fresh and free
            site.pages = np.append(site.pages, page)
            self._learnt(page, now, changed=None)

    def _leave(self, pot: Pot, page: int) -> None:
        pot.pages -= 1
        pot.income = max(0.0, pot.income - self._share[page]) if pot.pages else 0.0
        pot.credit = pot.credit if pot.pages else 0.0

    def _pass(self, seconds: float) -> None:
        if seconds > 0.0:
            for pot in self._pots:
                pot.earn(seconds)

    # --- the queue of sites ---

    def _enqueue(self, number: int, now: float) -> None:
        site = self._sites[number]
        site.version += 1
        if len(site.pages):
            ready = max(site.free, now if site.state.next_turn is None else site.state.next_turn)
            heapq.heappush(self._queue, (ready, number, site.version))

    def _soonest(self) -> float:
        while self._queue and self._queue[0][2] != self._sites[self._queue[0][1]].version:
            heapq.heappop(self._queue)
        return self._queue[0][0] if self._queue else math.inf

    def _serve(self, now: float) -> None:
        """Visits the first page of the first site, or lets it wait for its budget."""
        _, number, _ = heapq.heappop(self._queue)
        site = self._sites[number]
        page = int(site.pages[np.argmin(self._turn[site.pages])])
        if self._turn[page] == math.inf:
            return
        pot = self._pots[self._pot[page]]
        if (wait := pot.wait()) > 0.0:
            site.version += 1
            heapq.heappush(self._queue, (now + min(wait, self._epoch) + 1e-3, number, site.version))
            return
        pot.credit -= 1.0
        self._visit(page, now)

    # --- a visit ---

    def _visit(self, page: int, now: float) -> None:
        web, site = self._web, self._sites[self._web.site[page]]
        self.violations += now < site.free - 1e-6
        site.free = now + self._delay
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
        model, settings, site = self._model, self._model.settings, self._sites[self._web.site[page]]
        row, clock, u = self._rows[page], model.clock(site.state.row), self._draw()
        model.rebase(self._rows[page : page + 1])
        if changed is not None:
            model.learn(row, clock, last=self._last[page], now=now, changed=changed)
        self._last[page] = now
        price = max(self._pots[COUNTED].price, site.state.price)
        wait = math.inf
        if row[WEIGHT] > 0.0:
            wait = min(settings.longest, max(settings.shortest, model.interval(row, price)))
        if changed is None:
            model.look_again(row, price, shortest=settings.shortest, longest=settings.longest, u=u)
        self._conclude(page, now, wait=wait, clock=clock)

    def _conclude(self, page: int, now: float, *, wait: float, clock: Floats | None = None) -> None:
        """Seats a page and records what that does to its site."""
        number, settings = int(self._web.site[page]), self._model.settings
        site = self._sites[number]
        visited = Visited(
            row=self._rows[page],
            wait=wait,
            shortest=settings.shortest,
            longest=settings.longest,
            was_turn=bool(self._turn[page] < math.inf),
            frequency=float(self._frequency[page]),
        )
        made = seat(
            self._model,
            visited,
            site.state,
            self._others(site, page),
            self._model.clock(site.state.row) if clock is None else clock,
            price=self._pots[COUNTED].price,
            now=now,
            free=max(now, site.free),
        )
        self._turn[page] = math.inf if made.turn is None else made.turn
        self._frequency[page] = made.frequency
        if made.pace.called is not None:
            self._turn[made.pace.called[0]] = made.pace.called[1]
        site.state = recorded(site.state, made.pace)
        self._enqueue(number, now)

    # --- what the store knows ---

    def _others(self, site: SiteBook, besides: int) -> Order:
        """Statement ``first_in_turn``."""
        ids = site.pages[(site.pages != besides) & (self._turn[site.pages] < math.inf)]
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
            alpha=nothing,
            beta=nothing,
            state_of=(self._planner.name,) * count,
            state=self._rows[ids],
        )

    def site_pages(self, *, after: int = 0, limit: int = 0) -> list[SitePages]:
        """For the replanner: all sites at once, numbered from 1."""
        del limit
        found = []
        for number, site in enumerate(self._sites[after:], after + 1):
            ids = site.pages[self._turn[site.pages] < math.inf]
            if len(ids):
                pages = self._waiting(ids)
                found.append(
                    SitePages(
                        site=number, delay=None, other=0.0, next_allowed=site.free, state=site.state, pages=pages
                    )
                )
        return found

    def plan_sites(self, plans: Sequence[SitePlan], *, now: float) -> None:
        """For the replanner."""
        for plan in plans:
            site = self._sites[plan.site - 1]
            site.state = planned(site.state, plan, now)
            self._enqueue(plan.site - 1, now)

    def put_setting(self, key: str, value: str) -> None:
        """For the replanner; what all pages have shown is in the model."""

    # --- prices ---

    def _plan(self, now: float) -> None:
        """Sets the prices of both pots, then plans all sites."""
        for number, pot in enumerate(self._pots):
            ids = np.flatnonzero((self._pot == number) & (self._turn < math.inf))
            if len(ids) and pot.income > 0.0:
                waiting = replace(self._waiting(ids), weight=self._web.weight[ids])
                pot.price = self._set_price(self._model.table(waiting), pot.target, pot.price)
        self.prices.append((now, self._pots[COUNTED].price))
        self._weigh(np.arange(len(self._web)))
        while self._replanner.step(now):
            pass

    def _weigh(self, ids: Ints) -> None:
        """One price serves both pots: where another one holds, weights are worth as much less or more."""
        price = self._pots[COUNTED].price
        ratio = np.array([price / pot.price for pot in self._pots])
        self._rows[ids, WEIGHT] = self._web.weight[ids] * ratio[self._pot[ids]]

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
        stale = max(begin, min(change, now))
        accounts = self.accounts[page]
        accounts[SCORED] += now - begin
        accounts[FRESH] += stale - begin
        if change < now:
            accounts[AGE] += 0.5 * ((now - change) ** 2 - (stale - change) ** 2)


def recorded(state: SiteState, pace: Pace) -> SiteState:
    """The site after a recorded visit: statement ``record_site``."""
    return replace(
        state,
        turn=state.turn if pace.at is None else state.turn_now(pace.at),
        turn_at=state.turn_at if pace.at is None else pace.at,
        frequency=max(0.0, state.frequency + pace.added),
        next_turn=state.next_turn if pace.next_turn is None else pace.next_turn,
        row=state.row if pace.state is None else pace.state,
    )


def planned(state: SiteState, plan: SitePlan, now: float) -> SiteState:
    """The site after a plan: statement ``plan_site``."""
    if not plan.frequency > 0.0:
        return state
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
        next_turn=pending,
    )
