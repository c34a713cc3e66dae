"""The link graph, and what is computed from it elsewhere: PageRank, homes, round trips, mirrors."""

import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from afresh.base.hashing import bucket_of
from afresh.base.page_numbers import site_of
from afresh.store.frontier.links import changes, distinct_edges
from afresh.store.frontier.session import Row, Session
from afresh.store.frontier.store_part import Concern, reading, writing

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
        yield from sorted(self._database.read(lambda session: _named(session, session.rows("site_edges"))))

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
        rows = [(home, name, bucket_of(name, session.buckets)) for name, home in sorted(homes)]
        session.run_many("put_homes", rows)

    def round_trips(self, *, since: float) -> Iterator[tuple[str, str, float]]:
        """Medians by site and fetcher."""
        rows = self._database.read(lambda session: session.rows("round_trips", {"since": since}))
        measured: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
        for site, fetcher, seconds in rows:
            measured[site, fetcher].append(seconds)
        yield from ((*pair, statistics.median(values)) for pair, values in sorted(measured.items()))

    @reading
    def mirrors(self, session: Session, *, limit: int = 100) -> list[tuple[str, str, int]]:
        found = _named(session, session.rows("mirrors", {"limit": limit}))
        pairs = [(min(one, other), max(one, other), pages) for one, other, pages in found]
        return sorted(pairs, key=lambda pair: (-pair[2], pair[0], pair[1]))


def _named(session: Session, pairs: Sequence[Row]) -> list[tuple[str, str, int]]:
    """Pairs of sites with their names, and a number; without those of which one has just gone."""
    numbers = sorted({number for pair in pairs for number in pair[:2]})
    names: dict[int, str] = dict(session.rows("names_of_sites", {"sites": session.as_set(numbers)}))
    return [(names[one], names[other], count) for one, other, count in pairs if one in names and other in names]


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
