"""Heralds: sitemaps, feeds, links and pings say that a page has changed; each is believed as far as it proved true.

An announcement makes a page as stale as so many seconds of waiting would have (spec §5.6,
``estimators.pages.signals``), so it is moved forward in the order of its site by that time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from afresh.base.errors import AfreshError
from afresh.base.models import Kind, Report, Resource
from afresh.base.records.pages import Announcement, Hastened, Signal, SignalCounts
from afresh.pages.reasons import record_of
from afresh.parse.url import canonical, strip_session_ids

if TYPE_CHECKING:
    from afresh.base.protocols import Store
    from afresh.pages.planner import PagePlanner

_MOST = 50_000  # announcements taken in one go


@dataclass(frozen=True, slots=True)
class Heralds:
    """Hears announcements and moves the pages they are about."""

    store: Store
    pages: PagePlanner

    def entries_found(self, reports: Sequence[Report], *, now: float) -> int:
        """New entries of feeds announce the pages they link to; those of a first window are history."""
        feeds = (report for report in reports if report.resource.kind is Kind.FEED)
        links = (entry.parsed.link for report in feeds for entry in report.entries if not entry.initial)
        return self.announce(links, signal=Signal.FEED, now=now)

    def announce(self, urls: Iterable[str], *, signal: str, now: float) -> int:
        """Somebody says that these pages have changed just now; how many watched pages that was news about."""
        return self.hear([Announcement(url=url) for url in dict.fromkeys(urls) if url], signal=signal, now=now)

    def hear(self, told: Sequence[Announcement], *, signal: str, now: float) -> int:
        """The same with times; a time to come is taken for now. What is no URL is passed over."""
        clear = [plain for item in told[:_MOST] if (plain := _plain(item, now)) is not None]
        heard = self.store.pages.announce(clear, signal=signal)
        known: dict[str, SignalCounts] = {}
        moved = []
        for page in heard:
            if page.site not in known:
                known[page.site] = self.store.pages.signals(page.site).get(signal, SignalCounts())
            moved.append(Hastened(resource=page.id, seconds=self.worth(page, known[page.site])))
        self.store.pages.hasten(moved, now=now)
        return len(moved)

    def worth(self, page: Resource, counts: SignalCounts) -> float:
        """Seconds of waiting that one announcement of this signal is worth for this page."""
        rate = self.pages.rate(self.pages.row(page))
        if not (0.0 < rate < math.inf):
            return 0.0
        return max(0.0, record_of(counts).applied(rate).worth)


def _plain(item: Announcement, now: float) -> Announcement | None:
    try:
        url = strip_session_ids(canonical(item.url))
    except AfreshError:
        return None
    at = item.at
    if at is not None and not math.isfinite(at):
        at = None
    return replace(item, url=url, at=None if at is None else min(at, now))


def has_news(reports: Sequence[Report]) -> bool:
    """Whether there is anything in these reports for a herald."""
    return any(
        report.resource.kind is Kind.SITEMAP or (report.entries and report.resource.kind is Kind.FEED)
        for report in reports
    )
