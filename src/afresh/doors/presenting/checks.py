"""Checks of links."""

from dataclasses import dataclass
from typing import Annotated, Any

from afresh.base.records.links import Check, CheckStatus, Standing, Turned
from afresh.doors.presenting.fields import About, Time
from afresh.doors.presenting.times import finite, iso
from afresh.links.reasons import in_brief, reasons_of

Probability = Annotated[float | None, About("That it is the same page; null: not compared.")]
TurnedInto = Annotated[Turned | None, About("What it turned into behind a friendly 200; null: nothing.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckView:
    """One check of a link."""

    id: Annotated[int | None, About("Its number; null: not recorded.")]
    at: Time | None
    url: Annotated[str, About("The link's address.")]
    title: Annotated[str, About("The name its owner gave it, else the page's own.")]
    standing: Annotated[Standing, About("What this check says by itself; a watched link is given some days' grace.")]
    status: CheckStatus
    code: Annotated[int, About("The same as a number.", 1010)]
    http: Annotated[int | None, About("HTTP status; null: no answer.")]
    final_url: Annotated[str | None, About("Where the answer came from, after redirects; null: none came.")]
    new_url: Annotated[str | None, About("Where it moved to; null: nowhere.")]
    turned: TurnedInto
    size: Annotated[int, About("Bytes received.")]
    version: Annotated[int | None, About("What it brought, if still stored.")]
    against: Annotated[int | None, About("The reference of that day, if still stored.")]
    probability: Probability
    detail: Annotated[str, About("What was found, in one sentence.")]
    reasons: Annotated[tuple[str, ...], About("All that was found, the weightiest first.")]
    message: Annotated[str, About("Deprecated: another name of `detail`.")]
    overruled: Annotated[CheckStatus | None, About("What a person said instead.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckPage:
    """Checks of a link, newest first."""

    items: tuple[CheckView, ...]
    next: Annotated[int | None, About("Pass as `before` for the next page; null: this was the last.")]


def view_check(check: Check) -> CheckView:
    return CheckView(**check_fields(check))


def check_fields(check: Check) -> dict[str, Any]:
    """The fields of its view, in the order of the view; written out, for a report has thousands of them."""
    status, detail = check.status, in_brief(check.turned, check.detail)
    return {
        "id": check.id,
        "at": iso(check.at),
        "url": check.url,
        "title": check.title,
        "standing": check.standing,
        "status": status,
        "code": status.code,
        "http": check.http,
        "final_url": check.final_url or None,
        "new_url": check.new_url or None,
        "turned": check.turned,
        "size": check.size,
        "version": check.version,
        "against": check.against,
        "probability": finite(check.probability),
        "detail": detail,
        "reasons": reasons_of(check.turned, check.detail),
        "message": detail,
        "overruled": check.overruled,
    }


_WORDS = {
    CheckStatus.NEW: "the first version: nothing to compare it with yet",
    CheckStatus.EQUAL: "the same page, with next to nothing changed",
    CheckStatus.SIMILAR: "the same page, changed a little",
    CheckStatus.MOVED: "the page is elsewhere now",
    CheckStatus.DIFFERENT: "another page",
    CheckStatus.MISSING: "gone: the server knows no such page",
    CheckStatus.FRAGMENT_MISSING: "the page is there, the part that the link names is not",
    CheckStatus.UNSUPPORTED: "no page any more, but something that cannot be compared",
    CheckStatus.ACCESS_DENIED: "access is denied",
    CheckStatus.SERVER_ERROR: "the server fails",
    CheckStatus.THROTTLED: "the server asks to come back later",
    CheckStatus.NET_NOT_FOUND: "the name of its host is not known",
    CheckStatus.NET_UNREACHABLE: "no connection to its server",
    CheckStatus.NET_TIMEOUT: "no answer in time",
    CheckStatus.OFFLINE: "our own network was down",
    CheckStatus.REFUSED: "not asked: robots.txt or our own rules forbid it",
    CheckStatus.PROTOCOL_UNSUPPORTED: "not asked: its protocol is not spoken",
    CheckStatus.SYNTAX_URL: "the address is none",
}


def status_words(status: str) -> str:
    """What a check came to, in words a person would use.

    >>> status_words("net_timeout")
    'no answer in time'
    """
    return _WORDS[CheckStatus(status)]


def alike_words(probability: float | None, status: str | None) -> str:
    """How sure the comparison is, for people; nothing where something else than likeness decided: a reason tells that.

    >>> alike_words(0.9998, "content_equal"), alike_words(0.04, "content_different"), alike_words(1.0, "different")
    ('the same page, more than 99 % sure', 'another page, 96 % sure', '')
    """
    if probability is None:
        return ""
    is_different = (status or "").endswith("different")
    if is_different and probability >= 0.5:
        return ""
    sure = round(100 * (1.0 - probability if is_different else probability))
    return f"{'another' if is_different else 'the same'} page, {'more than 99' if sure > 99 else sure} % sure"
