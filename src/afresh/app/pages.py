"""Pages in the loop: did the text change, how often does it, when is a visit worth its price?"""

import math
from hashlib import sha1
from threading import Lock

import numpy as np

from afresh.core.models import Explanation, Fetched, Resource, Row
from afresh.core.policies.online.believing import BELIEF, EVIDENCE, EXPOSURE
from afresh.core.policies.online.seams import WEIGHT
from afresh.core.protocols import Bounds
from afresh.parse.page import parse_page

_DAY = 86_400.0


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
    price. The mean rate of all pages, from which a page nobody has seen starts, is kept in this process.
    """

    name = BELIEF.name

    def __init__(self) -> None:
        self._params = BELIEF.parameters()
        self._site = np.zeros(BELIEF.site_size)
        self._world = np.zeros(BELIEF.world_size)
        self._lock = Lock()

    def learn(self, resource: Resource, *, now: float, changed: bool) -> Row:
        """The page's row after a visit; ``resource.last_ok`` is the visit before, None: this is the first."""
        row = self.row(resource)
        if resource.last_ok is not None and now > resource.last_ok:
            with self._lock:
                elapsed = now - resource.last_ok
                BELIEF.learn(self._params, row, self._site, self._world, now, elapsed, float(changed), math.nan)
        return row

    def row(self, resource: Resource) -> Row:
        """The page's numbers; fresh ones where another rule's were kept."""
        is_ours = resource.state_of == self.name and len(resource.state) == BELIEF.page_size
        row = resource.state.copy() if is_ours else np.zeros(BELIEF.page_size)
        row[WEIGHT] = resource.weight
        return row

    def interval(self, row: Row, price: float, bounds: Bounds) -> float:
        wait = float(BELIEF.interval(self._params, row, self._site, self._world, price))
        return min(bounds.beta, max(bounds.alpha, wait))

    def explain(self, row: Row, price: float, bounds: Bounds) -> Explanation:
        """Rate, belief, price and the freshness to expect."""
        wait = self.interval(row, price, bounds)
        if row[EXPOSURE] > 0:
            evidence, rate = float(row[EVIDENCE]), float(row[EVIDENCE] / row[EXPOSURE])
        else:
            evidence, rate = 0.0, 0.0
        expected = 1.0 if rate * wait < 1e-9 else -math.expm1(-rate * wait) / (rate * wait)
        summary = (
            f"changes about {rate * _DAY:.3g} times a day, as far as known: at this price a visit is worth it then"
            if rate
            else "nothing is known about its changes yet: treated as an average page"
        )
        numbers = {
            "rate_per_day": rate * _DAY,
            "evidence": evidence,
            "price": price,
            "interval": wait,
            "expected_freshness": expected,
        }
        return Explanation(rule=self.name, summary=summary, numbers=numbers)
