"""The order within a site: which page is served next, when, and the place a page takes after a visit (decision 0018).

A site has a time of its own that runs faster the lower the price is. A page that shall be visited after so many seconds
takes the place that the site's own time will have reached then: a change of the price moves every page by writing to
its site alone. Of the pages with the first places the site serves the one that is due first, at its moment; a site that
bears no more ticks at its pace and serves the one for which a visit is worth most. Nothing missed is made up for.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from afresh.base.models import Pace, Row, SiteState
from afresh.base.records.pages import Waiting
from afresh.base.visits import Seat
from afresh.pages.model import PAGE_SIZE, PageModel, Table

WINDOW = 64  # pages that are compared with one another: all of a small site, the first of a large one


@dataclass(frozen=True, slots=True, kw_only=True)
class Visited:
    """A page that was visited just now, and how long it waits for the next visit."""

    row: Row
    last: float  # when that was
    wait: float  # seconds; infinite: it takes no place
    shortest: float
    longest: float
    was_turn: bool  # it was leased by its place
    frequency: float  # that it had before


@dataclass(frozen=True, slots=True)
class Order:
    """The other pages of the site that have the first places: numbers, places and rows in one order."""

    ids: NDArray[np.int64]
    turns: Row
    pages: Table


def order(model: PageModel, waiting: Waiting | None) -> Order:
    """The pages that a store says have the first places; None: there are none."""
    if waiting is None or not len(waiting.ids):
        none = np.empty(0)
        return Order(np.empty(0, dtype=np.int64), none, Table(np.empty((0, PAGE_SIZE)), none, none, none))
    return Order(waiting.ids, waiting.turn, model.table(waiting))


def seat(
    model: PageModel,
    page: Visited,
    site: SiteState,
    others: Order,
    clock: Row,
    *,
    price: float,
    now: float,
    free: float,
) -> Seat:
    """The page's next place and the site's next turn; no request is made before ``free``.

    ``clock``: the site's row, which has learnt from the visit. ``price``: that of all; the site's own is in force where
    it is higher.
    """
    frequency = 1.0 / page.wait if 0.0 < page.wait < math.inf else 0.0
    together = max(site.frequency + frequency - page.frequency, frequency)
    speed = site.pace if site.speed is not None else frequency or None
    turn = None
    if frequency > 0.0 and speed is not None:
        turn = site.turn_now(now) + speed * max(0.0, model.wait(page.row, page.wait, page.shortest) - (now - page.last))
    pages = others.pages
    if turn is not None:
        day = model.speed
        pages = pages.with_page(page.row, page.last * day, page.shortest * day, page.longest * day)
    is_full = site.price > price
    when: float | None = None
    if is_full and together > 0.0:  # an even tick
        scheduled = now if site.next_turn is None else site.next_turn
        when = max(scheduled + 1.0 / together, now) if page.was_turn else scheduled
    start = max(now, free, when or 0.0)
    which, moment = model.next_page(pages, clock, price=max(price, site.price), free=start, is_full=when is not None)
    if which < 0:
        when = None
    elif when is None:
        when = max(now, moment) if moment < math.inf else None
    called = None
    if which == len(others.turns):  # the page itself
        turn = min(turn or math.inf, others.turns[0] - 1.0) if len(others.turns) else turn
    elif which > 0 or (which == 0 and turn is not None and turn < others.turns[0]):
        called = (int(others.ids[which]), float(min(others.turns[0], math.inf if turn is None else turn)) - 1.0)
    own = site.price if frequency else 0.0
    pace = Pace(
        added=frequency - page.frequency, at=now, next_turn=when, speed=speed, called=called, own_price=own, state=clock
    )  # fmt: skip
    return Seat(turn, frequency, pace)
