"""From what clients send to what the use cases take: bodies into reports, bad ones into problems."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TypeVar, cast

import msgspec

from afresh.base.records.frontier import PageReport, PageResult, Seed, SiteReport
from afresh.base.records.queues import NEVER_AGAIN
from afresh.doors.rest.frontier.bodies import FlatPage, Page, Results
from afresh.doors.rest.frontier.body_errors import in_words, unknown_field
from afresh.doors.rest.problems import Refused
from afresh.frontier.urls import CrawlUrls

T = TypeVar("T")
_EXCLUDED, _FETCHED = PageResult.EXCLUDED, PageResult.FETCHED


def decode(decoder: "msgspec.json.Decoder[T]", body: bytes) -> T:
    """The body as its type says; Refused names the field at fault."""
    if b"\\u0000" in body:  # PostgreSQL cannot keep it, and no URL or name has it
        raise Refused(422, "the body contains the character NUL (\\u0000)")
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        text, _, where = str(error).partition(" - at `$")
        place = "body" + where.rstrip("`")
        words = unknown_field(text, decoder.type, place) or in_words(text, place.rpartition(".")[2])
        raise Refused(422, f"{place}: {words}", where=place) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Refused(400, "the body is not valid JSON in UTF-8") from None


class ReportReader:
    """Turns results into reports: links canonical and of the public web, times not in the future."""

    def __init__(self, urls: CrawlUrls, now: float) -> None:
        self._read, self._now = urls.read, now
        self.refused = 0
        self.found: list[Seed] = []  # discovered pages that no page is said to link to

    def sites(self, results: Results) -> list[SiteReport]:
        """Reports by site; flat pages are put to their sites."""
        loose = self._loose(results.urls)
        reports = []
        for site in results.fqdns:
            pages = site.url_list
            if loose:
                pages = [*pages, *loose.pop(site.fqdn, ())]
            reports.append(
                SiteReport(
                    lease=site.reservation,
                    name=site.fqdn,
                    pages=self._pages(pages),
                    crawl_delay=site.fqdn_crawl_delay,
                    last_ipv4=site.fqdn_last_ipv4 or "",
                    last_ipv6=site.fqdn_last_ipv6 or "",
                    round_trip=site.round_trip,
                    retry_after=site.retry_after,
                    is_partial=site.partial,
                )
            )
        reports += [SiteReport(lease=0, name=name, pages=self._pages(pages)) for name, pages in loose.items()]
        return reports

    def _loose(self, pages: Iterable[FlatPage]) -> dict[str, list[Page]]:
        by_site: dict[str, list[Page]] = {}
        for page in pages:
            read = self._read(page.url)
            if page.fetched is None and page.result is _FETCHED and not page.is_excluded:
                if read is None:
                    self.refused += 1
                else:
                    self.found.append(Seed(*read))
                continue
            site = page.fqdn or (read[1] if read else "")
            by_site.setdefault(site, []).append(page)
        return by_site

    def _pages(self, pages: list[Page]) -> Sequence[PageReport]:
        """The pages themselves, put right in place: what was decoded has the fields of a report, by the same names."""
        for page in pages:
            if page.links:
                page.links = self._links(page.links)
            if page.fetched is not None:
                page.fetched = min(seconds(page.fetched), self._now)
            if page.completed:
                page.due = NEVER_AGAIN
            elif page.due is not None:
                page.due = seconds(page.due)
            if page.is_excluded and page.result is _FETCHED:
                page.result = _EXCLUDED
        return cast("Sequence[PageReport]", pages)

    def _links(self, links: list[str]) -> list[str]:
        """Canonical, each once, in order; what is no URL of the public web is counted and dropped."""
        kept: dict[str, None] = {}
        read = self._read
        for link in links:
            url = read(link)
            if url is None:
                self.refused += 1
            else:
                kept[url[0]] = None
        return list(kept)


def seconds(when: datetime | float) -> float:
    """A time as it may be written, in seconds since 1970; none is earlier."""
    return max(0.0, when.timestamp() if isinstance(when, datetime) else when)
