"""Examples somebody names: two pages, each an address asked now or a version that is stored.  [M03] §4.6.2.2."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from afresh.base.errors import UsageError
from afresh.base.models import Fetched, describe
from afresh.base.records.labels import Label, LabelOrigin, NewLabel, Rating
from afresh.base.records.links import NewVersion, Origin
from afresh.links.versions import UNREADABLE, version_of
from afresh.parse.url import canonical

if TYPE_CHECKING:
    from afresh.base.protocols import Store
    from afresh.links.checker import Checker

#: one page of an example: stored already, or to be stored
Side = int | NewVersion
#: the same as somebody names it: also by its address
Wanted = str | Side

_AT_ONCE = 4  # pages in memory at a time, however many ask
_DIGITS = 18  # of a number that a store can hold


class ExamplePages:
    """Pages to learn from, asked for by the checker of links; nothing is stored before both pages are there."""

    def __init__(self, checker: Checker) -> None:
        self._checker = checker
        self._room = asyncio.Semaphore(_AT_ONCE)

    async def fetch(self, url: str, *, render: bool = False) -> NewVersion:
        """The page as it is now; UsageError where none came, or one without anything to compare."""
        address = canonical(url)
        async with self._room:
            outcome, page = await self._checker.page(address, render=render)
        if not isinstance(outcome, Fetched) or page is None:
            raise UsageError(f"{address} brought no page: {describe(outcome)}; name another, or try again later")
        if page.page.kind in UNREADABLE:
            raise UsageError(f"{address} has no text that could be compared ({page.page.kind}); name another")
        return replace(version_of(outcome, page), origin=Origin.EXAMPLE)


async def read_sides(
    named: tuple[Wanted, Wanted],
    *,
    known: Callable[[int], Awaitable[object]],
    fetch: Callable[[str], Awaitable[NewVersion]],
) -> tuple[Side, Side]:
    """Both pages of an example. Nobody is asked before it is clear that both are addresses or stored versions."""
    wanted = [_read_side(side) for side in named]
    for side in wanted:
        if isinstance(side, int):
            await known(side)
    old, new = [await fetch(side) if isinstance(side, str) else side for side in wanted]
    return old, new


def keep_example(
    store: Store,
    sides: tuple[Side, Side],
    verdict: Rating,
    *,
    now: float,
    rater: str = "",
    session: str = "",
    note: str = "",
) -> Label:
    """Stores the pages that are not stored yet and what is said of the two."""
    for side in sides:
        if isinstance(side, int):
            store.links.version(side)  # before anything is stored
    old, new = (side if isinstance(side, int) else store.links.add_version(None, side) for side in sides)
    rating = NewLabel(
        old=old, new=new, verdict=verdict, origin=LabelOrigin.MANUAL, rater=rater, session=session, note=note
    )
    return store.learning.add_label(rating, now=now)


def _read_side(side: Wanted) -> Wanted:
    """The number of a version, or an address in its canonical form."""
    if not isinstance(side, str):
        return side
    text = side.strip()
    if text.isascii() and text.isdecimal():  # never an address: browsers would read 2130706433 as one
        if len(text) > _DIGITS:
            raise UsageError(f"there is no version {text[:_DIGITS]}…; `afresh link history` lists those of a link")
        return int(text)
    return canonical(text)
