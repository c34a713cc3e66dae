"""The link graph, and what is computed from it elsewhere: PageRank, homes, round trips, mirrors."""

import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from afresh.base.page_numbers import site_of
from afresh.store.frontier.concern import Concern, reading, writing
from afresh.store.frontier.links import changes, distinct_edges
from afresh.store.frontier.session import Row, Session

_CHUNK = 50_000


class Graph(Concern):
    """Links between pages and between sites."""

    def edges(self) -> Iterator[tuple[int, int]]:
        """All links, a chunk at a time, so that nobody waits for the last."""
        last: Row = (-1, -1)
        while True:
            rows = self._edges_after(*last)
            yield from ((source, target) for source, target in rows)
            if len(rows) < _CHUNK:
                return
            last = rows[-1]

    @reading
    def _edges_after(self, session: Session, source: int, target: int) -> list[Row]:
        return session.rows("edges_after", {"source": source, "target": target, "limit": _CHUNK})

    def site_edges(self) -> Iterator[tuple[str, str, int]]:
        rows = self._database.read(lambda session: session.rows("site_edges"))
        yield from ((source, target, count) for source, target, count in rows)

    @reading
    def has_pageranks(self, session: Session) -> bool:
        return bool(session.rows("some_pagerank"))

    @writing
    def put_pageranks(self, session: Session, scores: Iterable[tuple[int, float]]) -> None:
        pairs = sorted((int(number), float(score)) for number, score in scores)
        for start in range(0, len(pairs), _CHUNK):
            part = pairs[start : start + _CHUNK]
            session.run_many("put_pageranks", [(score, number) for number, score in part])
        session.run_many("resum_pagerank", [(site,) for site in sorted({site_of(number) for number, _ in pairs})])

    @writing
    def put_homes(self, session: Session, homes: Iterable[tuple[str, str]]) -> None:
        session.run_many("put_homes", [(home, name) for name, home in sorted(homes)])

    def round_trips(self, *, since: float) -> Iterator[tuple[str, str, float]]:
        """Medians by site and fetcher."""
        rows = self._database.read(lambda session: session.rows("round_trips", {"since": since}))
        measured: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
        for site, fetcher, seconds in rows:
            measured[site, fetcher].append(seconds)
        yield from ((*pair, statistics.median(values)) for pair, values in sorted(measured.items()))

    @reading
    def mirrors(self, session: Session, *, limit: int = 100) -> list[tuple[str, str, int]]:
        return [(one, other, count) for one, other, count in session.rows("mirrors", {"limit": limit})]


def add_links(session: Session, links: Iterable[tuple[int, Sequence[int]]]) -> set[int]:
    """Notes the links of visited pages and passes their cash on; answers which sites changed."""
    edges = distinct_edges(links)
    if not edges:
        return set()
    sources = session.as_set(sorted({source for source, _ in edges}))
    cash: dict[int, float] = dict(session.rows("cash", {"pages": sources}))
    new = [(source, target) for source, target in session.insert_new("add_edges", edges)]
    pages, sites = changes(edges, cash, new)
    session.run_many("link_pages", pages)
    session.run_many("link_sites", sites)
    session.run("count_edges", {"edges": len(new), "part": session.part})
    return {change.site for change in sites}
