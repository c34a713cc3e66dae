"""The server's own accounts of a soak: what it handed out and was acknowledged must be in the store, once.

Whether an answer arrived the server cannot know, but it knows when it was acknowledged: a daemon asks a site again only
after it has recorded what the site answered before. So the next request of *the same life* of the daemon at that site
is the receipt; in the last life the end in good order is. What a killed daemon had in hand is nobody's fault, and comes
again with the next document unless the feed's window has moved on.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from afresh.lab.web import DemoWeb
from afresh.lab.web.ledger import Seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Handed out and acknowledged, against what is in the store."""

    acknowledged: int  # entries
    lost: int  # acknowledged entries that are not in the store
    doubled: int  # entries that are there more than once
    entries: int  # in the store


def settle(web: DemoWeb, stored: Iterable[tuple[int, str]], births: Sequence[float]) -> Kept:
    """After the last daemon ended in good order.

    ``stored`` are resource and link of everything in the store, ``births`` the times at which daemons were started.
    """
    found = Counter(stored)
    acknowledged = {link for seen in _acknowledged(web, births) for link in web.handed_out(seen)}
    return Kept(
        acknowledged=len(acknowledged),
        lost=len(acknowledged - {link for _, link in found}),
        doubled=sum(found.values()) - len(found),
        entries=len(found),
    )


def _acknowledged(web: DemoWeb, births: Sequence[float]) -> Iterator[Seen]:
    """Answers that were followed by another request of the same life at the same site, or by a good end."""
    waiting: dict[str, tuple[int, list[Seen]]] = {}
    for seen in web.ledger.log:
        if seen.is_exempt:
            continue
        life = bisect_right(births, seen.started)
        known, answers = waiting.get(seen.site, (0, []))
        if seen.is_hop and life == known:  # of the same visit
            answers.append(seen)
            continue
        if life == known:
            yield from answers
        waiting[seen.site] = (life, [seen])
    for life, answers in waiting.values():
        if life == len(births):
            yield from answers
