"""Asks for links and takes each answer's word: its status. Pages are read and judged by the checker, which adds that.

Requests leave by the one ``fetch`` it is given, which is as polite as its maker made it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from afresh.base.errors import ParseError, UsageError
from afresh.base.models import Failed, Failure, Fetched, Outcome, Rejected, Request, Validators
from afresh.base.politeness import is_sites_trouble
from afresh.base.records.links import Check, CheckStatus, Standing
from afresh.base.value_class import dataclass
from afresh.links.answers import Checked, but, judge_status, refuse_address
from afresh.links.silent_sites import SilentSites
from afresh.parse.url import canonical

if TYPE_CHECKING:
    from afresh.base.records.link_store import LinkReader
    from afresh.base.records.links import Usage


ACCEPT = "text/html, application/xhtml+xml, application/pdf;q=0.9, */*;q=0.5"
_ENOUGH = 65_536  # bytes after which a status is known for certain; less, and small pages would cost a connection each
_PASSING = frozenset((408, 425, 429, 500, 502, 503, 504))
_FIRST_TIME = Validators()
_IN_A_ROW = 3  # links of a site that met its trouble, from which on it speaks for the others
_ORIGIN = re.compile(r"https?://[^/?#]+")

#: carries out one request, politely
Fetch = Callable[[Request], Awaitable[Outcome]]
#: what the last answer to all of these links, by address, gave to ask with
Known = Callable[[Mapping[str, int]], Awaitable[Validators]]
#: is shown what came for a link
OnPage = Callable[[str, Fetched], None]


def request_for(url: str, known: Validators = _FIRST_TIME, *, no_cache: bool = False, enough: int = 0) -> Request:
    """The request of a link, whoever wants to know of it."""
    return Request(
        url=url,
        etag=known.etag,
        last_modified=known.last_modified,
        no_cache=no_cache,
        accept=ACCEPT,
        is_crawl=True,
        enough=enough,
    )


class StatusChecker:
    """Checks links by what the answers to them say by themselves."""

    def __init__(
        self,
        fetch: Fetch,
        links: LinkReader,
        *,
        now: Callable[[], float],
        on_page: OnPage | None = None,  # None: nobody wants to see
        retries: int = 0,  # of what may be better the next time; the gate's pauses lie in between
        elsewhere: Callable[[str], str] | None = None,  # another address that knows of one that is refused; "": none
        enough: int = _ENOUGH,  # bytes of a page; 0: all of it
        known: Known | None = None,  # None: every answer is wanted
    ) -> None:
        self._fetch, self._links, self._now, self._on_page = fetch, links, now, on_page
        self._retries, self._elsewhere, self._enough, self._known = retries, elsewhere, enough, known
        self._troubles: dict[str, list[Check]] = {}  # by site: of the last links in a row
        self._silent = SilentSites()

    async def check(self, url: str, resource: int | None, *, usage: Usage | None = None) -> Checked:
        """One link as somebody wrote it; ``resource`` None: it cannot be asked for, and is told why."""
        if resource is None:
            return Checked(check=await self._check_unkept(url))
        return (await self.check_page({url: resource}, usage=usage))[0]

    async def check_page(self, links: Mapping[str, int], *, usage: Usage | None = None) -> list[Checked]:
        """Links to one page, and to parts of it, as somebody wrote them: the page is asked for once."""
        url = next(iter(links))
        validators = _FIRST_TIME if self._known is None else await self._known(links)
        outcome = await self._ask(address := canonical(url), validators)
        if self._on_page is not None and isinstance(outcome, Fetched):
            for each in links:
                self._on_page(each, outcome)
        if isinstance(outcome, Rejected) and (known := await self._ask_elsewhere(url)) is not None:
            found = [judge_status(self._links.link(resource), known) for resource in links.values()]
        else:
            found = self._mind_site(address, outcome, await self._judge([*links.values()], outcome, usage))
        return [
            checked if checked.check.url == url else but(checked, url=url)
            for url, checked in zip(links, found, strict=True)
        ]

    async def _check_unkept(self, url: str) -> Check:
        """An address that cannot be kept; one that is well formed is asked for, which says why it must not be."""
        try:
            address = canonical(url)
        except (UsageError, ParseError):
            return refuse_address(url, at=self._now())
        from afresh.links.unsaved import UnsavedLinks  # noqa: PLC0415 (hardly an address cannot be kept)

        links = UnsavedLinks()
        return judge_status(links.link(links.add(url)), await self._ask(address)).check

    async def _judge(self, resources: Sequence[int], outcome: Outcome, usage: Usage | None) -> list[Checked]:  # noqa: ARG002 (the checker's)
        return [judge_status(self._links.link(resource), outcome) for resource in resources]

    def _mind_site(self, address: str, outcome: Outcome, found: list[Checked]) -> list[Checked]:
        """A link that nobody got to ask for is as broken as those before it, if its site had but trouble for them.

        A site in trouble is spared more and more, so that of many links the last would wait for too long. Of a link
        that is kept nothing is concluded: it is asked for another time.
        """
        if isinstance(outcome, Fetched) and not self._troubles:
            return found  # mostly
        site = _site_of(address)
        if isinstance(outcome, Failed) and outcome.cause is Failure.LATER:
            met = self._troubles.get(site, [])
            if len(met) < _IN_A_ROW:
                return found
            detail = f"not asked for: {len(met)} other links of its site met nothing but trouble ({met[-1].detail})"
            return [
                checked if checked.record is not None else but(checked, status=met[-1].status, detail=detail)
                for checked in found
            ]
        if is_sites_trouble(outcome) and found[0].check.status is not CheckStatus.THROTTLED:
            self._troubles.setdefault(site, []).append(found[0].check)
        else:
            self._troubles.pop(site, None)
        return found

    async def _ask(self, address: str, known: Validators = _FIRST_TIME) -> Outcome:
        """The answer, asked for again where it may be a passing trouble."""
        request, site = request_for(address, known, enough=self._enough), _site_of(address)
        outcome = await self._fetch(request)
        self._silent.hear(site, address, outcome)
        if not self._retries or not is_passing(outcome) or not await self._silent.is_worth_another_try(site):
            return outcome
        async with self._silent.trying(site):
            return await self._ask_again(request, site, outcome)

    async def _ask_again(self, request: Request, site: str, outcome: Outcome) -> Outcome:
        for _ in range(self._retries):
            if not is_passing(outcome) or len(self._troubles.get(site, ())) >= _IN_A_ROW:
                break
            again = await self._fetch(request)
            if isinstance(again, Failed) and again.cause is Failure.LATER:  # what it said tells more than that it rests
                break
            outcome = again
            self._silent.hear(site, request.url, outcome)
        return outcome

    async def _ask_elsewhere(self, url: str) -> Outcome | None:
        """What another address says of this one, if that is good news."""
        address = "" if self._elsewhere is None else self._elsewhere(url)
        outcome = await self._fetch(request_for(address)) if address else None
        return outcome if isinstance(outcome, Fetched) else None

    async def check_all(
        self,
        links: Mapping[str, int | None],
        done: Callable[[Checked], Awaitable[None]],
        *,
        site_of: Callable[[str], str],
        parallel: int = 64,
        usage: Usage | None = None,
    ) -> None:
        """All links, by number, sites side by side and each page once; ``done`` is told of each."""
        pages: dict[str, dict[str, int]] = {}
        for url, number in links.items():
            if number is None:
                await done(await self.check(url, None))
            else:
                pages.setdefault(canonical(url), {})[url] = number
        waiting = iter(interleaved(pages, site_of))

        async def go_on() -> None:
            for page in waiting:
                for checked in await self.check_page(pages[page], usage=usage):
                    await done(checked)

        async with asyncio.TaskGroup() as group:
            for _ in range(min(parallel, len(pages))):
                group.create_task(go_on())


def _site_of(address: str) -> str:
    found = _ORIGIN.match(address)
    return address if found is None else found[0]


def is_passing(outcome: Outcome) -> bool:
    """Whether the next answer may be another: trouble on the way, or of the server's own."""
    if isinstance(outcome, Rejected):
        return outcome.status in _PASSING
    return isinstance(outcome, Failed) and outcome.cause in (Failure.TIMEOUT, Failure.CONNECT, Failure.PROTOCOL)


