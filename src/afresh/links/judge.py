"""What an outcome means for a link: one status, in the order of [M03] §4.4; against the saved version, if any."""

from dataclasses import dataclass, replace
from typing import assert_never
from urllib.parse import urlsplit

from afresh.base.errors import ParseError, UsageError
from afresh.base.models import Failed, Failure, Fetched, NotModified, Rejected
from afresh.base.records.link_status import CheckStatus, Standing, Turned, Usage
from afresh.base.records.links import NewCheck
from afresh.links.measures import PageText, Profile
from afresh.links.verdicts import Content, Signal, Verdict, VerdictModel, inspect_page, judge_pages, moved_notice
from afresh.links.verdicts.signals import page_signals
from afresh.parse.url import canonical

#: A page that cannot exist: what a site answers for it tells what its "not found" looks like.
PROBE_PATH = "/afresh-probe-8c1f3b7e5d2a4960-no-such-page"
_SUSPICIOUS = 0.2  # score of a sign from which on the site is probed

_NET = {
    Failure.DNS: CheckStatus.NET_NOT_FOUND,
    Failure.CONNECT: CheckStatus.NET_UNREACHABLE,
    Failure.TLS: CheckStatus.NET_UNREACHABLE,
    Failure.TIMEOUT: CheckStatus.NET_TIMEOUT,
    Failure.TOO_LARGE: CheckStatus.UNSUPPORTED,
    Failure.REDIRECTS: CheckStatus.SERVER_ERROR,
    Failure.PROTOCOL: CheckStatus.SERVER_ERROR,
    Failure.ADDRESS: CheckStatus.REFUSED,
    Failure.ROBOTS: CheckStatus.REFUSED,
    Failure.LATER: CheckStatus.THROTTLED,
    Failure.OFFLINE: CheckStatus.OFFLINE,
}
_CONTENT = {
    Content.EQUAL: CheckStatus.EQUAL,
    Content.SIMILAR: CheckStatus.SIMILAR,
    Content.DIFFERENT: CheckStatus.DIFFERENT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What became of one link."""

    url: str
    status: CheckStatus
    http: int | None = None
    final_url: str = ""
    title: str = ""
    detail: str = ""
    turned: Turned | None = None  # what the page turned into behind a friendly 200
    new_url: str = ""  # where it moved to, as far as known
    size: int = 0  # bytes received
    verdict: Verdict | None = None  # against the saved version, where there is one; kept beside a move
    page: PageText | None = None  # the version seen now

    @property
    def standing(self) -> Standing:
        return self.status.standing

    def as_check(self, at: float) -> NewCheck:
        """The result as the store keeps it."""
        return NewCheck(
            at=at,
            status=self.status,
            url=self.final_url,
            http=self.http,
            size=self.size,
            probability=None if self.verdict is None else self.verdict.probability,
            turned=self.turned,
            new_url=self.new_url,
            message=self.detail[:1_000],
        )


def refuse_address(url: str) -> CheckResult | None:
    """The answer for an address that cannot be asked for at all; None: it can."""
    try:
        canonical(url)
    except (UsageError, ParseError) as error:
        scheme = url.partition(":")[0].strip().lower()
        is_other = scheme.isalpha() and scheme not in ("http", "https") and ":" in url
        status = CheckStatus.PROTOCOL_UNSUPPORTED if is_other else CheckStatus.SYNTAX_URL
        return CheckResult(url=url, status=status, detail=str(error))
    return None


def judge_without_page(url: str, outcome: NotModified | Rejected | Failed) -> CheckResult:
    """What an outcome that brought no page means.

    304 says "as you saw it last": equal, unless what was seen last is known to differ, which the caller knows.
    """
    size = outcome.trip.bytes
    match outcome:
        case NotModified():
            return CheckResult(url=url, status=CheckStatus.EQUAL, http=304, final_url=outcome.trip.final_url, size=size)
        case Rejected(status=code):
            return CheckResult(
                url=url, status=rejected_status(code), http=code, final_url=outcome.trip.final_url, size=size
            )
        case Failed(cause=cause, detail=detail):
            return CheckResult(url=url, status=_NET[cause], detail=detail, size=size)
        case _:
            assert_never(outcome)


def judge_page(
    url: str,
    outcome: Fetched,
    page: Profile,
    saved: Profile | None,
    *,
    model: VerdictModel,
    usage: Usage,
    probe: Profile | None = None,
) -> CheckResult:
    """What a page that arrived means; ``saved`` is the version it is compared with, None: there is none yet."""
    trip, kind = outcome.trip, page.page.kind
    known = CheckResult(
        url=url,
        status=CheckStatus.NEW,
        http=outcome.status,
        final_url=trip.final_url,
        title=page.page.title,
        size=trip.bytes or len(outcome.body),
        page=page.page,
    )
    if kind == "empty":
        return replace(known, status=CheckStatus.MISSING, turned=Turned.EMPTY, detail="the answer is empty")
    if kind == "binary":
        changed = saved is not None and saved.page.kind != "binary"
        return replace(known, status=CheckStatus.UNSUPPORTED) if changed else known
    if saved is None or saved.page.kind == "binary":
        result = _first_seen(known, inspect_page(page, probe=probe), page)
    else:
        result = _compared(known, judge_pages(saved, page, model=model, usage=usage, probe=probe))
    return _redirected(result, outcome)


def wants_probe(address: str, page: Profile) -> bool:
    """Whether the page looks so that the site's answer for a page that cannot exist would tell more."""
    signs = [signal.score for signal in page_signals(page) if signal.kind in (Turned.SOFT_404, Turned.EMPTY)]
    return max(signs, default=0.0) >= _SUSPICIOUS and urlsplit(address).path not in ("", "/")


def rejected_status(code: int) -> CheckStatus:
    """The check status of an HTTP error.  Spec url-checker §1.5."""
    if code in (404, 410):
        return CheckStatus.MISSING
    if code == 429:
        return CheckStatus.THROTTLED
    if code in (406, 415):
        return CheckStatus.UNSUPPORTED
    return CheckStatus.ACCESS_DENIED if 400 <= code < 500 and code != 408 else CheckStatus.SERVER_ERROR


def _first_seen(known: CheckResult, signal: Signal | None, page: Profile) -> CheckResult:
    move = moved_notice(page)
    if move is not None:
        return replace(known, status=CheckStatus.MOVED, new_url=move.url, detail=f"says so itself ({move.because})")
    if signal is None:
        return known
    return replace(known, status=CheckStatus.DIFFERENT, turned=signal.kind, detail="; ".join(signal.evidence))


def _compared(known: CheckResult, verdict: Verdict) -> CheckResult:
    result = replace(known, status=_CONTENT[verdict.content], verdict=verdict, detail="; ".join(verdict.reasons))
    if verdict.turned is not None:
        result = replace(result, turned=verdict.turned.kind)
    if verdict.moved is not None:
        detail = f"says so itself ({verdict.moved.because})"
        result = replace(result, status=CheckStatus.MOVED, new_url=verdict.moved.url, detail=detail)
    return result


def _redirected(result: CheckResult, outcome: Fetched) -> CheckResult:
    """A permanent redirect to living content means: change the address; the comparison stays beside it."""
    hops = outcome.trip.redirects
    permanent = bool(hops) and all(hop.is_permanent for hop in hops)
    if not permanent or result.standing is not Standing.OK:
        return result
    return replace(result, status=CheckStatus.MOVED, new_url=outcome.trip.final_url, detail="permanent redirect")
