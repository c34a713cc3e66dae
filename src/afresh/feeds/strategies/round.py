"""What all refresh strategies share: the signature of a planning round, its parameters, and the state between rounds.

A strategy is a frozen dataclass of named parameters and one compiled ``choose``; the lab's simulator and the daemon
call the same function. A round looks at plain arrays, one element a source, and marks those to be refreshed now.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from afresh.base.errors import ModelError
from afresh.base.models import Row
from afresh.base.signatures import WB, WF, WS, F, S, types

Singles = NDArray[np.float32]
Marks = NDArray[np.uint8]


_NONE = np.empty(0)


class Standings(NamedTuple):
    """How each source stands in a round; compiled code takes the arrays together."""

    total: Row  # entries since its last refresh, known or expected
    available: Singles  # those of them that are relevant and still in the window
    utility: Row  # of a refresh now
    ties: Singles  # the larger goes first among equals; also the random numbers of a random strategy
    due: Row  # only for strategies that keep appointments
    chosen: Marks  # set to 1 where a source is to be refreshed

    @classmethod
    def of(cls, sources: int, *, due: Row = _NONE) -> Self:
        """Of so many sources that were all refreshed just now."""
        wide, narrow = (np.zeros((2, sources), dtype=kind) for kind in (np.float64, np.float32))
        return cls(wide[0], narrow[0], wide[1], narrow[1], due, np.zeros(sources, dtype=np.uint8))


STANDINGS = types.NamedTuple((WF, WS, WF, WS, WF, WB), Standings)

#: choose(params, control, now, windows, sources) -> how many were chosen; params and control: see the constants below,
#: control is kept between rounds and changed in place; windows: entries a document shows
ROUND = types.int64(F, WF, types.float64, S, STANDINGS)
ROUND_TYPE = types.FunctionType(ROUND)
Choose = Callable[[Row, Row, float, Singles, Standings], int]

# params
BUDGET = 0  #: b: refreshes a round, on average
USAGE = 1  #: p: below this part of the budget the threshold falls
DECREASE = 2  #: θ
INCREASE = 3  #: Θ
FLOOR = 4  #: least threshold, because a multiplicative rule cannot leave 0
HORIZON = 5  #: rounds over which savings or debts are paid back; 0: each round stands alone, as printed
LEAST = 6  #: requests, allowed or used, between two moves of the threshold; 0: it moves in every round, as printed
CAP = 7  #: absolute limit a round; infinite: none
MEAN = 8  #: mean interval of uniform random
PARAMS = 9

# control
TAU = 0  #: τ, the threshold
BALANCE = 1  #: refreshes saved (owed if negative) so far
CARRIED = 2  #: part of a refresh left over from the last round
CURSOR = 3  #: next source of a round robin
USED = 4  #: refreshes since the threshold last moved
ALLOWED = 5  #: refreshes allowed in that time
CONTROL = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    """Base of the strategies: a budget, how the threshold follows it, and the rows a round reads.

    ``horizon`` and ``least`` are 0 in the thesis: the threshold compares one round with ``b``, whatever went before.
    With few requests a round that holds the median instead of the mean, so both can be widened.
    """

    name: ClassVar[str] = ""
    choose: ClassVar[Choose]
    is_adaptive: ClassVar[bool] = False  # has a threshold that follows the budget
    is_random: ClassVar[bool] = False  # needs random ``ties`` and appointments

    budget: float = 1.0
    usage: float = 0.9
    decrease: float = 0.95
    increase: float = 1.05
    floor: float = 1e-9
    horizon: float = 0.0
    least: float = 0.0
    cap: float = float("inf")
    tau: float = 1.0  # start of the threshold

    def __post_init__(self) -> None:
        wrong = [
            (not 0.0 < self.budget < float("inf"), f"budget must be positive, not {self.budget:g}"),
            (not 0.0 < self.usage <= 1.0, f"usage must lie in (0, 1], not {self.usage:g}"),
            (not 0.0 < self.decrease < 1.0, f"decrease must lie in (0, 1), not {self.decrease:g}"),
            (not 1.0 < self.increase < float("inf"), f"increase must be above 1, not {self.increase:g}"),
            (not self.floor > 0.0, f"floor must be positive, not {self.floor:g}"),
            (not self.horizon >= 0.0, f"horizon must not be negative, not {self.horizon:g}"),
            (not self.least >= 0.0, f"least must not be negative, not {self.least:g}"),
            (not self.cap >= 1.0, f"cap must be at least 1, not {self.cap:g}"),
            (not 0.0 < self.tau < float("inf"), f"tau must be positive, not {self.tau:g}"),
        ]
        for is_wrong, message in wrong:
            if is_wrong:
                raise ModelError(f"{self.name}: {message}")

    def params(self) -> Row:
        """The row ``choose`` reads."""
        row = np.zeros(PARAMS)
        row[:MEAN] = (
            self.budget,
            self.usage,
            self.decrease,
            self.increase,
            self.floor,
            self.horizon,
            self.least,
            self.cap,
        )
        return row

    def control(self) -> Row:
        """What is kept between rounds, before the first."""
        row = np.zeros(CONTROL)
        row[TAU] = self.tau
        return row
