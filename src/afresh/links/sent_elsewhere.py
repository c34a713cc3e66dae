"""Where a request for a page was sent instead: to the front page, to a login, to where every lost request ends.

Asked where there was a redirect.
"""

import re
from urllib.parse import SplitResult, urlsplit

from afresh.base.models import Trip
from afresh.base.records.links import Turned
from afresh.links.measures.url import is_front
from afresh.links.verdicts.signals import Signal

SENT_WITH_LOST = "sent where the site sends whoever asks for a page that cannot exist"
_LOGIN = re.compile(
    r"(?:^|[/_.-])(?:log-?in|sign-?in|logon|signon|wp-login|auth|authenticate|sso|session/new)(?:$|[/_.?-])"
)
_LOGIN_NAME = re.compile(
    r"(?:\w*[-_])?(?:log|sign)[-_]?(?:in|on|up)(?:\.\w+)?|auth(?:enticate)?|sso|(?:my[-_]?)?account|join|subscribe|register"
    r"|registration|anmelden|registrieren|connexion|inscription|registro|registrati|accedi"
)


def sent_away(trip: Trip, *, lost: str = "") -> Signal | None:
    """What redirects say against a page; ``lost`` is where the site sends who asks for a page that cannot exist."""
    wanted, found = urlsplit(trip.url), urlsplit(trip.final_url)
    if lost and lost == trip.final_url and _place(wanted) != _place(found):
        return Signal(kind=Turned.SOFT_404, score=0.98, evidence=(SENT_WITH_LOST,))
    if _LOGIN.search(found.path.lower()) and not _LOGIN.search(wanted.path.lower()):
        return Signal(kind=Turned.LOGIN_WALL, score=0.9, evidence=("sent to a login",))
    if is_front(trip.final_url) and not is_front(trip.url) and _are_one_site(wanted, found):
        return Signal(kind=Turned.FRONT_PAGE, score=0.9, evidence=("sent to the front page",))
    return None


def sent_elsewhere(trip: Trip) -> str:
    """That redirects ended at another site, in words; empty: they did not."""
    if _are_one_site(urlsplit(trip.url), found := urlsplit(trip.final_url)):
        return ""
    return f"sent on to {found.netloc.rpartition('@')[2]} (HTTP {trip.redirects[0].status})"


def is_asked_for(asked: str, kind: Turned) -> bool:
    """Whether the address itself is that of a login, or of a folder, which whoever links to it means."""
    path = urlsplit(asked).path.lower()
    if kind is Turned.LISTING:
        return path.endswith("/")
    return kind is Turned.LOGIN_WALL and _LOGIN_NAME.fullmatch(path.rstrip("/").rpartition("/")[2]) is not None


def is_detour(trip: Trip) -> bool:
    """Whether a request ended at another page of the same site."""
    wanted, found = urlsplit(trip.url), urlsplit(trip.final_url)
    return _place(wanted) != _place(found) and _are_one_site(wanted, found)


def _place(url: SplitResult) -> tuple[str, str, str]:
    return _host(url), url.path.rstrip("/"), url.query


def _host(url: SplitResult) -> str:
    return (url.hostname or "").removeprefix("www.")


def _are_one_site(one: SplitResult, other: SplitResult) -> bool:
    """One host, or one below the other: a link shortener or a project's own domain is another site."""
    a, b = _host(one), _host(other)
    return a == b or a.endswith(f".{b}") or b.endswith(f".{a}")
