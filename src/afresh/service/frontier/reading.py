"""From what clients send to what the use cases take: bodies into reports and seeds, bad ones into problems."""

import zlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TypeVar, cast

import msgspec
from starlette.datastructures import Headers

from afresh.app.frontier.urls import CrawlUrls
from afresh.core.frontier.models import PageReport, PageResult, Seed, SiteReport
from afresh.service.frontier.bodies import FlatPage, Page, Results, SeedList, SeedUrl
from afresh.service.problem import FieldError

T = TypeVar("T")
MOST_UNPACKED = 256_000_000
_EXCLUDED, _FETCHED = PageResult.EXCLUDED, PageResult.FETCHED


class BadBody(Exception):
    """A body that cannot be used; becomes a problem document."""

    def __init__(self, status: int, detail: str, *, where: str = "") -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail
        self.errors = (FieldError(where, detail),) if where else ()


def decode(decoder: "msgspec.json.Decoder[T]", body: bytes) -> T:
    """The body as its type says; BadBody names the field at fault."""
    if b"\\u0000" in body:  # PostgreSQL cannot keep it, and no URL or name has it
        raise BadBody(422, "the body contains the character NUL (\\u0000)")
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        text, _, where = str(error).partition(" - at `$")
        place = "body" + where.rstrip("`")
        raise BadBody(422, f"{place}: {text}", where=place) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadBody(400, "the body is not valid JSON in UTF-8") from None


def unpacked(body: bytes, headers: Headers) -> bytes:
    """The body without its Content-Encoding."""
    encoding = headers.get("content-encoding", "identity").strip().lower()
    if encoding in ("", "identity"):
        return body
    if encoding != "gzip":
        raise BadBody(415, f"Content-Encoding {encoding!r} is not understood; send gzip or nothing")
    unpacker = zlib.decompressobj(wbits=31)
    try:
        plain = unpacker.decompress(body, MOST_UNPACKED)
    except zlib.error:
        raise BadBody(400, "the body is not gzip, as its Content-Encoding says") from None
    if unpacker.unconsumed_tail:
        raise BadBody(413, f"the body unpacks to more than {MOST_UNPACKED:,} bytes; send it in parts")
    if not unpacker.eof:
        raise BadBody(400, "the gzip body is cut short")
    return plain


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
                    fqdn=site.fqdn,
                    pages=self._pages(pages),
                    crawl_delay=site.fqdn_crawl_delay,
                    last_ipv4=site.fqdn_last_ipv4 or "",
                    last_ipv6=site.fqdn_last_ipv6 or "",
                    round_trip=site.round_trip,
                )
            )
        reports += [SiteReport(lease=0, fqdn=fqdn, pages=self._pages(pages)) for fqdn, pages in loose.items()]
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
                page.fetched = min(_seconds(page.fetched), self._now)
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


_SEED_LIST = msgspec.json.Decoder(SeedList)
_SEED_LINE: "msgspec.json.Decoder[SeedUrl | str]" = msgspec.json.Decoder(SeedUrl | str)


def read_import(body: bytes, kind: str, urls: CrawlUrls) -> tuple[list[Seed], int]:
    """Seeds of an import and the number refused, from JSON, one JSON value a line, or one URL a line."""
    match kind:
        case "application/json":
            items: Iterable[SeedUrl | str] = decode(_SEED_LIST, body).urls
        case "text/plain":
            return _plain_seeds(_lines(body), urls)
        case _:
            lines = [line for line in body.split(b"\n") if line.strip()]
            items = [_line(line, number) for number, line in enumerate(lines, 1)]
    return _seeds(items, urls)


def _plain_seeds(lines: list[str], urls: CrawlUrls) -> tuple[list[Seed], int]:
    """The same for URLs alone, as most imports are: a third of the time."""
    found = list(map(urls.read, map(str.strip, lines)))
    seeds = [Seed(*known) for known in found if known is not None]
    return seeds, len(found) - len(seeds)


def _line(line: bytes, number: int) -> "SeedUrl | str":
    try:
        return decode(_SEED_LINE, line)
    except BadBody as error:
        raise BadBody(error.status, f"line {number}: {error.detail}", where=f"line {number}") from None


def _lines(body: bytes) -> list[str]:
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadBody(400, f"the body is not UTF-8 (byte {error.start:,})") from None
    return [line for line in text.split("\n") if line and line[0] != "#" and not line.isspace()]


def _seeds(items: "Iterable[SeedUrl | str]", urls: CrawlUrls) -> tuple[list[Seed], int]:
    seeds: list[Seed] = []
    refused, read, keep = 0, urls.read, seeds.append
    for item in items:
        known = read(item.strip() if isinstance(item, str) else item.url)
        if known is None:
            refused += 1
        elif isinstance(item, str):
            keep(Seed(*known))
        else:
            keep(
                Seed(
                    url=known[0],
                    fqdn=known[1],
                    pagerank=item.url_pagerank,
                    discovered=_maybe(item.url_discovery_date),
                    last_visited=_maybe(item.url_last_visited),
                    crawl_delay=item.fqdn_crawl_delay,
                    bot_excluded=item.url_bot_excluded,
                )
            )
    return seeds, refused


def _seconds(when: datetime | float) -> float:
    return max(0.0, when.timestamp() if isinstance(when, datetime) else when)


def _maybe(when: datetime | None) -> float | None:
    return None if when is None else _seconds(when)
