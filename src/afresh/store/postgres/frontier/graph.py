"""The link graph in PostgreSQL and what is computed from it elsewhere."""

from collections.abc import Iterable, Sequence

from afresh.base.page_numbers import site_of
from afresh.store.frontier.links import changes, distinct_edges
from afresh.store.postgres.frontier.adding import array_of, columns_of
from afresh.store.postgres.frontier.statements import SQL, Cursor

_CHUNK = 50_000


def add_links(cursor: Cursor, links: Iterable[tuple[int, Sequence[int]]]) -> set[int]:
    """Notes the links of visited pages and passes their cash on; answers which sites changed."""
    edges = distinct_edges(links)
    if not edges:
        return set()
    sources = sorted({source for source, _ in edges})
    cash: dict[int, float] = dict(cursor.execute(SQL["cash"], (array_of(sources),)).fetchall())
    columns = [array_of(column) for column in columns_of(edges, 2)]
    new = [(source, target) for source, target in cursor.execute(SQL["add_edges"], columns).fetchall()]
    pages, sites = changes(edges, cash, new)
    cursor.execute(SQL["link_pages"], [array_of(column) for column in columns_of(pages, 4)])
    cursor.execute(SQL["link_sites"], [array_of(column) for column in columns_of(sites, 4)])
    cursor.execute(SQL["count_edges"], (len(new),))
    return {change.site for change in sites}


def put_pageranks(cursor: Cursor, scores: Iterable[tuple[int, float]]) -> None:
    pairs = sorted((int(number), float(score)) for number, score in scores)
    for start in range(0, len(pairs), _CHUNK):
        numbers, values = zip(*pairs[start : start + _CHUNK], strict=True)
        cursor.execute(SQL["put_pageranks"], (array_of(numbers), array_of(values)))
    touched = sorted({site_of(number) for number, _ in pairs})
    cursor.execute(SQL["resum_pagerank"], (array_of(touched),))


def put_homes(cursor: Cursor, homes: Iterable[tuple[str, str]]) -> None:
    pairs = sorted(homes)
    cursor.execute(SQL["put_homes"], ([fqdn for fqdn, _ in pairs], [home for _, home in pairs]))
