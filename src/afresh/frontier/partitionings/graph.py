"""By the link graph: sites that link to each other go to one fetcher, and every fetcher gets about as much.

Communities are found by label propagation with a limit on their size (each site joins the neighbouring community it has
most links with, as long as there is room), then given out whole, largest first: to the fetcher that already holds most
of their links among those with room, else to the one with least. [G20] §8.2 names the idea only; links between
fetchers are what a crawl without a central frontier would have to send.
"""

import numpy as np
from numpy.typing import NDArray

from afresh.base.compiled import compiled

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]


@compiled()
def _propagate(
    offsets: Numbers, targets: Numbers, weights: Floats, sizes: Floats, labels: Numbers, limit: float, order: Numbers
) -> int:
    """One pass in the given order; how many sites moved."""
    count = len(labels)
    load = np.zeros(count)
    for i in range(count):
        load[labels[i]] += sizes[i]
    pull = np.zeros(count)
    moved = 0
    for i in order:
        own = labels[i]
        for e in range(offsets[i], offsets[i + 1]):
            pull[labels[targets[e]]] += weights[e]
        best = own
        for e in range(offsets[i], offsets[i + 1]):
            label = labels[targets[e]]
            better = pull[label] > pull[best] or (pull[label] == pull[best] and label < best and best != own)
            if label != best and better and load[label] + sizes[i] <= limit:
                best = label
        for e in range(offsets[i], offsets[i + 1]):
            pull[labels[targets[e]]] = 0.0
        if best != own:
            load[own] -= sizes[i]
            load[best] += sizes[i]
            labels[i] = best
            moved += 1
    return moved


def symmetric(count: int, sources: Numbers, targets: Numbers, weights: Floats) -> tuple[Numbers, Numbers, Floats]:
    """The graph without direction and without links of a site to itself: offsets, neighbours, weights of both ways."""
    apart = sources != targets
    one = np.concatenate([sources[apart], targets[apart]])
    other = np.concatenate([targets[apart], sources[apart]])
    both = np.concatenate([weights[apart], weights[apart]])
    key, place = np.unique(one * count + other, return_inverse=True)
    summed = np.bincount(place, weights=both, minlength=len(key)).astype(np.float64)
    offsets = np.searchsorted(key, np.arange(count + 1) * count).astype(np.int64)
    return offsets, (key % max(count, 1)).astype(np.int64), summed


def communities(
    count: int,
    sources: Numbers,
    targets: Numbers,
    weights: Floats,
    sizes: Floats,
    *,
    limit: float,
    rng: np.random.Generator,
    passes: int = 20,
) -> Numbers:
    """The community of each site, numbered from 0; none is larger than the limit unless a single site is."""
    offsets, neighbours, both = symmetric(count, sources, targets, weights)
    labels = np.arange(count, dtype=np.int64)
    for _ in range(passes):
        if _propagate(offsets, neighbours, both, sizes, labels, limit, rng.permutation(count)) <= count // 1000:
            break
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def assign(
    labels: Numbers, sources: Numbers, targets: Numbers, weights: Floats, sizes: Floats, *, fetchers: int, slack: float
) -> Numbers:
    """The fetcher of each community, largest community first; none gets more than 1 + slack of an even share if it can.

    Links to communities already given out pull a community to their fetcher; without pull or room the least loaded has
    it.
    """
    groups = int(labels.max()) + 1 if len(labels) else 0
    load_of = np.bincount(labels, weights=sizes, minlength=groups)
    apart = labels[sources] != labels[targets]
    one = np.concatenate([labels[sources[apart]], labels[targets[apart]]])
    other = np.concatenate([labels[targets[apart]], labels[sources[apart]]])
    order = np.argsort(one, kind="stable")
    one, other, both = one[order], other[order], np.concatenate([weights[apart]] * 2)[order]
    starts = np.searchsorted(one, np.arange(groups + 1))
    room = float(load_of.sum()) / fetchers * (1.0 + slack)
    loads = np.zeros(fetchers)
    chosen = np.full(groups, -1, dtype=np.int64)
    for group in np.lexsort((np.arange(groups), -load_of)):
        near, far = other[starts[group] : starts[group + 1]], both[starts[group] : starts[group + 1]]
        given = chosen[near] >= 0
        pull = np.bincount(chosen[near[given]], weights=far[given], minlength=fetchers)
        pull[loads + load_of[group] > room] = -1.0  # no room
        fetcher = int(np.lexsort((loads, -pull))[0]) if pull.max() > 0.0 else int(np.argmin(loads))
        chosen[group] = fetcher
        loads[fetcher] += load_of[group]
    return chosen


def homes(
    count: int,
    sources: Numbers,
    targets: Numbers,
    weights: Floats,
    sizes: Floats,
    *,
    fetchers: int,
    rng: np.random.Generator,
    slack: float = 0.02,
) -> Numbers:
    """The fetcher of each site. ``sizes`` is the work of a site, its pages say.

    A community may be a quarter of a fetcher's share at most, so that whole communities fit evenly.
    """
    if fetchers < 1 or count < 1:
        return np.full(count, -1, dtype=np.int64)
    limit = float(sizes.sum()) / fetchers / 4.0
    labels = communities(count, sources, targets, weights, sizes, limit=limit, rng=rng)
    return assign(labels, sources, targets, weights, sizes, fetchers=fetchers, slack=slack)[labels]
