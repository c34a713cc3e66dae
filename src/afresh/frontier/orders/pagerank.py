"""PageRank of a link graph: the share of time a random reader spends on each page.  [G20] §4.2.1, strategy 12.

Batch-PageRank is this function called every so many updates (``frontier.ranking``); in between, scores are those of
the last batch. Starting from the last scores, a batch over a slightly grown graph needs a few passes only.
"""

import numpy as np
from numpy.typing import NDArray

from afresh.base.compiled import compiled

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]

DAMPING = 0.85


@compiled()
def _by_target(count: int, sources: Numbers, targets: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Where the links to each page begin, the pages they come from, and how many links leave each page."""
    offsets = np.zeros(count + 1, dtype=np.int64)
    leaving = np.zeros(count, dtype=np.int64)
    for e in range(len(sources)):
        offsets[targets[e] + 1] += 1
        leaving[sources[e]] += 1
    for i in range(count):
        offsets[i + 1] += offsets[i]
    spot = offsets[:-1].copy()
    arriving = np.empty(len(sources), dtype=np.int64)
    for e in range(len(sources)):
        arriving[spot[targets[e]]] = sources[e]
        spot[targets[e]] += 1
    return offsets, arriving, leaving


@compiled()
def _iterate(
    offsets: Numbers, arriving: Numbers, leaving: Numbers, scores: Floats, damping: float, tolerance: float, passes: int
) -> int:
    """Power iteration in place, summing to 1; how many passes it took."""
    count = len(leaving)
    given = np.empty(count)
    for done in range(passes):
        loose = 0.0  # pages without links: their readers start anywhere
        for i in range(count):
            if leaving[i] > 0:
                given[i] = damping * scores[i] / leaving[i]
            else:
                given[i] = 0.0
                loose += scores[i]
        base = (1.0 - damping + damping * loose) / count
        change = 0.0
        for i in range(count):
            score = base
            for e in range(offsets[i], offsets[i + 1]):
                score += given[arriving[e]]
            change += abs(score - scores[i])
            scores[i] = score
        if change < tolerance:
            return done + 1
    return passes


def pagerank(
    count: int,
    sources: Numbers,
    targets: Numbers,
    *,
    damping: float = DAMPING,
    tolerance: float = 1e-10,
    passes: int = 200,
    start: Floats | None = None,
) -> Floats:
    """Scores of pages 0 … count - 1 that sum to 1. A link stated twice counts twice; a page may link to itself.

    ``tolerance`` bounds the sum of the changes of the last pass; the error is at most damping / (1 - damping) of that.

    >>> pagerank(2, np.array([0, 1]), np.array([1, 0])).tolist()
    [0.5, 0.5]
    """
    if count < 1:
        return np.empty(0)
    scores = np.full(count, 1.0 / count) if start is None or start.sum() <= 0.0 else start / start.sum()
    graph = _by_target(count, np.asarray(sources, dtype=np.int64), np.asarray(targets, dtype=np.int64))
    _iterate(*graph, scores, damping, tolerance, passes)
    return scores
