"""Why nothing came of a page: in words, and in kinds that can be counted."""

import math
import re
from collections import Counter
from collections.abc import Iterable
from enum import StrEnum

from afresh.base.plain_numbers import counted
from afresh.base.records.frontier import PageFailure, PageReport, PageResult, SiteFacts

#: Why nothing came of a page whose fetcher does not say.
REASONS: dict[PageResult, str] = {
    PageResult.NOT_FOUND: "its server says that it is not there",
    PageResult.ERROR: "no answer, or a server that fails",
    PageResult.EXCLUDED: "its robots.txt forbids it",
    PageResult.REFUSED: "its address is not public; fetch.allowed_networks of the fetcher lets it through",
}
_SOFT = "a page that says it is none, behind a friendly 200"
#: What comes next, while it is due again.
_NEXT: dict[PageResult, str] = {
    PageResult.ERROR: "it is tried again",
    PageResult.NOT_FOUND: "it is asked for once more",
    PageResult.FETCHED: "it is asked for once more",
}


#: How the words begin about a page that was not asked for, since nobody is there at its scheme, host and port.
NOBODY = "nobody answers there: "


class Reason(StrEnum):
    """Kinds of failures, to be counted: few, and none of them in the words of a stranger."""

    GONE = "gone"  # 404, 410, or a fetcher that tells no status
    FORBIDDEN = "forbidden"  # another status that says: not for us
    TOO_LARGE = "too_large"  # more than its fetcher takes
    SOFT_404 = "soft_404"  # an error page behind a 200
    SERVER_ERROR = "server_error"  # 5xx
    OTHER_STATUS = "other_status"  # 429, a redirect to itself …
    NO_ANSWER = "no_answer"  # no such name, refused, time-out …
    ADDRESS = "address"  # its fetcher may not ask there


def reason_of(page: PageReport) -> Reason | None:
    """Why its server, or the way there, gave nothing; None: it did, or nobody was asked."""
    match page.result:
        case PageResult.FETCHED | PageResult.NOT_MODIFIED:
            return Reason.SOFT_404 if page.soft_404 else None
        case PageResult.NOT_FOUND if page.http == 200:
            return Reason.TOO_LARGE
        case PageResult.NOT_FOUND:
            return Reason.GONE if page.http in (0, 404, 410) else Reason.FORBIDDEN
        case PageResult.ERROR if not page.http:
            return Reason.NO_ANSWER
        case PageResult.ERROR:
            return Reason.SERVER_ERROR if page.http >= 500 else Reason.OTHER_STATUS
        case PageResult.REFUSED:
            return Reason.NO_ANSWER if page.why.startswith(NOBODY) else Reason.ADDRESS
        case _:
            return None


def why_failed(failure: PageFailure | None, *, due: float | None = None) -> str:
    """As its fetcher says, else as its result has it, and what comes next if ``due`` tells; '': nothing failed.

    >>> gone = PageFailure(0.0, PageResult.NOT_FOUND, "HTTP 404", "")
    >>> why_failed(gone), why_failed(gone, due=9e9), why_failed(gone, due=math.inf)
    ('HTTP 404', 'HTTP 404: it is asked for once more', 'HTTP 404: it is not asked for again')
    """
    if failure is None:
        return ""
    why = failure.why or REASONS.get(failure.result, _SOFT)
    if due is None or failure.result not in _NEXT:
        return why
    return f"{why}: {_NEXT[failure.result] if math.isfinite(due) else 'it is not asked for again'}"


_STATUS = re.compile(r"HTTP \d{3}")
_WHERE = re.compile(r"^\S+: ")  # a name that has no address, say
_DETAIL = re.compile(r" \(|: ")
#: What is counted together, whatever its fetcher says.
_GROUPS: dict[PageResult, str] = {
    PageResult.EXCLUDED: "robots.txt forbids it",
    PageResult.SKIPPED: "its site cannot be asked",
    PageResult.REFUSED: "its address is not public",
    PageResult.NOT_FOUND: "too large",  # but for those with a status
    PageResult.FETCHED: "an error page behind a 200",
}


def group_of(result: PageResult, why: str) -> str:
    """A reason in words that others of its kind share: without names and addresses.

    >>> group_of(PageResult.NOT_FOUND, "HTTP 404"), group_of(PageResult.NOT_FOUND, "more than 4,000,000 bytes")
    ('HTTP 404', 'too large')
    >>> group_of(PageResult.ERROR, "Connection refused (127.0.0.1:9)"), group_of(PageResult.ERROR, "a.example: unknown")
    ('Connection refused', 'unknown')
    >>> group_of(PageResult.ERROR, "not HTTP: Expected HTTP/, RTSP/ or ICE/: b'SSH-2.0'")
    'not HTTP'
    >>> group_of(PageResult.REFUSED, NOBODY + "Connection refused (127.0.0.1:9)"), group_of(PageResult.REFUSED, "")
    ('Connection refused', 'its address is not public')
    """
    if why.startswith(NOBODY):
        return group_of(PageResult.ERROR, why.removeprefix(NOBODY))
    if result in (PageResult.NOT_FOUND, PageResult.ERROR):
        if status := _STATUS.match(why):
            return status[0]
        if not why:
            return REASONS[result]
    return _GROUPS.get(result) or _DETAIL.split(_WHERE.sub("", why, count=1))[0]


def grouped(counts: Iterable[tuple[PageResult, str, int]]) -> list[tuple[str, int]]:
    """How many failed for which reason, most first."""
    groups: Counter[str] = Counter()
    for result, why, count in counts:
        groups[group_of(result, why)] += count
    return groups.most_common()


def is_shut(site: SiteFacts) -> bool:
    """Whether robots.txt forbids all that was to be asked for so far."""
    return bool(site.left_out) and not site.visited_well and not site.failed


def why_site(site: SiteFacts) -> str:
    """Why less comes of a site than it has: its last failure, what robots.txt forbids; '': nothing is the matter."""
    words = [why_failed(site.failure)]
    if site.left_out:
        scope = "all" if is_shut(site) else "some"
        words.append(f"robots.txt forbids {scope}: {counted(site.left_out, 'URL')} left out")
    cannot_be_asked = site.failure is not None and site.failure.result is PageResult.SKIPPED
    if site.waiting and (cannot_be_asked or is_shut(site)):
        words.append(f"{counted(site.waiting, 'URL')} {'waits' if site.waiting == 1 else 'wait'}")
    return "; ".join(filter(None, words))
