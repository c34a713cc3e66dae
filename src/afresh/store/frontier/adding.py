"""New URLs: looks up what is known, writes what is not."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from afresh.base.hashing import site_hash
from afresh.base.page_numbers import HASH_BITS, page_span, tld_of
from afresh.base.records.frontier import Imported, Seed
from afresh.base.records.queues import DEFAULT_CRAWL, FIRST_CRAWL
from afresh.base.settings.sections import Hygiene
from afresh.store.frontier.crawls import Crawls
from afresh.store.frontier.leasing import rerank
from afresh.store.frontier.links import FIRST_CASH
from afresh.store.frontier.new_pages import (
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
from afresh.store.frontier.numbering import number_sites
from afresh.store.frontier.report_effects import SiteSettled
from afresh.store.frontier.session import Session
from afresh.store.frontier.store_part import read_order, writing


class Found(NamedTuple):
    """What became of URLs."""

    numbers: Mapping[str, int]  # of all that were asked for
    new: frozenset[int]
    grown: frozenset[int]  # sites
    new_sites: int
    backlog: int


class Adding(Crawls):
    """Adds URLs from outside."""

    @writing
    def add(
        self, session: Session, seeds: Sequence[Seed], *, now: float, crawl: str = DEFAULT_CRAWL, revive: bool = True
    ) -> Imported:
        session.run("only_adder")
        number = FIRST_CRAWL if crawl == DEFAULT_CRAWL else self._make_crawl(session, crawl)
        adder = self._adder(session, now, crawl=number)
        imported = adder.add(seeds, revive=revive)
        rerank(session, read_order(session), adder.grown, now)
        return imported

    @writing
    def make_site(self, session: Session, name: str, *, crawl: int) -> None:
        session.run("only_adder")
        self._adder(session, 0.0, crawl=crawl).make_site(name)

    def _adder(self, session: Session, now: float, *, crawl: int = FIRST_CRAWL) -> "Adder":
        cash = FIRST_CASH if self._links else 0.0
        hygiene, numbers = self._hygiene, self._numbers
        return Adder(session, numbers=numbers, now=now, hygiene=hygiene, big=self._big, cash=cash, crawl=crawl)


class Adder:
    """Adds URLs within one transaction; ``only_adder`` was run before any row was locked."""

    def __init__(
        self,
        session: Session,
        *,
        numbers: SiteNumbers,
        now: float,
        hygiene: Hygiene,
        big: int,
        cash: float,
        crawl: int = FIRST_CRAWL,
    ) -> None:
        self._session = session
        self._numbers = numbers
        self._now = now
        self._hygiene = hygiene
        self._big = big
        self._cash = cash  # of a new page
        self._crawl = crawl
        self.grown: set[int] = set()  # sites

    def add(self, seeds: Sequence[Seed], *, revive: bool) -> Imported:
        """What is not known of these."""
        urls = sites = refused = backlog = revived = 0
        for start in range(0, len(seeds), BATCH):
            part = seeds[start : start + BATCH]
            wanted = fit_seeds(part)
            if len(wanted) < len(part):
                refused += sum(not (is_fit(seed.url) and is_host(seed.site)) for seed in part)
            found = self.discover(wanted)
            urls += len(found.new)
            sites += found.new_sites
            backlog += found.backlog
            revived += self._revive(wanted, found) if revive else 0
        known = len(seeds) - urls - refused
        return Imported(urls=urls, sites=sites, known=known, refused=refused, backlog=backlog, revived=revived)

    def discover(self, wanted: Mapping[str, Seed]) -> Found:
        """Numbers for URLs; those not known are added."""
        sites, made = self._sites({seed.site for seed in wanted.values()})
        new_sites = len(made)
        numbered = number_urls(wanted, sites, self._known, empty=made)
        growth: list[Growth] = []
        if numbered.new:
            room = self._room if self._hygiene.budget else None
            rows = new_pages(numbered.new, now=self._now, cash=self._cash, room=room)
            self._session.insert("add_pages", rows.pages)
            self._session.insert("add_addresses", rows.addresses)
            growth = rows.growth
            self._grow(growth, made)
        if growth or new_sites:
            self._count(new_sites, growth)
        grown = frozenset(one.site for one in growth)
        self.grown |= grown
        return Found(numbered.numbers, frozenset(numbered.new), grown, new_sites, sum(one.backlog for one in growth))

    def make_site(self, name: str) -> None:
        """A site without pages, unless it is known."""
        _, made = self._sites({name})
        if made:
            self._count(len(made), [])

    def _revive(self, wanted: Mapping[str, Seed], found: Found) -> int:
        """Makes known pages due that are gone, failing or refused: whoever names them again wants them tried."""
        session = self._session
        dues = {found.numbers[url]: seed.due for url, seed in wanted.items() if found.numbers[url] not in found.new}
        if not dues:
            return 0
        session.run("begin_at_pages", {"pages": session.as_set(sorted(dues))})
        rows = session.rows("pages_to_revive", {"pages": session.as_set(sorted(dues))})
        pages = [(dues[number], number) for (number,) in rows]
        sites: dict[int, float] = {}
        for due, number in pages:
            sites[number >> HASH_BITS] = min(due, sites.get(number >> HASH_BITS, math.inf))
        session.run_many("revive_pages", pages)
        session.run_many("visit_big_pages", pages)
        session.run_many("settle_sites", [SiteSettled(due=due, site=site) for site, due in sorted(sites.items())])
        self.grown |= set(sites)
        return len(pages)

    def admit(self, sites: Iterable[int]) -> None:
        """Takes pages out of backlogs where budgets have grown."""
        if not self._hygiene.budget:
            return
        session = self._session
        for site, held, referrals in session.rows("sites_with_backlog", {"sites": session.as_set(sorted(sites))}):
            room = int(self._hygiene.room(held=held, referrals=referrals))
            if room > 0:
                first, last = page_span(site)
                pages = session.run("admit_pages", {"site": site, "first": first, "last": last, "room": room})
                session.run("admit_big_pages", {"site": site})
                session.run("admit_site", {"pages": pages, "site": site})
                session.run("count_admitted", {"pages": pages, "part": session.part})

    def _known(self, numbers: list[int]) -> Mapping[int, str]:
        return dict(self._session.rows("known_pages", {"pages": self._session.as_set(numbers)}))

    def _room(self, site: int) -> float:
        rows = self._session.rows("held", {"site": site})
        held, referrals = rows[0] if rows else (0, 0)
        return self._hygiene.room(held=held, referrals=referrals)

    def _sites(self, names: Iterable[str]) -> tuple[dict[str, int], frozenset[int]]:
        """Sites by name, those not known made; and which these are."""
        sites, missing = self._numbers.split(names, crawl=self._crawl)
        if not missing:
            return sites, frozenset()
        wanted = {"names": self._session.as_set(missing), "crawl": self._crawl}
        found: dict[str, int] = dict(self._session.rows("sites_by_name", wanted))
        new = [name for name in missing if name not in found]
        numbers: Sequence[int] = ()
        if new:
            hashes = {name: site_hash(name) for name in new}
            made = number_sites(self._session, hashes)
            numbers = list(made.values())
            rows = [(made[name], self._crawl, name, tld_of(name), hashed) for name, hashed in hashes.items()]
            self._session.run_many("add_sites", rows)
            found |= made
        self._numbers.learn(found, crawl=self._crawl)
        return sites | found, frozenset(numbers)

    def _grow(self, growth: list[Growth], made: frozenset[int]) -> None:
        session = self._session
        if session.run_many("grow_sites", growth) != len(growth):
            self._numbers.forget()
            raise StaleSites
        maybe = [one.site for one in growth if one.urls > self._big or one.site not in made]
        big = session.rows("big_sites", {"sites": session.as_set(maybe), "big": self._big}) if maybe else []
        session.run_many("mark_big_sites", big)
        session.run_many("index_pages", big)

    def _count(self, new_sites: int, growth: list[Growth]) -> None:
        self._session.run(
            "count_new",
            {
                "sites": new_sites,
                **{
                    name: sum(getattr(one, name) for one in growth)
                    for name in ("urls", "visited", "sum_visited", "backlog", "well", "left_out")
                },
                "part": self._session.part,
            },
        )
