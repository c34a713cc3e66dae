"""What an online policy is: two or three compiled functions over small rows of numbers.

``learn`` is called after every visit, ``interval`` says how long a page can wait at a price, ``due`` when exactly it
should be visited. A policy sees what its own visits showed and nothing else. The price is one number for all pages; a
controller moves it until the budget is spent, so every policy, from uniform to the default, is given the same.

Rows: ``page`` belongs to one page and starts with its weight; ``site`` is shared by the pages of a site and ``world``
by all pages. Rows start as zeros (but for the weight).
"""

# ruff: noqa: ARG001 (every policy's functions have one signature)

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from afresh.base.compiled import READ, ROW, compiled
from afresh.base.models import Row

WEIGHT = 0  #: slot of every page row: importance of the page, >= 0
ANNOUNCED = 1  #: slot of a page whose changes are all announced: rate of the announcements, set by the caller
FIRST = 1  #: first slot of a page row that is the policy's own

#: learn(params, page, site, world, now, elapsed, changed, modified) -> 0:
#: params: the policy's parameters; page, site, world: rows changed in place; now: time of this visit, seconds since
#: 1970 UTC; elapsed: seconds since the visit before; changed: 1 if the page is not as it was then, else 0; modified:
#: seconds since the last change by Last-Modified, NaN where the policy does not read it
LEARN = f"float64({READ}, {ROW}, {ROW}, {ROW}, float64, float64, float64, float64)"
#: interval(params, page, site, world, price) -> seconds a page waits at this price; infinite: it is not visited
INTERVAL = f"float64({READ}, {ROW}, {ROW}, {ROW}, float64)"
#: due(params, page, site, world, last, interval, price) -> time of the next visit, given the last one
DUE = f"float64({READ}, {ROW}, {ROW}, {ROW}, float64, float64, float64)"

#: index(params, page, site, world, elapsed) -> what a visit is worth so long after the last: the price it is due at
INDEX = INTERVAL

Learn = Callable[[Row, Row, Row, Row, float, float, float, float], float]
Interval = Callable[[Row, Row, Row, Row, float], float]
Due = Callable[[Row, Row, Row, Row, float, float, float], float]
Index = Interval


@compiled(LEARN)
def learn_nothing(
    params: Row, page: Row, site: Row, world: Row, now: float, elapsed: float, changed: float, modified: float
) -> float:
    """For policies that do not look at what they find."""
    return 0.0


@compiled(DUE)
def after_interval(params: Row, page: Row, site: Row, world: Row, last: float, interval: float, price: float) -> float:
    """The usual ``due``: one interval after the last visit."""
    return last + interval


@compiled(INDEX)
def waited(params: Row, page: Row, site: Row, world: Row, elapsed: float) -> float:
    """For policies without an index: who has waited longest comes first."""
    return elapsed


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlinePolicy:
    """A policy by name, with its compiled functions, its parameters and the sizes of its rows."""

    name: str
    summary: str
    interval: Interval
    learn: Learn = learn_nothing
    due: Due = after_interval
    index: Index = waited
    has_clock: bool = False  # time passes by the site's own clock, see ``beliefs.site_clock``
    params: tuple[float, ...] = ()
    page_size: int = FIRST
    site_size: int = 1
    world_size: int = 1
    #: "visits": changed or not, nothing else; "last-modified": also when; "announced": every change is told at once
    observation: str = "visits"
    labels: tuple[str, ...] = field(default=())  # names of the parameters, for reports

    def replaced(self, *, interval: Interval, index: Index) -> "OnlinePolicy":
        """The same beliefs, decided upon otherwise."""
        return replace(self, interval=interval, index=index)

    def parameters(self) -> Row:
        """The parameters as the compiled functions read them."""
        row = np.array(self.params, dtype=np.float64)
        row.flags.writeable = False
        return row
