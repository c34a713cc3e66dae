"""New URLs in SQLite: looks up what is known, writes what is not."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from afresh.base.errors import StoreError
from afresh.base.hashing import site_hash
from afresh.base.page_numbers import MOST_SITES, page_span, tld_of
from afresh.base.records.frontier import Imported, Seed
from afresh.base.records.hygiene import Hygiene
from afresh.store.frontier.adding import (
    BATCH,
    Growth,
    SiteNumbers,
    StaleSites,
    fit_seeds,
    is_fit,
    is_host,
    new_pages,
    number_urls,
)
from afresh.store.frontier.collecting import Found
from afresh.store.sqlite.frontier.statements import SQL, as_set, insert_rows


class Adder:
    """Adds URLs within one transaction."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        *,
        numbers: SiteNumbers,
        now: float,
        hygiene: Hygiene,
        big: int,
        cash: float,
    ) -> None:
        self._connection = connection
        self._numbers = numbers
        self._now = now
        self._hygiene = hygiene
        self._big = big
        self._cash = cash  # of a new page
        self.grown: set[int] = set()  # sites

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
            insert_rows(self._connection, "add_pages", rows.pages)
            insert_rows(self._connection, "add_addresses", rows.addresses)
            growth = rows.growth
            self._grow(growth)
        if new_sites:
            self._connection.execute(SQL["count_sites"], (new_sites, new_sites))
        grown = frozenset(one.site for one in growth)
        self.grown |= grown
        backlog = sum(one.backlog for one in growth)
        return Found(numbered.numbers, frozenset(numbered.new), grown, new_sites, backlog)

    def _known(self, numbers: list[int]) -> Mapping[int, str]:
        return dict(self._connection.execute(SQL["known_pages"], (as_set(numbers),)).fetchall())

    def _room(self, site: int) -> float:
        held, referrals = self._connection.execute(SQL["held"], (site,)).fetchone() or (0, 0)
        return self._hygiene.room(held=held, referrals=referrals)

    def _sites(self, fqdns: Iterable[str]) -> tuple[dict[str, int], int]:
        """Sites by host, those not known made; and how many these are."""
        sites, missing = self._numbers.split(fqdns)
        if not missing:
            return sites, 0
        found = dict(self._connection.execute(SQL["sites_by_fqdn"], (as_set(missing),)).fetchall())
        new = [fqdn for fqdn in missing if fqdn not in found]
        if new:
            first = self._connection.execute(SQL["last_site"]).fetchone()[0] + 1
            if first + len(new) > MOST_SITES:
                raise StoreError(f"the frontier is full: it holds {MOST_SITES:,} sites at most")
            rows = [(number, fqdn, tld_of(fqdn), site_hash(fqdn)) for number, fqdn in enumerate(new, first)]
            self._connection.executemany(SQL["add_site"], rows)
            found |= {fqdn: number for number, fqdn in enumerate(new, first)}
        self._numbers.learn(found)
        return sites | found, len(new)

    def _grow(self, growth: list[Growth]) -> None:
        if self._connection.executemany(SQL["grow_site"], growth).rowcount != len(growth):
            self._numbers.forget()
            raise StaleSites
        totals = [sum(column) for column in zip(*((*one[1:4], one.backlog) for one in growth), strict=True)]
        self._connection.execute(SQL["count_new"], totals)
        big = self._connection.execute(SQL["big_sites"], (as_set(one.site for one in growth), self._big))
        for (site,) in big.fetchall():
            self._connection.execute(SQL["index_site"], (site,))
            self._connection.execute(SQL["index_pages"], page_span(site))

    def admit(self, sites: Iterable[int]) -> None:
        """Takes pages out of backlogs where budgets have grown."""
        if not self._hygiene.budget:
            return
        for site, held, referrals in self._connection.execute(SQL["sites_with_backlog"], (as_set(sites),)).fetchall():
            room = int(self._hygiene.room(held=held, referrals=referrals))
            if room > 0:
                pages = self._connection.execute(SQL["admit_pages"], (*page_span(site), room)).rowcount
                self._connection.execute(SQL["admit_site"], {"pages": pages, "site": site})
                self._connection.execute(SQL["count_admitted"], (pages,))
