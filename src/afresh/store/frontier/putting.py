"""Taking single URLs in: found ones are added unless they are known, known ones are told when they are due again."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

from afresh.base.page_numbers import HASH_BITS, LONGEST_URL, is_text
from afresh.base.records.frontier import Seed
from afresh.base.records.queues import LONGEST_KEY, Put, Taken
from afresh.store.frontier.adding import Adder, Adding, Found
from afresh.store.frontier.estimating import first_time, next_times
from afresh.store.frontier.leasing import rerank
from afresh.store.frontier.report_effects import SiteSettled
from afresh.store.frontier.session import Session
from afresh.store.frontier.store_part import read_order, writing
from afresh.store.frontier.visits import PageStatus, has_failed, is_left_out


class Putting(Adding):
    """Takes URLs of clients."""

    @writing
    def put(self, session: Session, crawl: str, puts: Sequence[Put], *, now: float) -> list[Taken]:
        """What became of each, in order. The order counts: a URL may be found, and come back known, in one call."""
        session.run("only_adder")
        number = self._make_crawl(session, crawl)
        adder = self._adder(session, now, crawl=number)
        taken: list[Taken] = []
        start = 0
        while start < len(puts):
            end, wanted = _next_round(puts, start)
            found = self._take_round(session, adder, wanted, now)
            _keep(session, found, wanted)
            taken += _standings(puts[start:end], found, wanted)
            start = end
        rerank(session, read_order(session), adder.grown, now)
        return taken

    def _take_round(self, session: Session, adder: Adder, wanted: Mapping[str, Put], now: float) -> Found:
        """Adds what is new and settles what is known, with times of our own where a client gave none."""
        undated = {url for url, put in wanted.items() if put.is_known and put.due is None}
        later = first_time(now, self._hygiene) if undated else now
        dated = {url: put._replace(due=later) if url in undated else put for url, put in wanted.items()}
        found = adder.discover({url: _seed(put, now) for url, put in dated.items()})
        known = {found.numbers[url]: put for url, put in dated.items() if put.is_known}
        ours = {found.numbers[url] for url in undated}
        before = sorted(ours - found.new)
        if before:
            times = next_times(session, known, before, now, self._hygiene)
            known |= {number: known[number]._replace(due=time) for number, time in times.items()}
        _settle(session, known, found.new, ours, now)
        return found


def can_keep(put: Put) -> bool:
    """Whether every store can keep it."""
    return 0 < len(put.url) <= LONGEST_URL and 0 < len(put.key) <= LONGEST_KEY and is_text(put.url) and is_text(put.key)


def _seed(put: Put, now: float) -> Seed:
    return Seed(put.url, put.key, 0.0, put.created, None, now if put.due is None else put.due)


def _next_round(puts: Sequence[Put], start: int) -> tuple[int, dict[str, Put]]:
    """The puts from here on that can be taken together, by URL: up to one that depends on another one before it."""
    wanted: dict[str, Put] = {}
    for place in range(start, len(puts)):
        put = puts[place]
        before = wanted.get(put.url)
        if before is None:
            if can_keep(put):
                wanted[put.url] = put
        elif put.is_known or before.key != put.key:
            return place, wanted
    return len(puts), wanted


def _standings(puts: Sequence[Put], found: Found, wanted: Mapping[str, Put]) -> list[Taken]:
    taken = []
    for put in puts:
        if wanted.get(put.url) is not put:
            taken.append(Taken.KNOWN if put.url in wanted and can_keep(put) else Taken.REFUSED)
        elif found.numbers[put.url] in found.new:
            taken.append(Taken.NEW)
        else:
            taken.append(Taken.UPDATED if put.is_known else Taken.KNOWN)
    return taken


def _settle(session: Session, known: Mapping[int, Put], new: frozenset[int], ours: set[int], now: float) -> None:
    """Writes when known pages are to be fetched again, unlocks them, and counts."""
    if not known:
        return
    before = [number for number in known if number not in new]
    sites: dict[int, SiteSettled] = {}
    if len(before) < len(known):
        sites = _new_ones(known, new, ours)
    if before:
        for change in _settle_pages(
            session, known, before, ours, now
        ):  # a row for each site: not one of them gets lost
            sites[change.site] = _together([change, sites.get(change.site, SiteSettled(site=change.site))])
    session.run_many("settle_sites", list(sites.values()))


def _new_ones(known: Mapping[int, Put], new: frozenset[int], ours: set[int]) -> dict[int, SiteSettled]:
    """What pages that were not known, and come with a time, change of their sites beyond being new."""
    dues: defaultdict[int, list[float]] = defaultdict(list)
    for number, put in known.items():
        if number in new:
            dues[number >> HASH_BITS].append(0.0 if number in ours or put.due is None else put.due)
    return {
        site: SiteSettled(
            completed=times.count(math.inf),
            site=site,
            dated=max([time for time in times if time < math.inf], default=0.0),
        )
        for site, times in dues.items()
    }


def _settle_pages(
    session: Session, known: Mapping[int, Put], numbers: list[int], ours: set[int], now: float
) -> list[SiteSettled]:
    """Writes pages that were known; answers what that changes of their sites, a site once."""
    wanted = {"pages": session.as_set(numbers)}
    pages, visits = [], 0
    sites: defaultdict[int, list[SiteSettled]] = defaultdict(list)
    for number, visited, status, failures, was_locked in session.rows("pages_to_settle", wanted):
        due = known[number].due
        due = now if due is None else due
        is_done, site = due == math.inf, number >> HASH_BITS
        was_out, had_failed = is_left_out(status), bool(has_failed(status, failures))
        was_well = visited is not None and not was_out and not had_failed
        visits += bool(was_locked)
        pages.append((due, now if was_locked else visited, int(PageStatus.COMPLETED) if is_done else 0, number))
        sites[site].append(
            SiteSettled(
                visited=int(was_locked and visited is None),
                sum_visited=now - (visited or 0.0) if was_locked else 0.0,
                completed=is_done - (status == PageStatus.COMPLETED),
                backlog=-(status == PageStatus.BACKLOG),
                due=due,
                site=site,
                dated=0.0 if is_done or number in ours else due,
                quiet=known[number].quiet,
                well=(was_locked or visited is not None) - was_well,
                failed=-had_failed,
                left_out=-was_out,
            )
        )
    changes = [_together(some) for some in sites.values()]
    session.run_many("settle_pages", pages)
    session.run_many("visit_big_pages", [(due, number) for due, _, _, number in pages])
    session.run("remove_locks", wanted)
    _count(session, changes, visits)
    return changes


def _together(some: Sequence[SiteSettled]) -> SiteSettled:
    columns = dict(zip(SiteSettled._fields, zip(*some, strict=True), strict=True))
    how = {"due": min, "dated": max, "quiet": max, "site": max}  # one site; all others are counts
    return SiteSettled(**{name: how.get(name, sum)(values) for name, values in columns.items()})


def _count(session: Session, changes: Sequence[SiteSettled], visits: int) -> None:
    names = {"first_visits": "visited"} | {name: name for name in ("sum_visited", "well", "failed", "left_out")}
    counts = {name: sum(getattr(change, of) for change in changes) for name, of in names.items()}
    if visits or any(counts.values()):
        session.run("count_visits", counts | {"visits": visits, "part": session.part})
    admitted = -sum(change.backlog for change in changes)
    if admitted:
        session.run("count_admitted", {"pages": admitted, "part": session.part})


def _keep(session: Session, found: Found, wanted: Mapping[str, Put]) -> None:
    """Writes what is kept with pages: of new ones, and in place of what was kept with known ones."""
    rows, empty = [], []
    numbers = found.numbers
    for url, put in wanted.items():
        if put.metadata:
            if put.is_known or numbers[url] in found.new:
                rows.append((numbers[url], put.metadata))
        elif put.is_known and numbers[url] not in found.new:
            empty.append(numbers[url])
    session.insert("put_metadata", rows)
    if empty:
        session.run("remove_metadata", {"pages": session.as_set(empty)})
