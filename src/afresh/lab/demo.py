"""The demo: the real daemon on the small living web, and an account of the run from the server's truth."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from afresh.base.models import Kind, ResourceFilter, Result
from afresh.base.protocols import Store
from afresh.base.records.history import StoredEntry
from afresh.base.settings.sections import LOOPBACK
from afresh.lab.web import DemoWeb
from afresh.lab.web.ledger import Ledger
from afresh.lab.web.patterns import DEFAULT_DAY

#: Seconds between two requests to a site in the demo; the server holds us to it.
DELAY = 0.5

#: A daemon in a hurry, on loopback.
QUICK: Mapping[str, object] = {
    "politeness.trouble_wait": 2.0,
    "fetch.allowed_networks": LOOPBACK,
    "fetch.total_timeout": 10.0,
    "fetch.read_timeout": 5.0,
    "loop.flush": 0.02,
    "loop.lease": 30.0,
}


def settings(day: float) -> Mapping[str, object]:
    """The daemon's settings on a web whose day lasts so many seconds: the default rule learns the hours of that day."""
    return {
        **QUICK,
        "politeness.delay": DELAY,
        "predict.rule": f"priced:day={day:g}",
        "budget.price": 1.0,
        "predict.shortest": 1.0,
        "predict.longest": 20.0,
        "predict.standard": 5.0,
        "errors.first_wait": 2.0,
        "errors.longest_wait": 20.0,
        "links.shortest": 5.0,
        "links.longest": 10.0,
    }


SETTINGS = settings(DEFAULT_DAY)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoSummary:
    """What the demo ends with. The server counted published entries and violations, not the client."""

    seconds: float
    feeds: int
    sites: int
    polls: int
    entries_published: int
    entries_found: int
    entries_missed: int  # published before the feed's last good poll, yet never seen
    entries_open: int  # published after the feed's last good poll
    mean_delay_s: float | None
    not_modified: int
    errors: Mapping[str, int]  # by kind of result
    patterns: Mapping[str, int]  # requests answered by update pattern
    requests_served: int
    politeness_violations: int
    violations: tuple[str, ...]


def summarise(
    web: DemoWeb, store: Store, results: Mapping[str, int], *, until: float, beside: Ledger | None = None
) -> DemoSummary:
    """Compare what was found with what the server published until then; polls are those of feeds.

    ``beside`` is what the server of the links counted: who presses that one is a violator, too.
    """
    found = _found(store)
    results = Counter(results) - _of_links(store)
    ledgers = [web.ledger] if beside is None else [web.ledger, beside]
    served = web.summary(until=until)
    published = seen = missed = 0
    delays: list[float] = []
    for feed in web.feeds:
        if not feed.is_readable:
            continue
        truth = {item.link: item.time for item in web.published(feed, until=until)}
        mine = found.get(feed.url, {})
        resource = store.get(feed.url)
        published += len(truth)
        seen += len(truth.keys() & mine.keys())
        missed += sum(link not in mine and time <= (resource.last_ok or 0.0) for link, time in truth.items())
        delays += [mine[link].entry.found - time for link, time in truth.items() if link in mine]
    successes = ("new", "same", "not_modified")
    return DemoSummary(
        seconds=round(until - web.began, 1),
        feeds=len(web.feeds),
        sites=len(web.sites),
        polls=sum(results.values()),
        entries_published=published,
        entries_found=seen,
        entries_missed=missed,
        entries_open=published - seen - missed,
        mean_delay_s=round(sum(delays) / len(delays), 3) if delays else None,
        not_modified=results.get("not_modified", 0),
        errors={kind: count for kind, count in sorted(results.items()) if kind not in successes},
        patterns=_patterns(served),
        requests_served=int(str(served["requests"])),
        politeness_violations=sum(sum(ledger.breaches.values()) for ledger in ledgers),
        violations=tuple(str(violation) for ledger in ledgers for violation in ledger.violations)[:10],
    )


def _of_links(store: Store) -> Counter[str]:
    """What became of the visits of links."""
    links = store.list_resources(ResourceFilter(kind=Kind.LINK), limit=1_000)
    return Counter(str(visit.result) for link in links for _, visit in store.visits(resource=link.id, limit=100_000))


def _patterns(served: Mapping[str, object]) -> Mapping[str, int]:
    patterns = served["patterns"]
    return dict(sorted(patterns.items())) if isinstance(patterns, Mapping) else {}


def _found(store: Store) -> dict[str, dict[str, StoredEntry]]:
    """Everything found, by feed and link; the first time counts."""
    found: dict[str, dict[str, StoredEntry]] = {}
    for item in every_entry(store):
        found.setdefault(item.url, {}).setdefault(item.entry.parsed.link, item)
    return found


def every_entry(store: Store) -> Iterator[StoredEntry]:
    """All that a store keeps, in the order in which they were found."""
    after = 0
    while page := store.entries(after=after, limit=1000):
        yield from page
        after = page[-1].seq


def tally(results: Mapping[Result, int]) -> Counter[str]:
    return Counter({str(result): count for result, count in results.items()})
