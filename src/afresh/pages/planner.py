"""Pages in the loop: did the text change, how often does it, when is a visit worth its price?"""

import json
import math
from hashlib import sha1
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from afresh.base.models import Explanation, Fetched, Resource, Row
from afresh.base.protocols import Bounds, Store
from afresh.base.records.page_store import SitePages
from afresh.base.records.pages import SitePlan
from afresh.base.settings.watching import RevisitSettings
from afresh.pages.beliefs.outlook import mean_freshness, still_fresh
from afresh.pages.policies.announced import learn_announced
from afresh.pages.policies.belief import BELIEF, EVIDENCE, EXPOSURE, prior_of
from afresh.pages.policies.policy import WEIGHT
from afresh.pages.policies.site_prices import demand, site_price
from afresh.pages.policies.world import CHANGES, WATCHED
from afresh.parse.page import parse_page

Rows = NDArray[np.float64]

_DAY = 86_400.0
_SETTING = "revisit.world"
#: What the owner of a site says of a page's changes, in days; "always" and "never" are taken with a grain of salt.
_CHANGE_FREQUENCY = {
    "always": 1 / 24,
    "hourly": 1 / 24,
    "daily": 1.0,
    "weekly": 7.0,
    "monthly": 30.0,
    "yearly": 365.0,
    "never": 1_000.0,
}
_MEMORY = 5_000.0  # visits over which the mean rate of all pages reaches back
_STRENGTH = 10.0  # what is seen counts so many times: the policy's imaginary fifty days weigh like five
_HINT = 0.3  # changes that such a remark is worth as evidence
_LEAST_CAP = 1e-9  # requests a second of a site that can bear no page at all
#: behind the policy's own numbers: how much of the belief is still the prior it began with, and that prior's exposure
_SHARE, _PRIOR_EXPOSURE = BELIEF.page_size, BELIEF.page_size + 1
_ROW_SIZE = BELIEF.page_size + 2


def fingerprint(outcome: Fetched) -> tuple[bytes, str]:
    """Identity of a page's visible text, and its title; of the bytes where there is no text.

    Mark-up, scripts and tokens that differ with every answer do not count as a change.
    """
    page = parse_page(
        outcome.body, url=outcome.trip.final_url, content_type=outcome.trip.headers.get("content-type", "")
    )
    seen = page.text.encode("utf-8", "surrogatepass") if page.text else outcome.body
    return sha1(seen, usedforsecurity=False).digest(), page.title


