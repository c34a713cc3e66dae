"""The real daemon watches links of a web that turns."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from afresh.base.models import Kind
from afresh.base.records.links import Standing
from afresh.base.settings import load_settings
from afresh.engine.add import Wanted
from afresh.engine.daemon import Daemon, running_daemon
from afresh.lab.web.links import BOOKMARKS, LinkWeb

STANDINGS = {"well": "ok", "edited": "ok", "moved": "moved", "gone": "suspect", "maintenance": "suspect"}


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.05)


async def watch(folder: Path) -> tuple[dict[str, str], list[float]]:
    """Standing by fate after the turn, and the time to the next check of each link before it."""
    settings = {
        "store.url": str(folder / "links.db"),
        "fetch.allowed_networks": "127.0.0.0/8;::1/128",
        "politeness.delay": "0.05s",
    }
    async with LinkWeb() as town, running_daemon(load_settings(overrides=settings)) as daemon:
        await daemon.add_wanted([Wanted(url=url, kind=Kind.LINK) for url in town.urls])
        running = asyncio.create_task(daemon.loop.run())
        await until(lambda: daemon.store.links.link_standings() == {Standing.OK: len(BOOKMARKS)})
        waits = [link.due - daemon.now() for link in daemon.store.links.list_links()]
        town.turn()
        for link in daemon.store.links.list_links():
            await daemon.visit_now(link.id)
        await until(lambda: all(len(daemon.store.links.link_checks(n)) == 2 for n in range(1, len(BOOKMARKS) + 1)))
        daemon.loop.stop()
        await running
        return standings(daemon, town), waits


def standings(daemon: Daemon, town: LinkWeb) -> dict[str, str]:
    fates = {town.url(saved): saved.fate for saved in BOOKMARKS}
    return {fates[link.url]: str(link.state.standing) for link in daemon.store.links.list_links()}


def test_the_daemon_sees_through_a_friendly_200(tmp_path: Path) -> None:
    told, waits = asyncio.run(watch(tmp_path))
    assert told == {saved.fate: STANDINGS.get(saved.fate, "broken") for saved in BOOKMARKS}
    assert all(6 * 3600.0 - 60 <= wait <= 30 * 86_400.0 for wait in waits)
