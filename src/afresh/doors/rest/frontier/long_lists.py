"""Lists too long for one piece, written as they are leased: neither memory nor other fetchers have to bear them."""

from collections.abc import AsyncIterator

import msgspec

from afresh.doors.rest.encoding import encode
from afresh.doors.rest.frontier.answers import UrlFrontier, site_views
from afresh.frontier.scheduling import Handout


async def streamed_list(first: UrlFrontier, second: Handout, more: AsyncIterator[Handout]) -> AsyncIterator[bytes]:
    """The JSON of a ``UrlFrontier`` in pieces; its counts, known at the end, come last."""
    totals = {"url_frontiers_count": first.url_frontiers_count, "urls_count": first.urls_count}
    head = {name: value for name, value in msgspec.structs.asdict(first).items() if name not in totals}
    sites = encode(head.pop("url_frontiers"))
    yield encode(head)[:-1] + b',"url_frontiers":' + sites[:-1]
    part: Handout | None = second
    while part is not None:
        if part.sites:
            yield b"," + encode(site_views(part))[1:-1]
        totals["url_frontiers_count"] += len(part.sites)
        totals["urls_count"] += part.urls
        part = await anext(more, None)
    yield b"]," + encode(totals)[1:]
