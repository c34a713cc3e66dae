"""The other side's count: every request a demo server saw, and every time it was pressed.

What a visit costs a server is known best by the server, so politeness is counted here, not by the visitor. Rules:

- *overlap*: a request begins while another to the same site is unanswered;
- *too soon*: it begins less than ``polite_delay`` after the previous one to that site ended;
- *retry-after*: it begins before a Retry-After the site sent has run out;
- *disallowed*: it asks for a path that the site's robots.txt forbids.

One visit may be several requests: a request for exactly the address to which the same site has just redirected is a
hop of the same visit and not *too soon*, once for each redirect sent. A redirect to another site is a visit of that
site. Requests for robots.txt are exempt, neither judged nor counted as the request before: they are how a visitor
learns to be polite. So is a person's browser (it says so by ``Sec-Fetch-Dest``). A Crawl-delay is no part of RFC 9309:
ignoring one is counted apart.

A request ends when the answer is handed to the socket, before the visitor can have read it; the clocks of both sides
agree on loopback, hence the tiny slack. When the visitor leaves before the answer, the server learns of it late; such
an end gets the longer ``ABORT_SLACK``.
"""

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum

SLACK = 0.001  # seconds: rounding of floats and timers
ABORT_SLACK = 0.25  # seconds until a server notices that its visitor has left
HOP_SECONDS = 10.0  # how long a redirect excuses the request that follows it


class Breach(StrEnum):
    """The ways of pressing a server."""

    OVERLAP = "overlap"
    TOO_SOON = "too soon"
    RETRY_AFTER = "retry-after"
    DISALLOWED = "disallowed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One breach: who was pressed, when, by how much."""

    breach: Breach
    site: str
    path: str
    at: float
    waited: float  # seconds since the previous request ended (or Retry-After was sent); 0 for an overlap
    required: float  # seconds it should have been
    previous: str = ""  # path of the request before


@dataclass(slots=True, kw_only=True)
class Seen:
    """One request in the log; ``ended`` is None while it is being answered."""

    site: str
    path: str
    started: float
    ended: float | None = None
    status: int | None = None
    pattern: str = ""  # of the feed asked for; empty: not a feed
    if_none_match: str = ""
    if_modified_since: str = ""
    is_hop: bool = False
    is_exempt: bool = False  # robots.txt, or a person's browser
    aborted: bool = False  # the visitor left first


@dataclass(slots=True)
class _Site:
    """What the ledger remembers of one site."""

    open: set[int] = field(default_factory=set)  # identities of unanswered requests
    last: Seen | None = None  # the one that ended last
    closed_until: float = 0.0  # Retry-After
    closed_at: float = 0.0
    redirects: dict[str, float] = field(default_factory=dict)  # address -> until when its request is excused


class Ledger:
    """Counts requests and breaches of politeness; memory is bounded, counts are not."""

    def __init__(
        self, *, polite_delay: float = 1.0, crawl_delays: Mapping[str, float] | None = None, keep: int = 100_000
    ) -> None:
        self.polite_delay = polite_delay
        self.crawl_delays = dict(crawl_delays or {})
        self.log: deque[Seen] = deque(maxlen=keep)
        self.violations: deque[Violation] = deque(maxlen=keep)
        self.breaches: Counter[str] = Counter()
        self.requests = 0
        self.statuses: Counter[int] = Counter()
        self.patterns: Counter[str] = Counter()  # documents and 304s served, by update pattern
        self.requests_by_site: Counter[str] = Counter()
        self.conditional = 0
        self.aborted = 0
        self.crawl_delay_ignored = 0
        self._sites: dict[str, _Site] = {}

    def begin(
        self, site: str, path: str, at: float, *, headers: Mapping[str, str] | None = None, pattern: str = "",
        allowed: bool = True,
    ) -> Seen:  # fmt: skip
        """A request arrives; header names are in lower case."""
        headers = headers or {}
        seen = Seen(
            site=site,
            path=path,
            started=at,
            pattern=pattern,
            if_none_match=headers.get("if-none-match", ""),
            if_modified_since=headers.get("if-modified-since", ""),
            is_exempt=path == "/robots.txt" or "sec-fetch-dest" in headers,
        )
        self.requests += 1
        self.requests_by_site[site] += 1
        self.conditional += bool(seen.if_none_match or seen.if_modified_since)
        self.log.append(seen)
        if not seen.is_exempt:
            state = self._sites.setdefault(site, _Site())
            seen.is_hop = state.redirects.pop(path, 0.0) >= at
            self._judge(seen, state, allowed)
            state.open.add(id(seen))
        return seen

    def finish(
        self,
        seen: Seen,
        at: float,
        status: int,
        *,
        redirect: tuple[str, str] | None = None,
        retry_after: float | None = None,
        aborted: bool = False,
    ) -> None:
        """The request is answered; ``redirect`` is (site, address) of a Location, ``retry_after`` is in seconds."""
        seen.ended, seen.status, seen.aborted = at, status, aborted
        self.aborted += aborted
        if not aborted:
            self.statuses[status] += 1
        if seen.pattern and status in (200, 304) and not aborted:
            self.patterns[seen.pattern] += 1
        if seen.is_exempt:
            return
        state = self._sites[seen.site]
        state.open.discard(id(seen))
        state.last = seen
        if redirect is not None and redirect[0] == seen.site:
            state.redirects = {address: until for address, until in state.redirects.items() if until >= at}
            state.redirects[redirect[1]] = at + HOP_SECONDS
        if retry_after is not None:
            state.closed_at, state.closed_until = at, max(state.closed_until, at + retry_after)

    def _judge(self, seen: Seen, state: _Site, allowed: bool) -> None:
        at, last = seen.started, state.last
        if not allowed:
            self._note(Breach.DISALLOWED, seen, last, 0.0, 0.0)
        if at < state.closed_until - SLACK:
            self._note(Breach.RETRY_AFTER, seen, last, at - state.closed_at, state.closed_until - state.closed_at)
        if state.open:
            self._note(Breach.OVERLAP, seen, last, 0.0, self.polite_delay)
        elif last is not None and last.ended is not None and not seen.is_hop:
            waited = at - last.ended
            slack = ABORT_SLACK if last.aborted else SLACK
            if waited < self.polite_delay - slack:
                self._note(Breach.TOO_SOON, seen, last, waited, self.polite_delay)
            self.crawl_delay_ignored += waited < self.crawl_delays.get(seen.site, 0.0) - slack

    def _note(self, breach: Breach, seen: Seen, last: Seen | None, waited: float, required: float) -> None:
        self.breaches[breach] += 1
        self.violations.append(
            Violation(
                breach=breach,
                site=seen.site,
                path=seen.path,
                at=seen.started,
                waited=waited,
                required=required,
                previous=last.path if last else "",
            )
        )

    @property
    def not_modified(self) -> int:
        return self.statuses[304]

    def summary(self) -> dict[str, object]:
        """The counts, as plain values."""
        return {
            "requests": self.requests,
            "conditional": self.conditional,
            "not_modified": self.not_modified,
            "aborted": self.aborted,
            "statuses": {str(status): count for status, count in sorted(self.statuses.items())},
            "patterns": dict(sorted(self.patterns.items())),
            "politeness_violations": sum(self.breaches.values()),
            "violations_by_kind": {kind.value: self.breaches[kind] for kind in Breach},
            "crawl_delay_ignored": self.crawl_delay_ignored,
            "violations": [asdict(violation) for violation in self.violations],
        }
