"""New URLs in PostgreSQL: looks up what is known, copies in what is not. One transaction at a time does so."""

from collections.abc import Iterable, Mapping, Sequence

from afresh.base.errors import StoreError
from afresh.base.hashing import site_hash
from afresh.base.page_numbers import HASH_BITS, MOST_SITES, tld_of
from afresh.base.records.frontier import Imported, Seed
from afresh.base.records.hygiene import Hygiene
from afresh.store.frontier.adding import (
    BATCH,
    Growth,
    NewPages,
    SiteNumbers,
    StaleSites,
    fit_seeds,
    is_fit,
    is_host,
    new_pages,
    number_urls,
)
from afresh.store.frontier.collecting import Found
from afresh.store.postgres.frontier.statements import SQL, Cursor

COPIED = 2_000  # rows from which on COPY is quicker than arrays


class Adder:
    """Adds URLs within one transaction."""

    def __init__(
        self, cursor: Cursor, *, numbers: SiteNumbers, now: float, hygiene: Hygiene, big: int, cash: float
    ) -> None:
        self._cursor = cursor
        self._numbers = numbers
        self._now = now
        self._hygiene = hygiene
        self._big = big
        self._cash = cash  # of a new page
        self.grown: set[int] = set()  # sites

    def begin(self) -> None:
        """Waits until nobody else adds; to be called before any row is locked."""
        self._cursor.execute(SQL["only_grower"])

    def add(self, seeds: Sequence[Seed]) -> Imported:
        """What is not known of these."""
        urls = sites = refused = backlog = 0
        for start in range(0, len(seeds), BATCH):
            part = seeds[start : start + BATCH]
            wanted = fit_seeds(part)
            if len(wanted) < len(part):
                refused += sum(not (is_fit(seed.url) and is_host(seed.fqdn)) for seed in part)
            found = self.discover(wanted)
            urls += len(found.new)
            sites += found.new_sites
            backlog += found.backlog
        known = len(seeds) - urls - refused
        return Imported(urls=urls, sites=sites, known=known, refused=refused, backlog=backlog)

    def discover(self, wanted: Mapping[str, Seed]) -> Found:
        """Numbers for URLs; those not known are added."""
        sites, new_sites = self._sites({seed.fqdn for seed in wanted.values()})
        numbered = number_urls(wanted, sites, self._known)
        growth: list[Growth] = []
        if numbered.new:
            room = self._room if self._hygiene.budget else None
            rows = new_pages(numbered.new, now=self._now, cash=self._cash, room=room)
            self._write(rows)
            growth = rows.growth
            self._grow(growth)
        totals = [sum(column) for column in zip(*((*one[1:4], one.backlog) for one in growth), strict=True)]
        if growth or new_sites:
            self._cursor.execute(SQL["count_new"], (new_sites, *(totals or (0, 0, 0.0, 0))))
        self.grown |= {one.site for one in growth}
        return Found(
            numbered.numbers,
            numbered.new.keys(),
            [one.site for one in growth],
            new_sites,
            sum(one.backlog for one in growth),
        )

    def _known(self, numbers: list[int]) -> Mapping[int, str]:
        sites = [number >> HASH_BITS for number in numbers]
        rows = self._cursor.execute(SQL["known_pages"], (array_of(sites), array_of(numbers))).fetchall()
        return {row[0]: row[1] for row in rows}

    def _room(self, site: int) -> float:
        held, referrals = self._cursor.execute(SQL["held"], (site,)).fetchone() or (0, 0)
        return self._hygiene.room(held=held, referrals=referrals)

    def _sites(self, fqdns: Iterable[str]) -> tuple[dict[str, int], int]:
        """Sites by host, those not known made; and how many these are."""
        sites, missing = self._numbers.split(fqdns)
        if not missing:
            return sites, 0
        rows = self._cursor.execute(SQL["sites_by_fqdn"], (missing,)).fetchall()
        found: dict[str, int] = dict(rows)
        new = [fqdn for fqdn in missing if fqdn not in found]
        if new:
            columns = (new, [tld_of(fqdn) for fqdn in new], array_of([site_hash(fqdn) for fqdn in new]))
            made = self._cursor.execute(SQL["add_sites"], columns).fetchall()
            found |= dict(made)
            if max(number for _, number in made) > MOST_SITES:
                raise StoreError(f"the frontier is full: it holds {MOST_SITES:,} sites at most")
        self._numbers.learn(found)
        return sites | found, len(new)

    def _write(self, rows: NewPages) -> None:
        if len(rows.pages) >= COPIED:
            self._copy(rows)
        else:
            pages = columns_of(rows.pages, 4)
            sites = array_of([page[0] >> HASH_BITS for page in rows.pages])
            numbers = array_of(pages[0])
            self._cursor.execute(
                SQL["add_pages"], (sites, numbers, array_of(pages[1]), array_of(pages[2]), array_of(pages[3]))
            )
            addresses = columns_of(rows.addresses, 5)
            self._cursor.execute(
                SQL["add_addresses"],
                (sites, numbers, addresses[1], *(array_of(column) for column in addresses[2:])),
            )

    def _copy(self, rows: NewPages) -> None:
        with self._cursor.copy(SQL["copy_pages"]) as copy:
            copy.set_types(["int4", "int8", "float8", "float8", "int2"])
            for number, due, visited, status in rows.pages:
                copy.write_row((number >> HASH_BITS, number, due, visited, status))
        with self._cursor.copy(SQL["copy_addresses"]) as copy:
            copy.set_types(["int4", "int8", "text", "float8", "float8", "float8"])
            for number, url, discovered, pagerank, cash in rows.addresses:
                copy.write_row((number >> HASH_BITS, number, url, discovered, float(pagerank), cash))

    def _grow(self, growth: list[Growth]) -> None:
        columns = [array_of(column) for column in columns_of(growth, len(Growth._fields))]
        if self._cursor.execute(SQL["grow_sites"], columns).rowcount != len(growth):
            self._numbers.forget()
            raise StaleSites
        sites = array_of([one.site for one in growth])
        big = [row[0] for row in self._cursor.execute(SQL["big_sites"], (sites, self._big)).fetchall()]
        if big:
            self._cursor.execute(SQL["index_sites"], (array_of(big),))
            self._cursor.execute(SQL["index_pages"], (array_of(big),))

    def admit(self, sites: Iterable[int]) -> None:
        """Takes pages out of backlogs where budgets have grown."""
        if not self._hygiene.budget:
            return
        wanted = array_of(sorted(sites))
        for site, held, referrals in self._cursor.execute(SQL["sites_with_backlog"], (wanted,)).fetchall():
            room = int(self._hygiene.room(held=held, referrals=referrals))
            if room > 0:
                pages = self._cursor.execute(SQL["admit_pages"], {"site": site, "room": room}).rowcount
                self._cursor.execute(SQL["admit_big_pages"], (site,))
                self._cursor.execute(SQL["admit_site"], {"pages": pages, "site": site})
                self._cursor.execute(SQL["count_admitted"], (pages,))


def columns_of(rows: Sequence[Sequence[object]], count: int) -> list[list[object]]:
    """Rows as columns, also if there are none."""
    return [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(count)]


def array_of(values: Iterable[object]) -> str:
    """Numbers as the text of an array: much quicker than the driver, which looks at each of them.

    >>> array_of([1, 2.5, None, float("inf")])
    '{1,2.5,NULL,inf}'
    """
    return "{" + ",".join(["NULL" if value is None else repr(value) for value in values]) + "}"
