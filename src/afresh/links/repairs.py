"""Whether the address where a link's page is now may take the place of the old one, with no person looking at it."""

from __future__ import annotations

from afresh.base.errors import UsageError
from afresh.base.records.links import Check, CheckStatus, LinkState
from afresh.links.answers import FOUND_THERE, PERMANENT, SAYS_SO
from afresh.links.measures.url import is_front
from afresh.parse.url import page_of

TO_FRONT_PAGE = "it leads to a front page now"
ONLY_SAID = "only the page itself says that it moved there, and no saved version shows that it is the same page"


def seen_there(url: str, state: LinkState) -> CheckStatus | None:
    """What the last check of a link says of its page at a new address: it was read there; None: nobody looked there.

    >>> moved = LinkState(status=CheckStatus.MOVED, new_url="https://a.example/b", detail=PERMANENT, probability=0.9)
    >>> seen_there("https://a.example/b", moved), seen_there("https://a.example/c", moved)
    (<CheckStatus.SIMILAR: 'content_similar'>, None)
    """
    if not state.new_url or page_of(url) != page_of(state.new_url):
        return None
    if state.status is not CheckStatus.MOVED:  # it was looked for, and compared with the saved version (`find_moved`)
        return CheckStatus.SIMILAR
    if state.detail.endswith(FOUND_THERE):
        return CheckStatus.SIMILAR
    if not state.detail.startswith(PERMANENT):
        return None
    return CheckStatus.NEW if state.probability is None else CheckStatus.SIMILAR


def repaired_address(url: str, state: LinkState) -> str:
    """Where the page of a link is now, as its last check says; UsageError where that is not known, or no repair."""
    if not state.new_url:
        raise UsageError("no new address is known")
    if why := why_no_repair(url, state):
        raise UsageError(f"{state.new_url} was not taken: {why}; who knows better gives it that address")
    return state.new_url


def why_no_repair(url: str, found: Check | LinkState) -> str:
    """Why the new address of a link is left alone; empty: it is a repair, or there is none.

    The old address says more than that of a front page, of its own site or of a stranger's. A page that says that it
    has moved is believed where the saved version was found there.

    >>> why_no_repair("https://a.example/a", LinkState(new_url="https://b.example/"))
    'it leads to a front page now'
    """
    if not found.new_url:
        return ""
    if is_front(found.new_url) and not is_front(url):
        return TO_FRONT_PAGE
    return ONLY_SAID if found.detail.startswith(SAYS_SO) and not found.detail.endswith(FOUND_THERE) else ""
