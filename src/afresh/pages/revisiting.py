"""The revisit engine beside the loop: plans sites anew, follows sitemaps, hears what recorded visits announce."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afresh.base.models import Kind, Report
from afresh.pages.announcements import Heralds, has_news

if TYPE_CHECKING:
    from afresh.pages.site_plans import Replanner
    from afresh.pages.sitemaps import Sitemaps

log = logging.getLogger("afresh.revisiting")


@dataclass(frozen=True, slots=True)
class Revisiting:
    """What the loop calls now and then on behalf of pages."""

    replanner: Replanner
    heralds: Heralds
    sitemaps: Sitemaps

    def follow(self, reports: Sequence[Report], *, now: float) -> None:
        """After reports were recorded. What one of them says can spoil nothing but itself."""
        if not has_news(reports):
            return
        self.heralds.entries_found(reports, now=now)
        for report in reports:
            if report.resource.kind is not Kind.SITEMAP:
                continue
            try:
                found = self.sitemaps.follow(report, now=now)
            except Exception:  # hostile input must not stop the others
                log.exception("a sitemap could not be followed", extra={"url": report.resource.url})
            else:
                if found:
                    log.info("%s: %d new pages and sitemaps", report.resource.url, found)
