"""Why a link stands as it does, for people: in one sentence, or reason by reason."""

from afresh.base.records.links import Turned

_QUOTING = ("title: ", "heading: ", "text: ")  # how words of a page are told
_BUILT = "the way the page is built"


def reasons_of(turned: Turned | None, detail: str) -> tuple[str, ...]:
    """All that was found of a link, one by one.

    >>> reasons_of(Turned.PARKED, "looks like parked: no links; heading: for sale; structure")
    ('no links', 'heading: for sale', 'the way the page is built')
    """
    if turned is not None:
        detail = detail.removeprefix(f"looks like {in_a_word(turned)}: ")
    return tuple(_BUILT if reason == "structure" else reason for reason in detail.split("; ") if reason)


def in_brief(turned: Turned | None, detail: str) -> str:
    """The first reason alone, and the words of the page that go with it; ``reasons_of`` has all.

    >>> in_brief(Turned.PARKED, "looks like parked: no links; heading: for sale; text: buy it; structure")
    'no links; heading: for sale'
    """
    if turned is None:
        return detail
    reasons = reasons_of(turned, detail)
    quoted = [reason for reason in reasons if reason.startswith(_QUOTING)]
    return "; ".join(dict.fromkeys((*reasons[:1], *quoted[:1])))


def in_a_word(turned: Turned | None) -> str:
    """What a page turned into; empty: it did not.

    >>> in_a_word(Turned.SOFT_404), in_a_word(None)
    ('soft 404', '')
    """
    return str(turned or "").replace("_", " ")