def interleaved(urls: Iterable[str], site_of: Callable[[str], str]) -> list[str]:
    """Links in turn from each site, so that many sites are asked side by side instead of one after the other.

    >>> interleaved(["a1", "a2", "b1"], lambda url: url[0])
    ['a1', 'b1', 'a2']
    """
    groups: dict[str, list[str]] = {}
    for url in urls:
        try:
            site = site_of(canonical(url))
        except (UsageError, ParseError):
            site = url[:1]
        groups.setdefault(site, []).append(url)
    longest = max(map(len, groups.values()), default=0)
    return [group[turn] for turn in range(longest) for group in groups.values() if turn < len(group)]


_PART = re.compile(r"(\d{3})(?:(?:\.\.=?|-)(\d{3}))?")


@dataclass(frozen=True, slots=True)
class AcceptedStatuses:
    """Ranges of HTTP statuses.

    >>> 403 in AcceptedStatuses.parse("200..299, 403"), 404 in AcceptedStatuses.parse("200..299")
    (True, False)
    """

    ranges: tuple[range, ...]

    @classmethod
    def parse(cls, text: str) -> AcceptedStatuses:
        """As it is written: ``200..299,403``; raises UsageError."""
        parts = [_PART.fullmatch(part.strip()) for part in text.split(",")]
        if not all(parts):
            raise UsageError(f"not statuses: {text!r}; write them like 200..299,403")
        return cls(tuple(range(int(part[1]), int(part[2] or part[1]) + 1) for part in parts if part is not None))

    def __contains__(self, status: int) -> bool:
        return any(status in some for some in self.ranges)

    def judge(self, check: Check) -> Check:
        """The check with what somebody says of its status."""
        if check.http is None or check.http == 304:  # as it was when it was accepted
            return check
        if check.http not in self:
            if check.standing not in (Standing.OK, Standing.MOVED):
                return check
            return replace(check, status=CheckStatus.SERVER_ERROR, detail=f"HTTP {check.http} is not accepted")
        if check.http < 400 or check.standing is Standing.OK:
            return check
        return replace(check, status=CheckStatus.NEW, detail=f"HTTP {check.http} is accepted")
