"""Crawls and their queues: which there are, what an operator says about them, what is stored in them, and their end."""

from array import array

from afresh.base.hashing import bucket_of
from afresh.base.page_numbers import HASH_BITS, HASH_MASK, page_hash, page_span
from afresh.base.records.queues import PageFacts, QueueControl, QueueStats, StoredPart, StoredUrl, standing_of
from afresh.store.frontier.failures import to_failure
from afresh.store.frontier.session import Row, Session
from afresh.store.frontier.store_part import Concern, reading, writing
from afresh.store.frontier.visits import PageStatus

_ACTIVE = "AND urls > completed AND blocked <= :now"
_ONE = "AND name = :key"
#: What ``page_facts`` brings, as the fields are called; behind them: its failure.
_FACTS = (
    *("visited", "failures", "looks", "changes", "change_rate", "content_hash"),
    *("etag", "last_modified", "pagerank", "in_degree"),
)
_SITES = 500  # looked at together
_SEEN = 1_000  # URLs looked at together for what they contain, at least


class Crawls(Concern):
    """What is asked about crawls and queues, and said about them."""

    def _crawl_number(self, session: Session, name: str) -> int | None:
        """The number of a crawl, which it keeps for ever; None: there is none."""
        number = self._crawls.get(name)
        if number is None:
            rows = session.rows("crawl_number", {"name": name})
            if not rows:
                return None
            number = self._crawls[name] = int(rows[0][0])
        return number

    def _make_crawl(self, session: Session, name: str) -> int:
        """The number of a crawl, made if it is not there."""
        number = self._crawl_number(session, name)
        if number is None:
            session.run("add_crawl", {"name": name})
            number = int(session.rows("crawl_number", {"name": name})[0][0])  # remembered once it is kept
        return number

    @reading
    def crawl_number(self, session: Session, name: str) -> int | None:
        """Its number; None: there is none of that name."""
        return self._crawl_number(session, name)

    @reading
    def crawls(self, session: Session) -> list[str]:
        """Crawls that have queues."""
        return [name for name, _ in self._crawls_in_use(session)]

    def _crawls_in_use(self, session: Session) -> list[tuple[str, int]]:
        """Crawls that have queues, by name."""
        every = session.rows("crawls")
        return [(name, number) for name, number in every if session.rows("some_site", {"crawl": number})]

    @reading
    def queues(
        self, session: Session, crawl: str, *, start: int, limit: int, active_at: float | None
    ) -> tuple[list[str], int]:
        """Some keys by name, and how many there are in all; only of those active at this time, or (None) of all."""
        number = self._crawl_number(session, crawl)
        if number is None:
            return [], 0
        active = "" if active_at is None else _ACTIVE
        values = {"crawl": number, "now": active_at, "limit": limit, "start": start}
        names = [name for (name,) in session.rows("queue_names", values, active=active)]
        return names, session.rows("count_queue_names", values, active=active)[0][0]

    @reading
    def queue_stats(self, session: Session, crawl: str, key: str = "", *, now: float) -> QueueStats:
        """Of a crawl, or of one queue; nothing but zeros if it is not known."""
        values = {"crawl": self._crawl_number(session, crawl) or 0, "key": key, "now": now}
        one = _ONE if key else ""
        queues, urls, completed, active = session.rows("queue_sums", values, one=one)[0]
        locked = session.rows("count_locks", values, one=one)[0][0]
        return QueueStats(queues=queues, urls=urls, completed=completed, locked=locked, active_queues=active)

    @writing
    def control_queue(
        self, session: Session, crawl: str, key: str, said: QueueControl, *, now: float, default_delay: float = 0.0
    ) -> bool:
        """Treats a queue as is said; False if it is not known."""
        values = {
            "crawl": self._crawl_number(session, crawl) or 0,
            "site": key,
            "bucket": bucket_of(key, session.buckets),
        }
        if not session.rows("site_number", values):
            return False
        if said.block_until is not None:
            session.run("block", values | {"until": said.block_until, "now": now})
        if said.delay is not None:
            session.run("set_delay", values | {"delay": said.delay, "pause": said.delay})
        elif said.forgets_delay:
            session.run("set_delay", values | {"delay": None, "pause": default_delay})
        if said.limit is not None:
            session.run("set_limit", values | {"limit": said.limit})
        return True

    @writing
    def visit_again(self, session: Session, crawl: str, key: str, *, now: float) -> int | None:
        number, bucket = self._crawl_number(session, crawl) or 0, bucket_of(key, session.buckets)
        found = session.rows("site_number", {"crawl": number, "site": key, "bucket": bucket})
        if not found:
            return None
        site: int = found[0][0]
        first, last = page_span(site)
        count = session.run("make_pages_due", {"site": site, "first": first, "last": last, "now": now})
        session.run("admit_big_pages", {"site": site})
        session.run("make_site_due", {"site": site, "now": now})
        return count

    @writing
    def default_delay_changed(self, session: Session, delay: float, *, now: float) -> None:
        """Queues without a delay of their own wait that long from when they were last served."""
        session.run("set_default_delay", {"delay": delay, "now": now})

    @reading
    def stored_url(self, session: Session, crawl: str, key: str, url: str) -> StoredUrl | None:
        """What is stored of one URL."""
        row = self._find(session, crawl, key, url)
        return None if row is None else _to_stored(row, key, crawl)

    @reading
    def page_facts(self, session: Session, crawl: str, key: str, url: str) -> PageFacts | None:
        """All that is known of one URL."""
        row = self._find(session, crawl, key, url)
        if row is None:
            return None
        number, _, due, status, discovered, metadata, *_ = row
        values = {"site": number >> HASH_BITS, "page": number}
        (facts,) = session.rows("page_facts", values)
        known = dict(zip(_FACTS, facts[: len(_FACTS)], strict=True))
        failure = to_failure(facts[len(_FACTS) :])
        leases = [
            {"leased_by": fetcher, "leased_until": until}
            for fetcher, until, pages in session.rows("lease_of_page", values)
            if number in array("q", pages)
        ]
        return PageFacts(
            url=url,
            site=key,
            crawl=crawl,
            metadata=metadata or "",
            status=PageStatus(status).name.lower(),
            due=due,
            discovered=discovered,
            failure=failure if failure is not None and failure.at >= (known["visited"] or 0.0) else None,
            **known,
            **(leases[0] if leases else {}),
        )

    def _find(self, session: Session, crawl: str, key: str, url: str) -> Row | None:
        """The page of a URL, as ``stored_pages`` has it."""
        number = self._crawl_number(session, crawl)
        values = {"crawl": number or 0, "site": key, "bucket": bucket_of(key, session.buckets)}
        sites = session.rows("site_number", values)
        if not sites:
            return None
        first, _ = page_span(sites[0][0])
        place = page_hash(url)
        while True:
            page = first | place
            rows = _stored(session, sites[0][0], page - 1, page, 1)
            if not rows or rows[0][1] == url:
                return next(iter(rows), None)
            place = (place + 1) & HASH_MASK

    @reading
    def stored_urls(
        self,
        session: Session,
        crawl: str,
        key: str = "",
        *,
        after: tuple[int, int] = (0, -1),
        limit: int,
        containing: str = "",
        ignore_case: bool = False,
    ) -> StoredPart:
        """Stored URLs after a cursor, some at a time; none where a filter leaves none."""
        site, page = after
        values = {"crawl": self._crawl_number(session, crawl) or 0, "key": key, "after": site - (page >= 0)}
        sites = session.rows("sites_after", values | {"limit": _SITES}, one=_ONE if key else "")
        if not sites:
            return StoredPart((), None)
        wanted = containing.lower() if ignore_case else containing
        seen = max(limit, _SEEN) if wanted else limit
        rows, cursor = _some_pages(session, sites, page if sites[0][0] == site else -1, seen)
        rows = [row for row in rows if not wanted or wanted in (row[1].lower() if ignore_case else row[1])]
        if len(rows) > limit:
            rows = rows[:limit]
            cursor = rows[-1][0] >> HASH_BITS, rows[-1][0]
        names = {number: name for number, name, _ in sites}
        urls = [_to_stored(row, names[row[0] >> HASH_BITS], crawl) for row in rows]
        is_last = cursor == (sites[-1][0], -1) and len(sites) < _SITES
        return StoredPart(urls, None if is_last else cursor)


def _some_pages(session: Session, sites: list[Row], page: int, limit: int) -> tuple[list[Row], tuple[int, int]]:
    """Pages of these sites and where to go on: a part of the first, or as many whole sites as fit."""
    first, _, urls = sites[0]
    if page >= 0 or urls > limit:
        begin, last = page_span(first)
        rows = _stored(session, first, max(begin - 1, page), last, limit + 1)  # one more tells whether there are more
        return rows[:limit], (first, rows[limit - 1][0] if len(rows) > limit else -1)
    fitting, total = [], 0
    for number, _, count in sites:
        total += count
        if total > limit:
            break
        fitting.append(number)
    return session.rows("stored_pages_of_sites", {"sites": session.as_set(fitting)}), (fitting[-1], -1)


def _stored(session: Session, site: int, after: int, last: int, limit: int) -> list[Row]:
    return session.rows("stored_pages", {"site": site, "after": after, "last": last, "limit": limit})


def _to_stored(row: Row, key: str, crawl: str) -> StoredUrl:
    _, url, due, status, created, metadata, visited, failures = row
    standing = standing_of(PageStatus(status).name.lower(), failures, visited)
    return StoredUrl(url, key, crawl, metadata or "", due, created or 0.0, visited, standing)
