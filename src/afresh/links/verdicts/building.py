"""What is seen in how a page is built, in whatever language: a form and nothing else, the frame of a site, a shell."""

import re
from collections.abc import Callable, Mapping

from afresh.base.records.links import Turned
from afresh.links.measures.profile import Profile
from afresh.links.measures.url import host_of, is_front, name_words, spoken_of
from afresh.links.verdicts.phrases import PARKING_HOSTS
from afresh.links.verdicts.prominence import says
from afresh.links.verdicts.scripts import scripts_of
from afresh.links.verdicts.searched_text import PROSE, View

ALL = 1.0  # how sure a page that is a form and nothing else is
_LINKED = 4  # links of a page within a site, which a bare error has not got
_FORM, _BARE = 16, 40  # words of a page that is a form and nothing else; of one that is up for sale
_SORTING = re.compile(r"\?C=[NMSD](?:;|&|&amp;)O=[AD]")
_SHELL = 25  # words of main text
_SHORT, _LINES = 60, 12  # words of a short page; of the longest line of a form
#: Where today's libraries put what they make.
_MOUNT = re.compile(
    r"""<(?:div|main|section|body)[^<>]{0,200}\bid\s*=\s*["']?(?:root|app|__next|__nuxt|___gatsby|svelte|mount|react-\w+)["'\s>]"""
    r"""|<(?:app-root|ion-app|flt-glass-pane)\b|\bng-(?:app|version)\b|data-reactroot|<script[^<>]{0,200}\btype=["']?module"""
)


def is_shell(page: Profile) -> bool:
    """Whether scripts make the page: whatever is asked for, the same few words come, and they say nothing."""
    is_thin = len(page.page.main.split(" ", _SHELL)) <= _SHELL  # of a long page no more is read than it takes
    return is_thin and "<script" in page.page.raw and bool(_MOUNT.search(page.page.raw))


def is_framed(page: Profile) -> bool:
    """Whether it stands in the frame of a site, under a name of its own; a guard lets nothing of the site through."""
    return len(page.page.links) >= _LINKED and bool(page.page.headings) and bool(page.page.title)


def shows_code(page: Profile) -> bool:
    """Whether a page of a site has code on it: manuals and questions print errors."""
    return len(page.page.links) >= _LINKED and ("<pre" in page.page.raw or "<code" in page.page.raw)


def _shortness(_: Profile, view: View) -> float:
    return 0.2 if view.prose < _SHORT else 0.0


def _missing(page: Profile, view: View) -> float:
    """Few words, and none of those that the address is made of: what was asked for is not what came."""
    if view.prose >= _SHORT:
        return 0.0
    is_otherwise = is_misnamed(page.asked, page) and not scripts_of(page.page.text)  # whose words addresses have not
    return 0.45 if is_otherwise else 0.2


def is_misnamed(address: str, page: Profile) -> bool:
    """Whether a page says none of the words that an address is made of."""
    words = name_words(address)
    if len(words) < 2:
        return False
    told = f"{page.page.title} {page.page.text}".lower()
    return not any(word in told for word in words)


def _password(page: Profile, view: View) -> float:
    if not page.page.passwords:
        return 0.0
    if view.prose < _SHORT and _is_door(page, view):
        return ALL
    return 0.5 if view.prose < 120 else 0.2


def _is_door(page: Profile, view: View) -> bool:
    """Whether a form for a password is what a page is made of, and not called what was asked for."""
    if view.is_named or says(f"{view.title} {view.headings}", spoken_of(page.asked)):
        return False
    if view.prose < _FORM:
        return len(page.page.links) < _LINKED
    is_small = len(page.page.links) < 2 * _LINKED and not is_front(page.asked)
    return is_small and all(piece.count(" ") < _LINES for piece in page.page.pieces)


def _listing(page: Profile, view: View) -> float:
    """Links that sort by name, date and size."""
    if len(_SORTING.findall(" ".join(link.url for link in page.page.links[:20]))) >= 3:
        return 0.8
    return 0.3 if "parent directory" in view.text and "modified" in view.text else 0.0


def _for_sale(page: Profile, view: View) -> float:
    """Hardly any prose, and links that lead through a parking service, or the domain's own name as a headline."""
    if view.prose > PROSE:
        return 0.0
    farmed = len(PARKING_HOSTS.findall(" ".join(link.url for link in page.page.links[:50]).lower()))
    if farmed >= 2 or (farmed and view.prose < 80):
        return 0.7
    host = host_of(page.page.url).removeprefix("www.").partition(":")[0]
    if host and (host in view.title or host in view.headings):
        return 0.4
    return 0.2 if view.prose < _BARE and len(page.page.links) < _LINKED else 0.0


BUILT: Mapping[Turned, Callable[[Profile, View], float]] = {
    Turned.SOFT_404: _missing,
    Turned.PARKED: _for_sale,
    Turned.LOGIN_WALL: _password,
    Turned.LISTING: _listing,
    Turned.MAINTENANCE: _shortness,
    Turned.SUSPENDED: _shortness,
    Turned.CAPTCHA: _shortness,
    Turned.CONSENT_WALL: _shortness,
    Turned.ERROR: _shortness,
    Turned.PLACEHOLDER: _shortness,
}

#: What is seen in how a page is built however much prose it has; the others ask for little.
LONG_TOO = frozenset((Turned.LOGIN_WALL, Turned.LISTING))
