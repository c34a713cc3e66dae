"""Where a request for a page was sent instead: to the front page, to a login, to where every lost request ends."""

import re
from urllib.parse import SplitResult, urlsplit

from afresh.base.models import Trip
from afresh.base.records.link_status import Turned
from afresh.links.verdicts.signals import Signal

#: Names of front pages, with any ending; and languages, below which front pages stand.
_FRONT = re.compile(
    r"(?:index|home|homepage|default|main|start|startseite|welcome|accueil|inicio|portal|[a-z]{2}(?:[-_][a-z]{2})?)(?:\.\w{1,5})?"
)
_LOGIN = re.compile(
    r"(?:^|[/_.-])(?:log-?in|sign-?in|logon|signon|wp-login|auth|authenticate|sso|session/new)(?:$|[/_.?-])"
)


def sent_away(asked: str, trip: Trip, *, lost: str = "") -> Signal | None:
    """What redirects say against a page; ``lost`` is where the site sends who asks for a page that cannot exist."""
    if not trip.redirects:
        return None
    wanted, found = urlsplit(asked), urlsplit(trip.final_url)
    if lost and lost == trip.final_url and _place(wanted) != _place(found):
        because = "sent where the site sends whoever asks for a page that cannot exist"
        return Signal(kind=Turned.SOFT_404, score=0.98, evidence=(because,))
    if _LOGIN.search(found.path.lower()) and not _LOGIN.search(wanted.path.lower()):
        return Signal(kind=Turned.LOGIN_WALL, score=0.9, evidence=("sent to a login",))
    if is_front(found) and not is_front(wanted) and _are_one_site(wanted, found):
        return Signal(kind=Turned.FRONT_PAGE, score=0.9, evidence=("sent to the front page",))
    return None


def is_detour(asked: str, final: str) -> bool:
    """Whether a request ended at another page of the same site."""
    wanted, found = urlsplit(asked), urlsplit(final)
    return asked != final and _place(wanted) != _place(found) and _are_one_site(wanted, found)


def is_front(url: SplitResult) -> bool:
    """Whether an address is that of a front page, in whatever language.

    >>> [is_front(urlsplit(f"http://a.example{path}")) for path in ("", "/en/", "/index.html", "/a.html", "/?p=7")]
    [True, True, True, False, False]
    """
    return not url.query and all(map(_FRONT.fullmatch, filter(None, url.path.lower().split("/"))))


def _place(url: SplitResult) -> tuple[str, str, str]:
    return _host(url), url.path.rstrip("/"), url.query


def _host(url: SplitResult) -> str:
    return (url.hostname or "").removeprefix("www.")


def _are_one_site(one: SplitResult, other: SplitResult) -> bool:
    """One host, or one below the other: a link shortener or a project's own domain is another site."""
    a, b = _host(one), _host(other)
    return a == b or a.endswith(f".{b}") or b.endswith(f".{a}")
