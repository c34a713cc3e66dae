"""What is believed about pages, and what follows from it: rows of numbers, for daemon and lab alike.

A page's row is its policy's, then four numbers more: how much of the belief is still the prior it began with, that
prior's exposure, what part of its interval it waits for the next visit, and the changes that visits have shown. Behind
them a page that a person chose has the odds of its rate (``beliefs.octaves``): of others it is believed that they are
like all pages, of that one nothing is. A site's row is the policy's clock of it. Rows are kept in seconds of a web
whose day has 86,400 of them; ``settings.day`` says how long one really lasts.
"""

import math
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from afresh.base.compiled import ROWS, compiled
from afresh.base.models import CHOSEN, Row
from afresh.base.records.pages import SitePages, SitePlan, Waiting
from afresh.base.settings.sections import RevisitSettings
from afresh.pages.beliefs.octaves import OCTAVES, first_odds, gamma_of
from afresh.pages.beliefs.outlook import still_fresh
from afresh.pages.policies import POLICIES, load_policy
from afresh.pages.policies.announced import learn_announced
from afresh.pages.policies.belief import EVIDENCE, EXPOSURE, ODDS, prior_of
from afresh.pages.policies.policy import WEIGHT
from afresh.pages.policies.site_prices import demand, next_page, site_price
from afresh.pages.policies.world import CHANGES, WATCHED

Rows = NDArray[np.float64]

DAY = 86_400.0
#: behind the policy's own numbers of a page
SHARE, PRIOR_EXPOSURE, SPREAD, SEEN = EXPOSURE + 1, EXPOSURE + 2, EXPOSURE + 3, EXPOSURE + 4
PAGE_SIZE = ODDS + OCTAVES
MEMORY = 5_000.0  # visits over which the mean rate of all pages reaches back
_FIRST_LOOK = 1.0 / 32.0  # of its interval a page waits that a person chose; then twice as much, up to all of it
_STRENGTH = 10.0  # what is seen counts so many times: the policy's imaginary fifty days weigh like five
_LEAST_CAP = 1e-9  # requests a second of a site that can bear no page at all


@dataclass(frozen=True, slots=True)
class Table:
    """Pages of a site as the compiled functions read them; seconds of the web."""

    rows: Rows
    last: Row
    shortest: Row
    longest: Row

    def with_page(self, row: Row, last: float, shortest: float, longest: float) -> "Table":
        """The same pages and one more, behind them."""
        more = np.array((last, shortest, longest))
        return Table(
            np.concatenate((self.rows, row[np.newaxis, :])),
            np.concatenate((self.last, more[0:1])),
            np.concatenate((self.shortest, more[1:2])),
            np.concatenate((self.longest, more[2:3])),
        )


@compiled(f"void({ROWS}, float64)")
def _rebase(rows: Rows, prior: float) -> None:
    for row in rows:
        if row[SHARE] > 0.0 and not row[ODDS] > 0.0:
            moved = row[EXPOSURE] + row[SHARE] * (prior - row[PRIOR_EXPOSURE])
            row[EXPOSURE] = max(moved, 1e-3 * row[EXPOSURE])
            row[PRIOR_EXPOSURE] = prior


