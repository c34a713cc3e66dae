"""The links of ``afresh demo``: bookmarks of a small town, which turn one after the other while the daemon watches."""

import asyncio

from afresh.base.models import Kind
from afresh.engine.add import Wanted
from afresh.lab.web.links import BOOKMARKS, LinkWeb

_FIRST = 10.0  # seconds until the first link turns: by then all are saved
_NEXT = 6.0  # until the next does
_OUTDOORS = ("harbour", "railway", "weather", "walks", "garden")


def bookmarks(town: LinkWeb) -> list[Wanted]:
    """Its links, in folders."""
    return [
        Wanted(
            url=town.url(saved),
            title=saved.title,
            folder=f"Bookmarks/{'Outdoors' if saved.site in _OUTDOORS else 'Town'}",
            kind=Kind.LINK,
        )
        for saved in BOOKMARKS
    ]


async def let_years_pass(town: LinkWeb) -> None:
    """One site after the other becomes what it becomes."""
    await asyncio.sleep(_FIRST)
    for saved in BOOKMARKS:
        town.turn(saved.site)
        if saved.fate != "well":
            await asyncio.sleep(_NEXT)
