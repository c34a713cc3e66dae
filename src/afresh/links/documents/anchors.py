"""Whether a page or a file has the part that a link names."""

import re
from urllib.parse import unquote

from afresh.base.models import Fetched

#: Lines of a file as code hosts show it, a text to be marked, places that a script makes, what programs are told
#: (``#gid=0``, ``#utm_source=letter``): no document names these.
_NO_ANCHOR = re.compile(r"L\d+(?:C\d+)?(?:-L?\d+(?:C\d+)?)?|top|[!/].*|.*:~:.*|[^=]*=.*", re.DOTALL)


def has_anchor(anchors: frozenset[str] | None, fragment: str) -> bool:
    """Whether a page with these anchors has what the fragment names; None: nobody can tell, so nobody complains.

    >>> has_anchor(frozenset({"a-b"}), "a-b"), has_anchor(frozenset({"a"}), "b"), has_anchor(None, "b")
    (True, False, True)
    """
    if anchors is None or not fragment or fragment in anchors:
        return True
    name = unquote(fragment)
    # GitHub puts a prefix before names that come from people, and its script leaves it out again.
    return not anchors.isdisjoint((name, name.lower(), f"user-content-{name.lower()}")) or bool(
        _NO_ANCHOR.fullmatch(name)
    )


def no_anchor(fragment: str) -> str:
    return f"no part of it is called #{fragment[:200]}"


def anchors_of(outcome: Fetched) -> frozenset[str] | None:
    """What may be named in a page that was fetched; None: it is no HTML, or a script makes what it shows."""
    said = outcome.trip.headers.get("content-type", "")
    if "html" not in said:
        return None
    from afresh.parse.document_links.html import read_html  # noqa: PLC0415
    from afresh.parse.encoding import decode  # noqa: PLC0415 (few links name a part of a page)

    text = decode(outcome.body, said, html=True)
    return read_html(text).anchors or (None if "<script" in text.lower() else frozenset())
