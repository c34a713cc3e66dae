"""Sinks of a daemon or of a frontier, from the settings."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from afresh.base.clock import SystemClock
from afresh.base.errors import UsageError
from afresh.base.passwords import hide_password
from afresh.doors.presenting.streams import ResultStream, daemon_streams
from afresh.engine.supervision import Supervision
from afresh.sinks import cursors
from afresh.sinks.forwarding import make_forwarders

if TYPE_CHECKING:
    from afresh.base.records.sinks import CursorStore
    from afresh.base.settings.sections import SinkSettings
    from afresh.engine.daemon import Daemon
    from afresh.frontier.scheduling import Frontier

_NO_SINK = "what fetchers report is kept nowhere: --sink ndjson:FOLDER writes it, `afresh fetch --warc` keeps the pages"
_LEFT = (
    "nothing is written to {0} from here, as an earlier start did: what is reported waits for it in the store; "
    "--sink {0} goes on, `afresh sink forget {0} --frontier` drops it"
)
_FAREWELL = 10.0  # seconds that sinks may take for what is there when a frontier ends


async def attach_to(daemon: Daemon) -> None:
    """Lets a daemon's loop carry entries and documents to the sinks of its settings."""
    daemon.use_sinks(await daemon.run(daemon_streams, daemon.store))


def where_results_go(store: CursorStore, settings: SinkSettings) -> list[str]:
    """What an operator should know at the start of a frontier, after sinks have begun; a call of the store."""
    names = [hide_password(address) for address in settings.to]
    left = [name for name in cursors.names(store) if name not in names]
    written = [f"what fetchers report is written to {', '.join(names)}"] if names else []
    return [*written, *map(_LEFT.format, left)] or [_NO_SINK]


def _refuse_archives(settings: SinkSettings) -> None:
    """A frontier never sees what was fetched; its fetchers do."""
    for address in settings.to:
        if address.startswith("warc:"):
            folder = address.removeprefix("warc:").partition("?")[0]
            words = f"{address} is for what was fetched, which a frontier does not see"
            raise UsageError(f"{words}: afresh fetch --warc {folder or 'FOLDER'}")


@asynccontextmanager
async def carrying_results(frontier: Frontier, settings: SinkSettings) -> AsyncIterator[None]:
    """Carries what fetchers report to the sinks of the settings, while the block runs and once more at its end."""
    if not settings.to:
        yield
        return
    clock = SystemClock()
    stream = await frontier.run(ResultStream, frontier.store)
    _refuse_archives(settings)
    forwarders = make_forwarders(
        settings,
        [stream],
        frontier.store,
        clock=clock,
        executor=frontier.executor,
        troubles=frontier.troubles,
        leads=lambda: frontier.run_beside(frontier.store.lead),
    )
    for forwarder in forwarders:
        await frontier.run(forwarder.begin)
    async with Supervision(clock, frontier.troubles) as beside:
        for forwarder in forwarders:
            beside.start(forwarder.trouble, forwarder.run)
        try:
            yield
        finally:
            for forwarder in forwarders:
                forwarder.stop()
            await asyncio.gather(*(beside.finish(one.trouble, within=_FAREWELL) for one in forwarders))
