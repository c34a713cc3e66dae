"""What every resource asks for at any price: one row a resource, and the prices at which all of them ask for a budget.

A plan gives a resource an interval I at the cost k that its visit had then. Intervals go with the root of the cost
(DESIGN §3), so at another cost k' the plan would be I·sqrt(k'/k), held to the bounds of the resource; what is pinned,
failing or ruled without a price keeps its interval. That makes demand a known function of the prices, from the first
moment on and in whatever state a store is found: nothing has to be learnt from the visits that happen to be made.

The cost of a visit is ``a request's price + a byte's price · its bytes``, never less than the price of its site where
politeness binds, nor, where the budget is a ceiling, than without one.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_STEPS, _CLOSE = 60, 1e-5  # at most so many, until the logarithm of a price or of the demand is known so well
_SAMPLE = 4_000  # rows that two prices at once are sought over
_COLUMNS = ("scale", "fixed", "shortest", "longest", "bytes", "requests", "own", "least", "soonest", "visited")


@dataclass(frozen=True, slots=True)
class Prices:
    """What a request costs and what a byte costs, in seconds of waiting summed over entries."""

    request: float
    byte: float = 0.0

    def of(self, size: float) -> float:
        """The cost of one visit that brings ``size`` bytes."""
        return self.request + self.byte * size


class Census:
    """The plans of all resources, as arrays; grows as they come.

    ``remembers``: an interval at a bound tells only on which side of it the plan would be; what was known before stays
    where it agrees with that. Prices that differ by orders of magnitude need it: else the bound, divided by the root of
    such a price, is taken for what a resource asks for at all others.
    """

    def __init__(self, *, remembers: bool = False) -> None:
        self._remembers = remembers
        self._place: dict[int, int] = {}
        self._ids = np.zeros(0, dtype=np.int64)
        self._columns = {name: np.zeros(0) for name in _COLUMNS}
        self._is_called = np.zeros(0, dtype=np.bool_)

    def __len__(self) -> int:
        return len(self._place)

    def __contains__(self, resource: int) -> bool:
        return resource in self._place

    def note(
        self,
        resource: int,
        *,
        interval: float,
        cost: float,
        bounds: tuple[float, float],
        visited: float,
        is_free: bool = True,
        size: float = 0.0,
        requests: float = 1.0,
        own: float = 0.0,
        least: float = 0.0,
    ) -> None:
        """The plan of a resource after a visit; ``own``: the price of its site; not ``is_free``: no price moves it.

        ``least``: what its visit costs at least, where the budget is a ceiling.
        """
        place = self._place.get(resource)
        if place is None:
            place = self._take(resource)
        paid = max(cost, own, 1e-300)
        row = self._columns
        row["scale"][place] = self._scale(place, interval / math.sqrt(paid), interval, bounds) if is_free else 0.0
        row["fixed"][place] = 0.0 if is_free else interval
        row["shortest"][place], row["longest"][place] = bounds
        row["bytes"][place], row["requests"][place] = size, requests
        row["own"][place] = own if own > cost else 0.0
        row["least"][place], row["visited"][place] = least, visited
        # One that waits its longest would wait for less at a lower price: for how much less does not show.
        is_longest = least > 0.0 and interval >= 0.999 * bounds[1]
        row["soonest"][place] = bounds[1] if is_longest else max(bounds[0], row["scale"][place] * math.sqrt(least))
        self._is_called[place] = False

    def _scale(self, place: int, scale: float, interval: float, bounds: tuple[float, float]) -> float:
        before = float(self._columns["scale"][place])
        if not self._remembers or before <= 0.0:
            return scale
        if interval >= 0.999 * bounds[1]:
            return max(before, scale)
        return min(before, scale) if interval <= 1.001 * bounds[0] else scale

    def visited(self, resource: int) -> float:
        """When a resource was visited last, as far as is known here; minus infinity: it is not."""
        place = self._place.get(resource)
        return -math.inf if place is None else float(self._columns["visited"][place])

    def note_unasked(self, resource: int) -> None:
        """It was called and could not be asked: its plan stands, and it may be called again."""
        place = self._place.get(resource)
        if place is not None:
            self._is_called[place] = False

    def end_calls(self) -> None:
        """Whoever was called in vain may be called again: its site may have served another page in its place."""
        self._is_called[:] = False

    def forget(self, resource: int) -> None:
        """A resource that is visited no more; its row is given to the last one."""
        place = self._place.pop(resource, None)
        if place is None:
            return
        last = len(self._place)
        if place != last:
            moved = int(self._ids[last])
            self._ids[place], self._is_called[place] = moved, self._is_called[last]
            for column in self._columns.values():
                column[place] = column[last]
            self._place[moved] = place

    def keep_only(self, known: set[int]) -> None:
        """Forget all others: they were removed, or are paused."""
        for resource in [one for one in self._place if one not in known]:
            self.forget(resource)

    def intervals(self, resources: Sequence[int], prices: Prices) -> Floats:
        """What the plans of these would be at such prices; each must be known."""
        places = np.array([self._place[one] for one in resources], dtype=np.int64)
        row = {name: column[places] for name, column in self._columns.items()}
        return np.where(row["scale"] > 0.0, _held(row, prices), row["fixed"])

    def share_since(self, at: float, prices: Prices) -> float:
        """Part of all visits that goes to resources visited since then: whose plans were made after it."""
        row = {name: column[: len(self)] for name, column in self._columns.items()}
        pace = 1.0 / np.where(row["scale"] > 0.0, _held(row, prices), row["fixed"])
        return float(pace[row["visited"] >= at].sum() / pace.sum()) if len(pace) else 0.0

    def demand(self, prices: Prices) -> tuple[float, float]:
        """Requests and bytes a second that all of them ask for."""
        return self._curve(1).at(prices)

    def prices_for(self, *, requests: float | None, bytes_: float | None) -> Prices | None:
        """The prices at which demand is the budget, where a price can do that; None: no price moves anything.

        Beyond the price at which everything waits its longest interval, and below the one at which nothing waits
        longer than its shortest, prices move nothing: they stop there.
        """
        step = 1 if bytes_ is None else max(1, len(self) // _SAMPLE)
        curve = self._curve(step)
        if not len(curve.scale):
            return None
        share = curve.rows / len(self)
        wanted = None if requests is None else requests * share
        if bytes_ is None:
            return None if wanted is None else Prices(curve.request_price(wanted, 0.0))
        return curve.both(wanted, bytes_ * share)

    def limits(self) -> tuple[float, float]:
        """The prices of a request between which something moves; beyond them all wait their shortest or longest."""
        curve = self._curve(1)
        return curve.limits() if len(curve.scale) else (0.0, math.inf)

    def most_urgent(self, now: float, prices: Prices, count: int) -> list[int]:
        """Those whose next visit is worth most for its cost, none before its shortest interval is over, nor before it
        would be due at the least that it costs.

        Each is named once until it is noted again or calls are ended.
        """
        if count <= 0 or not len(self):
            return []
        n = len(self)
        row = {name: column[:n] for name, column in self._columns.items()}
        waited = now - row["visited"]
        may = (row["scale"] > 0.0) & (waited >= row["soonest"]) & ~self._is_called[:n] & (row["own"] == 0.0)
        candidates = np.flatnonzero(may)
        if not len(candidates):
            return []
        cost = prices.request + prices.byte * row["bytes"][candidates]
        worth = (waited[candidates] / row["scale"][candidates]) ** 2 / np.maximum(cost, 1e-300)
        if len(candidates) > count:
            best = np.argpartition(-worth, count - 1)[:count]
            candidates, worth = candidates[best], worth[best]
        chosen = candidates[np.argsort(-worth, kind="stable")]
        self._is_called[chosen] = True
        return [int(one) for one in self._ids[chosen]]

    def overdue(self, now: float, prices: Prices) -> list[int]:
        """Those that would be due by now, had they been planned at these prices; each is named once, as above."""
        n = len(self)
        row = {name: column[:n] for name, column in self._columns.items()}
        late = (
            (row["scale"] > 0.0)
            & (now - row["visited"] >= _held(row, prices))
            & ~self._is_called[:n]
            & (row["own"] == 0.0)
        )
        self._is_called[:n] |= late
        return [int(one) for one in self._ids[:n][late]]

    def _take(self, resource: int) -> int:
        place = len(self._place)
        if place == len(self._ids):
            room = max(64, 2 * place)
            self._ids = np.resize(self._ids, room)
            self._is_called = np.resize(self._is_called, room)
            self._columns = {name: np.resize(column, room) for name, column in self._columns.items()}
        self._place[resource], self._ids[place] = place, resource
        self._columns["scale"][place] = 0.0
        return place

    def _curve(self, step: int) -> "_Curve":
        row = {name: column[: len(self) : step] for name, column in self._columns.items()}
        free = row["scale"] > 0.0
        pace = 1.0 / row["fixed"][~free]
        return _Curve(
            rows=len(row["scale"]),
            fixed=(float(pace @ row["requests"][~free]), float(pace @ row["bytes"][~free])),
            **{name: row[name][free] for name in ("scale", "shortest", "longest", "bytes", "requests", "own", "least")},
        )


def _held(row: Mapping[str, Floats], prices: Prices) -> Floats:
    """Intervals of plans that prices move, within their bounds."""
    wanted = row["scale"] * np.sqrt(np.maximum(prices.request + prices.byte * row["bytes"], row["least"]))
    return np.minimum(np.maximum(wanted, row["shortest"]), row["longest"])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Curve:
    """Demand as a function of the prices: of the rows that a price moves, and of the others."""

    rows: int
    fixed: tuple[float, float]  # requests and bytes a second that no price moves
    scale: Floats
    shortest: Floats
    longest: Floats
    bytes: Floats
    requests: Floats
    own: Floats
    least: Floats

    def at(self, prices: Prices) -> tuple[float, float]:
        cost = np.maximum(prices.request + prices.byte * self.bytes, np.maximum(self.own, self.least))
        pace = 1.0 / np.minimum(np.maximum(self.scale * np.sqrt(cost), self.shortest), self.longest)
        return self.fixed[0] + float(pace @ self.requests), self.fixed[1] + float(pace @ self.bytes)

    def request_price(self, wanted: float, byte: float) -> float:
        """The price of a request at which so many are asked for while a byte costs ``byte``; 0: bytes alone do it."""
        if byte > 0.0 and self.at(Prices(0.0, byte))[0] <= wanted:
            return 0.0
        return _crossing(lambda price: self.at(Prices(price, byte))[0], wanted, *self.limits())

    def both(self, wanted: float | None, wanted_bytes: float) -> Prices:
        """Two budgets, two prices; one of them is 0 where the other does for both."""
        lowest, highest = self.limits()
        least = lowest / max(1.0, float(np.max(self.bytes)))
        alone = Prices(0.0, _crossing(lambda byte: self.at(Prices(0.0, byte))[1], wanted_bytes, least, highest))
        if wanted is None or self.at(alone)[0] <= wanted:
            return alone

        def at(byte: float) -> Prices:
            return Prices(self.request_price(wanted, byte), byte)

        if self.at(at(0.0))[1] <= wanted_bytes:
            return at(0.0)
        return at(_crossing(lambda byte: self.at(at(byte))[1], wanted_bytes, least, highest))

    def limits(self) -> tuple[float, float]:
        """Between these costs of a visit something moves."""
        lowest = float(np.min((self.shortest / self.scale) ** 2))
        highest = float(np.max((self.longest / self.scale) ** 2))
        return max(lowest, 1e-12), max(highest, 1e-12)


def _crossing(demand: Callable[[float], float], wanted: float, lowest: float, highest: float) -> float:
    """The price at which a demand that falls with it is the wanted one; an end where none is.

    False position between logarithms, where demand is nearly straight: an end that stands still twice counts half
    (Illinois), and every third step halves, for demand is flat outside everybody's bounds.
    """

    def excess(at: float) -> float:
        return math.log(demand(math.exp(at)) / wanted)

    if wanted <= 0.0 or demand(highest) >= wanted:
        return highest
    if demand(lowest) <= wanted:
        return lowest
    low, high = math.log(lowest), math.log(highest)
    above, below = excess(low), excess(high)
    if above <= below:  # the ends are so near that their logarithms cannot be told apart
        return highest
    side = 0
    for number in range(_STEPS):
        middle = 0.5 * (low + high) if number % 3 == 2 else low + (high - low) * above / (above - below)
        value = excess(middle)
        if abs(value) < _CLOSE or high - low < _CLOSE:
            return math.exp(middle)
        if value > 0.0:
            low, above, below, side = middle, value, below * (0.5 if side > 0 else 1.0), 1
        else:
            high, below, above, side = middle, value, above * (0.5 if side < 0 else 1.0), -1
    return math.exp(0.5 * (low + high))