class PageModel:
    """One policy with what all pages have shown it (``world``). Threads may share it."""

    def __init__(self, settings: RevisitSettings) -> None:
        self.settings = settings
        self.policy = load_policy(settings.policy, settings.objective)
        self.speed = DAY / settings.day
        self.world = np.zeros(self.policy.world_size)
        self._params = self.policy.parameters()
        self._is_age = settings.objective == "age"
        self._visits = 0.0  # that the world row rests on
        self._lock = Lock()

    # --- what all pages have shown ---

    def resume(self, world: Row) -> None:
        """Goes on from what an earlier run had learnt; a row that makes no sense is left alone."""
        known = min(len(world), len(self.world))
        if world.ndim == 1 and known > WATCHED and np.all(np.isfinite(world)) and np.all(world >= 0.0):
            self.world[:known] = world[:known]
            self._visits = 2.0 * MEMORY

    def prior(self) -> tuple[float, float]:
        """Belief about a page never visited, seconds of the web."""
        a, b = prior_of(self._params, self.world)
        return float(a), float(b)

    def belief(self, row: Row) -> tuple[float, float]:
        """Evidence in changes and exposure in seconds of the web: the rate is believed to be Gamma(a, b)."""
        return (float(row[EVIDENCE]), float(row[EXPOSURE])) if row[EXPOSURE] > 0.0 else self.prior()

    def changes_seen(self, row: Row) -> float:
        """Of a belief, the changes that visits have shown, as far as they still count: without the prior's part."""
        if self.is_chosen(row):
            return float(row[SEEN])
        return max(0.0, self.belief(row)[0] - float(row[SHARE]) * self.prior()[0])

    # --- rows ---

    def row(self, state: Row, state_of: str, weight: float) -> Row:
        """A page's numbers as a store keeps them, based on today's prior."""
        row: Row = self.based(state[np.newaxis, :], np.array([state_of in POLICIES]))[0]
        if state_of == CHOSEN:
            self.choose(row)
        row[WEIGHT] = weight
        return row

    def choose(self, row: Row) -> None:
        """A person chose this page by itself: how often pages usually change says nothing about it."""
        row[ODDS:] = first_odds()
        row[EVIDENCE], row[EXPOSURE] = gamma_of(row[ODDS:])

    def is_chosen(self, row: Row) -> bool:
        """Whether a person chose the page, and not a sitemap."""
        return bool(row[ODDS] > 0.0)

    def is_known(self, row: Row) -> bool:
        """Whether a visit or a remark has said anything about the page."""
        if self.is_chosen(row):
            return not np.array_equal(row[ODDS:], first_odds())
        return bool(row[EXPOSURE] > 0.0)

    def believed(self, evidence: float, exposure: float) -> Row:
        """The row of a page about which this is believed before its first visit; exposure in seconds of the web."""
        row = np.zeros(PAGE_SIZE)
        row[EVIDENCE], row[EXPOSURE] = evidence, exposure
        return row

    def clock(self, kept: Row) -> Row:
        """The site's row to learn in; an empty one where another policy's was kept."""
        return kept.copy() if len(kept) == self.policy.site_size else np.zeros(self.policy.site_size)

    def based(self, state: Rows, is_ours: NDArray[np.bool_]) -> Rows:
        """Rows on today's prior; fresh ones in place of another rule's, or of some that make no sense.

        A belief is a prior and what was seen since. Pages that were first seen when nothing was known about any page
        would keep that ignorance for years, so the prior's part is exchanged for what all pages have shown by now.
        """
        rows = np.zeros((len(state), PAGE_SIZE))
        width = min(state.shape[1], PAGE_SIZE)
        if width <= EXPOSURE:
            return rows
        rows[:, :width] = np.where(np.isfinite(state[:, :width]), state[:, :width], 0.0)
        rows[~is_ours] = 0.0
        rows[~((rows[:, EVIDENCE] > 0.0) & (rows[:, EXPOSURE] > 0.0)), EVIDENCE:SPREAD] = 0.0
        is_sound = np.all(rows[:, ODDS:] > 0.0, axis=1) & (rows[:, EXPOSURE] > 0.0)
        rows[~is_sound, ODDS:] = 0.0
        self.rebase(rows)
        return rows

    def rebase(self, rows: Rows) -> None:
        """Exchanges the prior's part of beliefs for today's prior, in place."""
        _rebase(rows, self.prior()[1])

    def table(self, pages: Waiting) -> Table:
        """Pages as a store keeps them, ready for the compiled functions."""
        is_ours = np.array([of in POLICIES for of in pages.state_of], dtype=np.bool_)
        rows = self.based(pages.state, is_ours)
        rows[:, WEIGHT] = pages.weight
        shortest = np.where(np.isnan(pages.shortest), self.settings.shortest, pages.shortest)
        longest = np.maximum(shortest, np.where(np.isnan(pages.longest), self.settings.longest, pages.longest))
        last = np.nan_to_num(pages.last) - pages.hastened
        return Table(rows, last * self.speed, shortest * self.speed, longest * self.speed)

    # --- one page ---

    def learn(self, row: Row, clock: Row, *, last: float, now: float, changed: bool, announced: bool = False) -> None:
        """A visit to a page and its site, in place; ``last`` is the visit before.

        A clock that went back says nothing about the time between two visits, so nothing is learnt from them.
        """
        row[SPREAD] = 2.0 * row[SPREAD] if self.is_chosen(row) and row[SPREAD] < 0.5 else 0.0
        if not now > last:
            return
        row[SEEN] += changed
        elapsed = (now - last) * self.speed
        with self._lock:
            if row[EXPOSURE] <= 0.0:
                row[EVIDENCE], row[EXPOSURE] = self.prior()
                row[SHARE], row[PRIOR_EXPOSURE] = 1.0, row[EXPOSURE]
            before, changes, watched = row[EXPOSURE], self.world[CHANGES], self.world[WATCHED]
            rate, fresh = row[EVIDENCE] / before, still_fresh(row[EVIDENCE], before, elapsed)
            if changed and announced:
                learn_announced(self._params, row, self.world, elapsed)
            else:
                self.policy.learn(
                    self._params, row, clock, self.world, now * self.speed, elapsed, float(changed), math.nan
                )
            row[SHARE] *= min(1.0, row[EXPOSURE] / before)  # capped evidence: the prior shrinks with the rest
            if not announced:
                # What a visit is expected to have found under the whole belief, not under its mean alone; early
                # guesses were made in ignorance, so at first only the latter half of all visits counts.
                found = min(rate * elapsed / (1.0 - fresh), 1e6) if changed and fresh < 1.0 else float(changed)
                self._visits += 1.0
                keep = 1.0 - 1.0 / min(MEMORY, max(100.0, 0.5 * self._visits))
                self.world[CHANGES] = changes * keep + _STRENGTH * found
                self.world[WATCHED] = watched * keep + _STRENGTH * elapsed

    def interval(self, row: Row, price: float) -> float:
        """Seconds to wait at a price; a page of no weight waits for ever."""
        if not row[WEIGHT] > 0.0:
            return math.inf
        none = np.zeros(self.policy.site_size)  # no policy's interval looks at the site
        return float(self.policy.interval(self._params, row, none, self.world, price * self.speed)) / self.speed

    def look_again(self, row: Row, u: float) -> None:
        """After a page's first visit: spreads the second out by ``u``, uniform in [0, 1), one interval on average.

        Pages that were found together would stay together otherwise. One that a person chose is looked at sooner, and
        the waits double until they are its interval: five visits more, in which a fast page shows that it is one.
        """
        row[SPREAD] = _FIRST_LOOK * (0.5 + u) if self.is_chosen(row) else max(2.0 * u, 1e-9)

    def is_exploring(self, row: Row) -> bool:
        """Whether a page waits for another time than its interval, since little is known about it."""
        return bool(row[SPREAD] > 0.0)

    def wait(self, row: Row, interval: float, shortest: float) -> float:
        """Seconds a page waits whose interval is this; a first one is spread out and does not last too long.

        About a page of which nothing is known the interval says little: ``second_look`` is its longest.
        """
        if not self.is_exploring(row) or not row[WEIGHT] > 0.0:
            return interval
        return max(shortest, float(row[SPREAD]) * min(interval, 0.5 * self.settings.second_look))

    def fresh(self, row: Row, elapsed: float) -> float:
        """Probability that a copy is good so many seconds after the visit.

        By the wall clock: the site's own has been fitted to the same visits and promises too much.
        """
        a, b = self.belief(row)
        return still_fresh(a, b, elapsed * self.speed)

    # --- the pages of a site ---

    def next_page(
        self, pages: Table, clock: Row, *, price: float, free: float, is_full: bool = False
    ) -> tuple[int, float]:
        """Which page is served next and when it is due; -1: none. See ``policies.site_prices.next_page``."""
        which, moment = next_page(
            self._is_age,
            self.policy.has_clock,
            is_full,
            self._params,
            pages.rows,
            pages.last,
            np.ascontiguousarray(pages.rows[:, SPREAD]),
            pages.shortest,
            pages.longest,
            clock,
            self.world,
            0.5 * self.settings.second_look * self.speed,
            price * self.speed,
            free * self.speed,
        )
        return int(which), float(moment) / self.speed

    def wanted(self, pages: Table, price: float) -> float:
        """Visits a second that pages ask for at a price."""
        return float(demand(*self._asked(pages), price * self.speed)) * self.speed

    def plan_site(self, site: SitePages, *, price: float, delay: float, now: float) -> SitePlan:
        """The price, the pace and the next turn of a site at the price of all.

        What the site bears is a request every max(delay, Crawl-delay) plus the time an answer takes, less what its
        feeds use. A site that can bear nothing more has an infinite price; its pages then share alike what turns up.
        """
        state = site.state
        pause = max(site.delay if site.delay is not None else delay, state.crawl_delay or 0.0) + state.answer
        cap = math.inf if pause <= 0.0 else max(_LEAST_CAP, 1.0 / pause - site.other)
        pages = self.table(site.pages)
        with self._lock:
            wanted = self.wanted(pages, price)
            own = 0.0
            if wanted > cap:
                own = site_price(
                    *self._asked(pages), cap / self.speed, price * self.speed, state.price * self.speed
                ) / self.speed  # fmt: skip
            next_turn = None
            first = np.argsort(site.pages.turn, kind="stable")[:1]
            if own == 0.0 and len(first):
                chosen = Table(pages.rows[first], pages.last[first], pages.shortest[first], pages.longest[first])
                _, moment = self.next_page(chosen, self.clock(state.row), price=price, free=now)
                next_turn = max(now, moment) if moment < math.inf else None
        return SitePlan(site=site.site, price=own, frequency=min(wanted, cap), next_turn=next_turn)

    def _asked(self, pages: Table) -> tuple[bool, Row, Rows, Row, Row, Row]:
        return self._is_age, self._params, pages.rows, self.world, pages.shortest, pages.longest
