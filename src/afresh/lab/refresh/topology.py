"""Networks of query feeds: who reads whom, grown by interest and nearness.  [H12] §1.6, after [FKP02].

Nodes are sources and query feeds; an edge goes from what is read to what reads it. Every source grows a tree of the
query feeds within its radius, each attached where hops to the source plus ``alpha`` times the distance are least.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from afresh.base.compiled import compiled
from afresh.base.errors import ModelError
from afresh.base.signatures import types

Profiles = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def jaccard_distance(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> float:
    """1 − shared over all keywords of either; 0 for two empty profiles.

    >>> jaccard_distance(np.array([True, True, False]), np.array([True, False, True])) == 1 - 1 / 3
    True
    """
    either = int((a | b).sum())
    return 1.0 - int((a & b).sum()) / either if either else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Topology:
    """A subscription graph: nodes below ``sources`` are sources; edges as (read, reader), each once."""

    nodes: int
    sources: int
    edges: Ints  # [edges, 2]

    def out_degrees(self) -> Ints:
        return np.bincount(self.edges[:, 0], minlength=self.nodes).astype(np.int64)

    def in_degrees(self) -> Ints:
        return np.bincount(self.edges[:, 1], minlength=self.nodes).astype(np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class DegreeReport:
    """How readers are distributed over nodes."""

    largest: int
    mean: float  # over nodes that are read at all
    leaves: float  # share of nodes that nobody reads
    slope: float  # of log(share of nodes with at least d readers) against log(d); NaN below three degrees
    degrees: tuple[int, ...]  # degrees that occur
    at_least: tuple[float, ...]  # share of nodes with at least that many readers


def degree_report(topology: Topology) -> DegreeReport:
    """The out-degree distribution."""
    degrees = topology.out_degrees()
    read = degrees[degrees > 0]
    values = np.unique(read)
    shares = np.array([(degrees >= value).mean() for value in values])
    slope = float(np.polyfit(np.log(values), np.log(shares), 1)[0]) if len(values) >= 3 else float("nan")
    return DegreeReport(
        largest=int(degrees.max(initial=0)),
        mean=float(read.mean()) if len(read) else 0.0,
        leaves=float((degrees == 0).mean()),
        slope=slope,
        degrees=tuple(int(v) for v in values),
        at_least=tuple(float(s) for s in shares),
    )


@compiled(types.int64[:](types.Array(types.float64, 2, "C", readonly=True), types.float64))
def attach_points(points: Floats, alpha: float) -> Ints:
    """Parents of points in their order, the first being the root: least hops + alpha · Euclidean distance."""
    n = len(points)
    parents = np.full(n, -1, np.int64)
    hops = np.zeros(n)
    for i in range(1, n):
        best, least = 0, np.inf
        for j in range(i):
            dx = points[i, 0] - points[j, 0]
            dy = points[i, 1] - points[j, 1]
            cost = hops[j] + alpha * np.sqrt(dx * dx + dy * dy)
            if cost < least:
                least, best = cost, j
        parents[i] = best
        hops[i] = hops[best] + 1.0
    return parents


def geometric(rng: np.random.Generator, nodes: int, alpha: float) -> Topology:
    """One source among points of the unit square; small alpha makes a star, alpha beyond sqrt(nodes) no clusters."""
    if nodes < 1 or not alpha >= 0:
        raise ModelError("a network has nodes, and alpha is not negative")
    parents = attach_points(rng.random((nodes, 2)), alpha)
    edges = np.column_stack([parents[1:], np.arange(1, nodes)]).astype(np.int64)
    return Topology(nodes=nodes, sources=1, edges=edges)


@compiled(
    types.void(
        types.Array(types.float64, 2, "C", readonly=True),
        types.Array(types.float64, 1, "C", readonly=True),
        types.float64,
        types.float64,
        types.Array(types.int64, 1, "C"),
    )
)
def attach_profiles(between: Floats, to_source: Floats, radius: float, alpha: float, parents: Ints) -> None:
    """One source's tree over query feeds in order: −2 not in its radius, −1 child of the source, else the parent."""
    n = len(to_source)
    hops = np.zeros(n)
    for i in range(n):
        parents[i] = -2
        if to_source[i] > radius:
            continue
        parent, least = -1, alpha * to_source[i]
        for j in range(i):
            if parents[j] != -2:
                cost = hops[j] + alpha * between[j, i]
                if cost < least:
                    least, parent = cost, j
        parents[i] = parent
        hops[i] = 1.0 if parent < 0 else hops[parent] + 1.0


def by_interest(sources: Profiles, queries: Profiles, *, radius: float, alpha: float) -> Topology:
    """The network of query feeds (rows of keyword flags) over sources: the union of all sources' trees.

    Query feeds are attached in the order of their number of keywords, the same for all trees, so edges run from
    earlier to later nodes and the union has no cycle. Nodes are numbered in that order, behind the sources.
    """
    if sources.shape[1] != queries.shape[1]:
        raise ModelError("sources and queries need profiles over one dictionary")
    order = np.argsort(-queries.sum(axis=1), kind="stable")
    ordered = queries[order]
    between, to_sources = _distances(ordered, ordered), _distances(sources, ordered)
    parents = np.empty(len(ordered), dtype=np.int64)
    edges: set[tuple[int, int]] = set()
    for s in range(len(sources)):
        attach_profiles(between, to_sources[s], radius, alpha, parents)
        for i, parent in enumerate(parents.tolist()):
            if parent != -2:
                edges.add((s if parent == -1 else len(sources) + parent, len(sources) + i))
    listed = np.array(sorted(edges), dtype=np.int64).reshape(-1, 2)
    return Topology(nodes=len(sources) + len(queries), sources=len(sources), edges=listed)


def _distances(a: Profiles, b: Profiles) -> Floats:
    """All Jaccard distances between the rows of two profile tables."""
    x, y = a.astype(np.float64), b.astype(np.float64)
    both = x @ y.T
    either = x.sum(axis=1)[:, None] + y.sum(axis=1)[None, :] - both
    return np.ascontiguousarray(np.where(either > 0, 1.0 - both / np.maximum(either, 1.0), 0.0))


def find_cycle(edges: Iterable[tuple[int, int]]) -> list[int]:
    """A cycle of a subscription graph as its nodes in order; empty if there is none.

    >>> find_cycle([(1, 2), (2, 3), (3, 1)])
    [1, 2, 3]
    """
    readers: dict[int, list[int]] = {}
    for read, reader in edges:
        readers.setdefault(read, []).append(reader)
    done: set[int] = set()
    for root in readers:
        path: list[int] = []
        on_path: set[int] = set()
        stack = [(root, iter(readers.get(root, ())))]
        if root in done:
            continue
        path.append(root)
        on_path.add(root)
        while stack:
            node, following = stack[-1]
            step = next((n for n in following if n not in done), None)
            if step is None:
                stack.pop()
                path.pop()
                on_path.discard(node)
                done.add(node)
            elif step in on_path:
                return path[path.index(step) :]
            else:
                stack.append((step, iter(readers.get(step, ()))))
                path.append(step)
                on_path.add(step)
    return []
