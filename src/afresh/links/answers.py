"""What an answer says of a link by itself, whatever stands on the page: its status, a redirect, why there is none."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, assert_never

from afresh.base.durations import format_duration
from afresh.base.errors import ParseError, UsageError
from afresh.base.models import Failed, Failure, Fetched, NotModified, Outcome, Rejected, Trip
from afresh.base.records.links import Check, CheckRecord, CheckStatus, KeptLink, Standing
from afresh.base.value_class import dataclass
from afresh.parse.url import canonical

if TYPE_CHECKING:
    from afresh.base.page_text import PageText
    from afresh.links.verdicts.without_model import Verdict

PERMANENT = "permanent redirect"  # how such a detail begins
SAYS_SO = "says so itself"  # how that of a page begins which says that it has moved
FOUND_THERE = "and the page is there"  # how that one ends where the saved page stands at the new address
_GUARDED = "cf-mitigated"  # says of an answer that it is a challenge, not the page
_BOT_CHECK = re.compile(
    r"<title>\s*(?:just a moment|attention required)|checking (?:if the site connection|your browser)"
    r"|(?:not|you) a (?:ro)?bot\b|verify (?:that )?you are (?:a )?human|javascript and cookies to continue"
    r"|/cdn-cgi/challenge|ddos protection by|g-recaptcha|h-captcha|cf-turnstile"
)
_NET = {
    Failure.DNS: CheckStatus.NET_NOT_FOUND,
    Failure.CONNECT: CheckStatus.NET_UNREACHABLE,
    Failure.TLS: CheckStatus.NET_UNREACHABLE,
    Failure.TIMEOUT: CheckStatus.NET_TIMEOUT,
    Failure.TOO_LARGE: CheckStatus.NEW,  # it answered well; only nobody reads so much
    Failure.REDIRECTS: CheckStatus.SERVER_ERROR,
    Failure.PROTOCOL: CheckStatus.SERVER_ERROR,
    Failure.ADDRESS: CheckStatus.REFUSED,
    Failure.ROBOTS: CheckStatus.REFUSED,
    Failure.LATER: CheckStatus.THROTTLED,
    Failure.OFFLINE: CheckStatus.OFFLINE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A link that was checked: the check, what it was judged by, and what is to be recorded."""

    check: Check
    verdict: Verdict | None = None  # against the reference, where there is one; kept beside a move
    page: PageText | None = None  # the version seen now
    record: CheckRecord | None = None  # None: nobody could be asked, or it is not judged to the end yet
    seen: tuple[str, ...] = ()  # what was seen, in words; empty: nobody wants to know


def refuse_address(url: str, *, at: float) -> Check:
    """The check of an address that cannot be asked for at all."""
    detail = ""
    try:
        canonical(url)
    except (UsageError, ParseError) as error:
        detail = str(error)
    scheme = url.partition(":")[0].strip().lower()
    is_other = scheme.isalpha() and scheme not in ("http", "https") and ":" in url
    status = CheckStatus.PROTOCOL_UNSUPPORTED if is_other else CheckStatus.SYNTAX_URL
    return Check(url=url, at=at, status=status, detail=detail)


def judge_without_page(link: KeptLink, outcome: NotModified | Rejected | Failed) -> Check:
    """What an outcome that brought no page means.

    304 says "as you saw it last": equal, unless what was seen last is known to differ, which the caller knows.
    """
    trip = outcome.trip
    known = answered(link, trip, CheckStatus.EQUAL)
    match outcome:
        case NotModified():
            return replace(known, http=304)
        case Rejected(status=code):
            where = f" at {trip.final_url}" if trip.redirects else ""
            if trip.headers.get(_GUARDED):  # whoever opens it in a browser may well see the page
                detail = f"HTTP {code}{where}: a bot check stands before it"
                return replace(known, status=CheckStatus.THROTTLED, http=code, detail=detail)
            detail = "; ".join(filter(None, (f"HTTP {code}{where}", _said(outcome))))
            return replace(known, status=rejected_status(code), http=code, detail=detail)
        case Failed(cause=Failure.TOO_LARGE, detail=detail):
            return replace(known, status=_NET[Failure.TOO_LARGE], detail=f"not compared: {detail}")
        case Failed(cause=cause, detail=detail):
            return replace(known, status=_NET[cause], final_url="", detail=detail)
        case _:
            assert_never(outcome)


def answered(link: KeptLink, trip: Trip, status: CheckStatus) -> Check:
    """A check of which nothing is known but what the answer says."""
    return Check(
        url=link.url, at=trip.finished, status=status, title=link.title, final_url=trip.final_url, size=trip.bytes
    )


def _said(outcome: Rejected) -> str:
    """What a refusal says besides: that it keeps robots out, or for how long; empty: nothing."""
    if _BOT_CHECK.search(outcome.said.decode("utf-8", "replace").lower()):
        return "it looks like a bot check: a browser may be shown the page"
    if outcome.status in (429, 503) and outcome.retry_after:
        return f"asks to be left alone for {format_duration(outcome.retry_after)}"
    return ""


def judge_status(link: KeptLink, outcome: Outcome) -> Checked:
    """What the answer says by itself, whatever came with it."""
    if not isinstance(outcome, Fetched):
        return Checked(check=judge_without_page(link, outcome))
    check = replace(answered(link, outcome.trip, CheckStatus.NEW), http=outcome.status)
    return redirected(Checked(check=check), outcome)


def rejected_status(code: int) -> CheckStatus:
    """The check status of an HTTP error.  Spec url-checker §1.5."""
    if code in (404, 410):
        return CheckStatus.MISSING
    if code == 429:
        return CheckStatus.THROTTLED
    if code in (406, 415):
        return CheckStatus.UNSUPPORTED
    return CheckStatus.ACCESS_DENIED if 400 <= code < 500 and code != 408 else CheckStatus.SERVER_ERROR


def but(checked: Checked, **changes: object) -> Checked:
    """The same with another check."""
    return replace(checked, check=replace(checked.check, **changes))  # type: ignore[arg-type]  # names of its fields


def redirected(checked: Checked, outcome: Fetched) -> Checked:
    """A permanent redirect to living content means: change the address; the comparison stays beside it.

    The new one is where the permanent hops at the beginning lead; where that sends on for now is not to be kept
    (RFC 9110 §15.4).
    """
    hops = outcome.trip.redirects
    lasting = list(takewhile(lambda hop: hop.is_permanent, hops))
    if not lasting or checked.check.standing is not Standing.OK:
        return checked
    part = f"#{lasting[-1].fragment}" if lasting[-1].fragment else ""
    if len(lasting) == len(hops):
        new, detail = outcome.trip.final_url + part, PERMANENT
    else:
        new, detail = lasting[-1].url + part, f"{PERMANENT}, and from there for now to {outcome.trip.final_url}"
    return but(checked, status=CheckStatus.MOVED, new_url=new, detail=detail)


def is_redirected(check: Check) -> bool:
    """Whether a link has moved because its server says so, for good."""
    return check.status is CheckStatus.MOVED and check.detail.startswith(PERMANENT)
