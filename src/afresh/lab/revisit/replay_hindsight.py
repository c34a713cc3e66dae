"""The best fixed frequencies in hindsight: what could have been had with every change known beforehand.

A page visited every tau seconds from a random moment on is fresh for A(tau) = (1/tau L) sum over its quiet spells G of
(G^2/2 if G <= tau, else tau G - tau^2/2), L being the length of the scored part. The marginal value of frequency is

    V(tau) = (1/2L) sum min(G, tau)^2

which rises with tau: A is concave in the frequency whatever the changes look like, so frequencies with equal V(1/f) are
optimal. No assumption about Poisson changes enters. The budget need only hold in total, politeness not at all: no
policy of fixed frequencies can do better, one that reacts to what it finds can.
"""

import math
from itertools import pairwise

import numpy as np

from afresh.base.compiled import compiled
from afresh.base.signatures import WF, WN, types
from afresh.lab.replay.trace import Floats, Ints
from afresh.lab.revisit.histories import Histories


@compiled(types.UniTuple(types.float64, 2)(WN, WF, WF, WF, types.float64))
def spent_and_fresh(
    offsets: Ints, spells: Floats, squares: Floats, weight: Floats, price: float
) -> tuple[float, float]:
    """Requests and weighted fresh seconds if every page's V equals the price.

    ``spells`` of a page are sorted, ``squares`` their running sums of squares.
    """
    requests, fresh = 0.0, 0.0
    for page in range(len(weight)):
        a, b = offsets[page], offsets[page + 1]
        if b - a == 1:  # never changed: fresh for ever, for nothing
            fresh += weight[page] * spells[a]
            continue
        if weight[page] <= 0.0:
            continue
        wanted = 2.0 * price / weight[page]  # sum of min(G, tau)^2 / L
        length = 0.0
        for k in range(a, b):
            length += spells[k]
        wanted *= length
        if squares[b - 1] <= wanted:
            continue  # not visited; that its first copy is good until the first change is left out
        low, high = a, b  # first spell so long that clipping at it passes what is wanted
        while low < high:
            middle = (low + high) // 2
            before = squares[middle - 1] if middle > a else 0.0
            if before + (b - middle) * spells[middle] ** 2 > wanted:
                high = middle
            else:
                low = middle + 1
        before = squares[low - 1] if low > a else 0.0
        tau = math.sqrt((wanted - before) / (b - low))
        if tau <= 0.0:
            continue
        requests += length / tau
        total = 0.5 * before
        for k in range(low, b):
            total += tau * spells[k] - 0.5 * tau * tau
        fresh += weight[page] * total / tau
    return requests, fresh


def hindsight_freshness(histories: Histories, budget: float) -> float:
    """Freshness of the best fixed frequencies, with ``budget`` times as many requests as changes in the scored part."""
    offsets, spells = quiet_spells(histories)
    squares = np.concatenate([np.cumsum(spells[a:b] ** 2) for a, b in pairwise(offsets)])
    allowed = budget * float((np.diff(offsets) - 1).sum())
    low, high = math.log(1e-9), math.log(max(float(spells.max()), 1.0) * max(float(histories.weight.max()), 1.0)) + 1.0
    for _ in range(70):
        middle = 0.5 * (low + high)
        requests, _ = spent_and_fresh(offsets, spells, squares, histories.weight, math.exp(middle))
        if requests > allowed:
            low = middle
        else:
            high = middle
    _, fresh = spent_and_fresh(offsets, spells, squares, histories.weight, math.exp(high))
    return fresh / float(histories.weight @ (histories.ends - histories.scored))


def quiet_spells(histories: Histories) -> tuple[Ints, Floats]:
    """The times between changes in the scored part of every page, its two ends counting as changes; sorted."""
    parts = []
    for page in range(len(histories)):
        changes = histories.changes[histories.offsets[page] : histories.offsets[page + 1]]
        start, end = histories.scored[page], histories.ends[page]
        inside = changes[(changes > start) & (changes < end)]
        parts.append(np.sort(np.diff(np.concatenate(([start], inside, [end])))))
    offsets = np.concatenate(([0], np.cumsum([len(part) for part in parts]))).astype(np.int64)
    return offsets, np.concatenate(parts)
