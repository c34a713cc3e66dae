"""What all publication models share: the signatures of their compiled parts, and their parameters.

A model keeps a short row of floats a source. ``expect`` says how many entries it expects between two times and what
moment they have; ``update`` takes in what one refresh showed, which is nothing but a count.  [H12] §7.1.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from afresh.base.errors import ModelError
from afresh.base.models import Row
from afresh.base.signatures import WF, F, types

#: expect(params, state, last, now) -> (entries expected in (last, now], their moment about ``last``: ∫ (x − last) dΛ)
EXPECT = types.UniTuple(types.float64, 2)(F, F, types.float64, types.float64)
EXPECT_TYPE = types.FunctionType(EXPECT)
Expect = Callable[[Row, Row, float, float], tuple[float, float]]

#: update(params, state, last, now, count, censored, window): a refresh at ``now``, the one before at ``last``
UPDATE = types.void(F, WF, types.float64, types.float64, types.float64, types.float64, types.float64)
UPDATE_TYPE = types.FunctionType(UPDATE)
Update = Callable[[Row, Row, float, float, float, float, float], None]

# params
ALPHA = 0  #: smoothing constant
ADAPTIVE = 1  #: 1: it follows the errors
CALMER = 2  #: γ1, factor when stable
QUICKER = 3  #: γ2, factor when unstable
LOW = 4  #: least smoothing constant
HIGH = 5  #: largest
RECENT = 6  #: n1, errors that are compared
USUAL = 7  #: n2, with these
UNSTABLE = 8  #: ratio of their means from which a source counts as unstable
FLOOR = 9  #: least rate, because 0 is absorbing
PRIOR = 10  #: rate of a source of which nothing is known
SLOT = 11  #: seconds a slot
SLOTS = 12  #: slots a period
COVERED = 13  #: 1: a slot learns by the part of it that was covered
NAIVE = 14  #: 1: a count that fills the window is taken at its face value
BELIEF = 15  #: entries' worth of belief in the prior rate (maximum likelihood)
MOST = 16  #: observations kept
SMOOTHING = 17  #: of the errors by which models are compared
PARAMS = 18

DAY = 86_400.0
LONGEST_RING = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimator:
    """Base of the publication models. A row of zeros means: nothing learnt, the prior answers.

    The thesis starts at a rate of 0; with the printed rules such a source is never refreshed and never learnt.
    """

    name: ClassVar[str] = ""
    expect: ClassVar[Expect]
    update: ClassVar[Update]

    prior: float = 1.0 / DAY  # entries a second
    floor: float = 1e-9  # about one entry in thirty years

    def __post_init__(self) -> None:
        if not (0.0 < self.floor < math.inf and 0.0 < self.prior < math.inf):
            raise ModelError(f"{self.name}: floor and prior must be positive, not {self.floor:g} and {self.prior:g}")

    @property
    def state_size(self) -> int:
        """Floats kept a source."""
        return 1

    @property
    def reach(self) -> int | None:
        """Refreshes back to which it remembers anything; None: to the first."""
        return None

    def params(self) -> Row:
        """The row the compiled parts read."""
        row = np.zeros(PARAMS)
        row[FLOOR], row[PRIOR] = self.floor, self.prior
        row[SLOT], row[SLOTS], row[MOST] = 3_600.0, 24.0, 1.0
        return row


@dataclass(frozen=True, slots=True, kw_only=True)
class Smoothed(Estimator):
    """A model that moves towards each observation by the part ``alpha``, fixed or adaptive.  [H12] §7.2.4.

    ``naive``: take a full window at its face value. Otherwise a count that fills the window is replaced by the number
    of entries to be expected given that there were at least so many.
    """

    alpha: float = 0.1
    adaptive: bool = False
    calmer: float = 0.95
    quicker: float = 1.05
    low: float = 0.01
    high: float = 0.2
    recent: int = 3
    usual: int = 10
    unstable: float = 1.1
    naive: bool = False

    def __post_init__(self) -> None:
        Estimator.__post_init__(self)
        if not 0.0 < self.alpha <= 1.0:
            raise ModelError(f"{self.name}: alpha must lie in (0, 1], not {self.alpha:g}")
        if not 0.0 < self.low <= self.high <= 1.0:
            raise ModelError(f"{self.name}: 0 < low ≤ high ≤ 1 must hold, not {self.low:g} and {self.high:g}")
        if not 0.0 < self.calmer < 1.0 < self.quicker:
            raise ModelError(f"{self.name}: calmer must be below and quicker above 1")
        if not 0 < self.recent < self.usual <= LONGEST_RING:
            raise ModelError(f"{self.name}: 0 < recent < usual ≤ {LONGEST_RING} must hold")

    def params(self) -> Row:
        row = Estimator.params(self)
        row[ALPHA], row[ADAPTIVE], row[NAIVE] = self.alpha, float(self.adaptive), float(self.naive)
        row[CALMER], row[QUICKER], row[LOW], row[HIGH] = self.calmer, self.quicker, self.low, self.high
        row[RECENT], row[USUAL], row[UNSTABLE] = self.recent, self.usual, self.unstable
        return row

    @property
    def _ring(self) -> int:
        """Floats for the smoothing constant and the errors it follows."""
        return 2 + self.usual if self.adaptive else 0
