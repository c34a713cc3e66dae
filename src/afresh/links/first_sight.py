"""What was seen when a link was checked, in words: the answer, the page, the signs on it, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from afresh.base.models import Fetched, NotModified, Outcome, Rejected
from afresh.base.plain_numbers import counted
from afresh.base.records.links import CheckStatus, Standing, Turned
from afresh.links.sent_elsewhere import is_asked_for
from afresh.links.verdicts.searched_text import view_of
from afresh.links.verdicts.signals import CERTAIN, Signal, page_signals
from afresh.links.verdicts.without_model import without

if TYPE_CHECKING:
    from afresh.links.answers import Checked
    from afresh.links.judge import Seen

_SIGNS = 3  # that are told
_FAINT = 0.2  # score below which a sign is not worth a word
_CALLED = {
    Turned.SOFT_404: "a page that says it is not there",
    Turned.PARKED: "a parked domain",
    Turned.LOGIN_WALL: "a login before the page",
    Turned.CONSENT_WALL: "a question for consent before the page",
    Turned.CAPTCHA: "a test for robots before the page",
    Turned.MAINTENANCE: "a site that is down for maintenance",
    Turned.SUSPENDED: "a site that was shut by its host",
    Turned.LISTING: "a list of files",
    Turned.ERROR: "an error of the server's program",
    Turned.PLACEHOLDER: "a site that is not made yet",
    Turned.SPAM: "spam",
    Turned.TAKEN_OVER: "a site that somebody else has taken over",
    Turned.FRONT_PAGE: "the front page of the site",
    Turned.STAND_IN: "a few words in place of the page",
    Turned.EMPTY: "an empty page",
}
_NO_ANSWER = frozenset(
    (CheckStatus.NET_NOT_FOUND, CheckStatus.NET_UNREACHABLE, CheckStatus.NET_TIMEOUT, CheckStatus.SERVER_ERROR)
)


def in_words(outcome: Outcome, seen: Seen | None, checked: Checked) -> tuple[str, ...]:
    """A line for each thing that was seen, and one for what it comes to."""
    return (*_answer(outcome), *(() if seen is None else _page(seen, outcome)), _verdict(checked, seen))


def _answer(outcome: Outcome) -> Iterator[str]:
    for hop in outcome.trip.redirects:
        yield f"redirect: HTTP {hop.status} to {hop.url} ({'for good' if hop.is_permanent else 'for now'})"
    if isinstance(outcome, Fetched | Rejected):
        said = outcome.trip.headers.get("content-type", "").partition(";")[0]
        yield f"answer: HTTP {outcome.status}{f', {said}' if said else ''}, {counted(outcome.trip.bytes, 'byte')}"
    elif isinstance(outcome, NotModified):
        yield "answer: HTTP 304, as it was seen last"
    else:
        yield f"no answer: {outcome}"


def _page(seen: Seen, outcome: Outcome) -> Iterator[str]:
    page = seen.page.page
    name = f'title "{page.title}"' if page.title else "no title"
    links = counted(len(page.links), "link")
    yield f"page: {name}, {counted(view_of(seen.page).prose, 'word')} of its own text, {links}"
    for sign in page_signals(seen.page)[:_SIGNS]:
        if sign.score >= _FAINT:
            sure = f"{sign.score:.0%} sure ({_enough(sign, seen)})"
            yield f"sign of {_CALLED[sign.kind]}: {sure}; {'; '.join(sign.evidence)}"
    if seen.is_honest:
        yield "asked besides: for a page that cannot exist the site says that it is not there"
    elif seen.probe_url and seen.probe_url != outcome.trip.final_url:
        yield f"asked besides: for a page that cannot exist the site sends to {seen.probe_url}"
    elif seen.probe is not None:
        yield f'asked besides: for a page that cannot exist the site shows "{seen.probe.page.title}"'
    if seen.home is not None:
        yield f'asked besides: the front page is called "{seen.home.page.title}"'


def _enough(sign: Signal, seen: Seen) -> str:
    """Whether a sign is enough to decide, by itself or where the front page does not say the rest."""
    if sign.score >= CERTAIN:
        return "enough by itself"
    own = () if seen.home is None else page_signals(without(seen.page, seen.home))
    alone = next((other.score for other in own if other.kind is sign.kind), 0.0)
    if alone >= CERTAIN and sign.kind is not Turned.CONSENT_WALL:
        return f"{alone:.0%} in what does not stand on the front page, too, which is enough"
    return f"too little by itself, {CERTAIN:.0%} is enough"


def _verdict(checked: Checked, seen: Seen | None) -> str:
    check = checked.check
    so = f"so it is {check.standing}"
    if check.turned is not None:
        by = "" if checked.verdict is None else "compared with the version that was saved; "
        return f"{so}: this is {_CALLED[check.turned]}, not the page; {by}{check.detail}"
    if check.status in _NO_ANSWER or check.standing is Standing.UNKNOWN:
        why = "which says nothing about the page" if check.standing is Standing.UNKNOWN else "which is no page"
        return f"{so}: {check.detail or check.status}, {why}"
    if check.standing is not Standing.OK:
        new = f": now at {check.new_url}" if check.new_url else ""
        return f"{so}{new}; {check.detail}" if check.detail else f"{so}{new}"
    if checked.verdict is not None:
        return f"{so}: compared with the version that was saved; {check.detail}"
    if seen is None:
        return f"{so}: {check.detail or 'it answered'}"
    return f"{so}: it answered, and {_why_not(check.url, seen)}; no saved version to compare with (--save keeps one)"


def _why_not(asked: str, seen: Seen) -> str:
    """Why a page is taken for one: there is no sure sign of anything else, or why such a sign does not count."""
    sure = [sign for sign in page_signals(seen.page) if sign.score >= CERTAIN]
    if not sure:
        return "nothing says that it is no page"
    called = _CALLED[sure[0].kind]
    if is_asked_for(asked, sure[0].kind):
        return f"its address asks for {called}"
    if seen.home is not None and all(sign.score < CERTAIN for sign in page_signals(without(seen.page, seen.home))):
        return f"what looks like {called} stands on the front page, too"
    return f"what looks like {called} is rather what it is about: a page that cannot exist is answered otherwise"