class PagePlanner:
    """Visits a page when the index of a Gamma belief about its change rate reaches the price (policy ``belief``).

    One second of one page being stale costs as much as one entry waiting for one second, so feeds and pages share one
    price. The mean rate of all pages, from which a page nobody has seen starts, is kept in the store between runs.

    Beliefs are kept in seconds of a web whose day has 86,400 of them; ``settings.day`` says how long one really lasts.
    """

    name = BELIEF.name

    def __init__(self, settings: RevisitSettings | None = None) -> None:
        self.settings = settings or RevisitSettings()
        self._speed = _DAY / self.settings.day
        self._params = BELIEF.parameters()
        self._site = np.zeros(BELIEF.site_size)
        self._world = np.zeros(BELIEF.world_size)
        self._visits = 0.0  # that the world row rests on
        self._lock = Lock()

    # --- what all pages have shown, between runs ---

    def resume(self, store: Store) -> None:
        """Goes on from what an earlier run had learnt; a row that makes no sense is left alone."""
        kept = store.get_setting(_SETTING)
        if not kept:
            return
        try:
            world = np.array(json.loads(kept), dtype=np.float64)
        except (ValueError, TypeError):
            return
        if world.shape == self._world.shape and np.all(np.isfinite(world)) and np.all(world >= 0.0):
            self._world, self._visits = world, 2.0 * _MEMORY

    def keep(self, store: Store) -> None:
        with self._lock:
            kept = json.dumps(self._world.tolist())
        store.put_setting(_SETTING, kept)

    # --- one page ---

    def learn(self, resource: Resource, *, now: float, changed: bool) -> Row:
        """The page's row after a visit; ``resource.last_ok`` is the visit before, None: this is the first.

        A clock that went back says nothing about the time between two visits, so nothing is learnt from them.
        """
        row = self.row(resource)
        if resource.last_ok is not None and now > resource.last_ok:
            elapsed = (now - resource.last_ok) * self._speed
            with self._lock:
                if row[EXPOSURE] <= 0.0:
                    row[EVIDENCE], row[EXPOSURE] = prior_of(self._params, self._world)
                    row[_SHARE], row[_PRIOR_EXPOSURE] = 1.0, row[EXPOSURE]
                own, before, world = row[: BELIEF.page_size], row[EXPOSURE], self._world.copy()
                rate, fresh = row[EVIDENCE] / before, still_fresh(row[EVIDENCE], before, elapsed)
                if changed and resource.announced:
                    learn_announced(self._params, own, self._world, elapsed)
                else:
                    BELIEF.learn(self._params, own, self._site, self._world, now, elapsed, float(changed), math.nan)
                row[_SHARE] *= min(1.0, row[EXPOSURE] / before)  # capped evidence: the prior shrinks with the rest
                if not resource.announced:
                    # What a visit is expected to have found under the whole belief, not under its mean alone; early
                    # guesses were made in ignorance, so at first only the latter half of all visits counts.
                    found = min(rate * elapsed / (1.0 - fresh), 1e6) if changed and fresh < 1.0 else float(changed)
                    self._visits += 1.0
                    self._world[:] = world * (1.0 - 1.0 / min(_MEMORY, max(100.0, 0.5 * self._visits)))
                    self._world[CHANGES] += _STRENGTH * found
                    self._world[WATCHED] += _STRENGTH * elapsed
        return row

    def row(self, resource: Resource) -> Row:
        """The page's numbers; fresh ones where another rule's were kept."""
        row = self._own(resource.state_of, resource.state)
        row[WEIGHT] = resource.weight
        return row

    def _own(self, state_of: str, state: Row) -> Row:
        rows = self._based(state[np.newaxis, :], np.array([state_of == self.name]))
        return np.ascontiguousarray(rows[0])

    def _based(self, state: Rows, is_ours: NDArray[np.bool_]) -> Rows:
        """Rows on today's prior; fresh ones in place of another rule's, or of some that make no sense.

        A belief is a prior and what was seen since. Pages that were first seen when nothing was known about any page
        would keep that ignorance for years, so the prior's part is exchanged for what all pages have shown by now.
        """
        rows = np.zeros((len(state), _ROW_SIZE))
        width = min(state.shape[1], _ROW_SIZE)
        if width < BELIEF.page_size:
            return rows
        rows[:, :width] = np.where(np.isfinite(state[:, :width]), state[:, :width], 0.0)
        rows[~(is_ours & (rows[:, EVIDENCE] > 0.0) & (rows[:, EXPOSURE] > 0.0))] = 0.0
        now = prior_of(self._params, self._world)[1]
        is_based = rows[:, _SHARE] > 0.0
        moved = rows[:, EXPOSURE] + rows[:, _SHARE] * (now - rows[:, _PRIOR_EXPOSURE])
        rows[:, EXPOSURE] = np.where(is_based, np.maximum(moved, 1e-3 * rows[:, EXPOSURE]), rows[:, EXPOSURE])
        rows[is_based, _PRIOR_EXPOSURE] = now
        return rows

    def belief(self, row: Row) -> tuple[float, float]:
        """Evidence in changes and exposure in seconds: the rate is believed to be Gamma(a, b)."""
        a, b = (row[EVIDENCE], row[EXPOSURE]) if row[EXPOSURE] > 0 else prior_of(self._params, self._world)
        return float(a), float(b) / self._speed

    def rate(self, row: Row) -> float:
        """Changes a second, the mean of the belief."""
        a, b = self.belief(row)
        return a / b

    def interval(self, row: Row, price: float, bounds: Bounds) -> float:
        """Seconds to wait at a price, within the bounds; a page of no weight waits for ever."""
        if not row[WEIGHT] > 0.0:
            return math.inf
        own = row[: BELIEF.page_size]
        wait = float(BELIEF.interval(self._params, own, self._site, self._world, price * self._speed)) / self._speed
        return min(bounds.longest, max(bounds.shortest, wait))

    def fresh_now(self, resource: Resource, now: float) -> float:
        """Probability that the stored copy is still the page; 0 before the first visit."""
        if resource.last_ok is None:
            return 0.0
        return still_fresh(*self.belief(self.row(resource)), now - resource.last_ok)

    def expected_freshness(self, row: Row, interval: float) -> float:
        """Share of the time that the copy will be the page, if it is visited at this interval."""
        return mean_freshness(*self.belief(row), interval)

    def explain(self, row: Row, price: float, bounds: Bounds) -> Explanation:
        """Rate, belief, price and the freshness to expect."""
        wait = self.interval(row, price, bounds)
        is_known = row[EXPOSURE] > 0
        a, b = self.belief(row)
        summary = (
            f"changes about {a / b * _DAY:.3g} times a day, as far as known: at this price a visit is worth it then"
            if is_known
            else "nothing is known about its changes yet: treated as an average page"
        )
        numbers = {
            "rate_per_day": a / b * _DAY if is_known else 0.0,
            "evidence": a if is_known else 0.0,
            "exposure_s": b if is_known else 0.0,
            "price": price,
            "interval": wait,
            "expected_freshness": self.expected_freshness(row, wait),
        }
        return Explanation(rule=self.name, summary=summary, numbers=numbers)

    def first_belief(self, frequency: str, priority: float | None) -> Row:
        """What a page starts from of which its sitemap says this; empty where it says nothing of use.

        The remark is worth a third of a change of evidence, at the geometric mean of what it says and what pages
        usually do; a priority moves it by a factor of two at most. A few visits outweigh it.
        """
        days = _CHANGE_FREQUENCY.get(frequency)
        if days is None and priority is None:
            return np.empty(0)
        a, b = prior_of(self._params, self._world)
        usual = a / b
        rate = usual if days is None else math.sqrt(usual / (days * _DAY))
        if priority is not None:
            rate *= 4.0 ** (min(max(priority, 0.0), 1.0) - 0.5)
        row = np.zeros(_ROW_SIZE)
        row[EVIDENCE], row[EXPOSURE] = _HINT, _HINT / rate
        return row

    # --- a site ---

    def plan_site(self, pages: SitePages, *, price: float, delay: float) -> SitePlan:
        """The price and the pace of a site at the price of all; ``delay`` is the settings' between two requests.

        What the site bears is a request every max(delay, Crawl-delay) plus the time an answer takes, less what its
        feeds use. A site that can bear nothing more has an infinite price; its pages then share alike what turns up.
        """
        pause = max(pages.delay if pages.delay is not None else delay, pages.crawl_delay or 0.0) + pages.answer
        cap = math.inf if pause <= 0.0 else max(_LEAST_CAP, 1.0 / pause - pages.other)
        is_ours = np.array([of == self.name for of in pages.state_of], dtype=np.bool_)
        rows = np.ascontiguousarray(self._based(pages.state, is_ours)[:, : BELIEF.page_size])
        rows[:, WEIGHT] = pages.weight
        shortest = np.where(np.isnan(pages.alpha), self.settings.shortest, pages.alpha) * self._speed
        longest = np.where(np.isnan(pages.beta), self.settings.longest, pages.beta) * self._speed
        args = (BELIEF.interval, self._params, rows, self._site, self._world, shortest, np.maximum(shortest, longest))
        with self._lock:
            wanted = demand(*args, price * self._speed) * self._speed
            own = 0.0
            if wanted > cap:
                own = site_price(*args, cap / self._speed, price * self._speed, pages.price * self._speed) / self._speed
        return SitePlan(site=pages.site, price=own, frequency=min(wanted, cap))
