"""One checker, one shape: a page gets the same verdict and the same JSON by whichever door one looks."""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from afresh.base.models import Kind
from afresh.base.settings import load_settings
from afresh.doors.cli.main import run
from afresh.doors.rest import create_app
from afresh.engine.add import Wanted
from afresh.engine.daemon import Daemon, running_daemon
from afresh.store import open_store
from tests.fakes.asgi_client import AsgiClient
from tests.fakes.every_status import FIRST, SECOND, EveryStatus, answering
from tests.fakes.service_context import FakeContext

SETTINGS = {"fetch.allowed_networks": "127.0.0.0/8;::1/128", "politeness.delay": "0s", "fetch.read_timeout": "500ms"}
#: what is told by the store or by the clock, and where the link stands in its file
OWN = ("id", "at", "version", "against", "line")
Row = dict[str, Any]


class Place:
    """A web with every status, and afresh with a command line."""

    def __init__(self, web: EveryStatus, address: str, capsys: pytest.CaptureFixture[str]) -> None:
        self.web, self.address, self._capsys = web, address, capsys

    def urls(self, paths: Mapping[str, object]) -> list[str]:
        """Each on a site of its own: trouble with one must not keep the daemon from the next."""
        return [f"http://{path.strip('/').replace('/', '-')}.{self.address}{path}" for path in paths]

    def afresh(self, *arguments: str) -> Any:
        settings = [part for name, value in SETTINGS.items() for part in ("--set", f"{name}={value}")]
        assert run([*settings, *arguments, "--json"]) in (0, 1)
        return json.loads(self._capsys.readouterr().out)


@pytest.fixture
def place(capsys: pytest.CaptureFixture[str]) -> Iterator[Place]:
    web = EveryStatus()
    with answering(web.answer) as address:
        yield Place(web, address.removeprefix("http://"), capsys)


def plain(rows: list[Row]) -> list[Row]:
    """Without what differs from one check to the next."""
    return [{name: value for name, value in row.items() if name not in OWN} for row in rows]


async def watched(place: Place, store: Path) -> None:
    """The daemon checks every link, then those that were well once more in the changed web."""
    settings = load_settings(overrides={**SETTINGS, "store.url": str(store)})
    async with running_daemon(settings) as daemon:
        await daemon.add_wanted([Wanted(url=url, kind=Kind.LINK) for url in place.urls(FIRST)])
        running = asyncio.create_task(daemon.loop.run())
        numbers = {link.url: link.id for link in daemon.store.links.list_links(limit=1_000)}
        await checked(daemon, lambda: all(daemon.store.links.link_checks(number) for number in numbers.values()))
        place.web.has_changed = True
        again = [numbers[url] for url in place.urls(SECOND)]
        for number in again:
            await daemon.visit_now(number)
        await checked(daemon, lambda: all(len(daemon.store.links.link_checks(number)) > 1 for number in again))
        daemon.loop.stop()
        await running


async def checked(daemon: Daemon, holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not await daemon.run(holds):
            await asyncio.sleep(0.05)


def shown(client: AsgiClient, path: str) -> list[Row]:
    rows: list[Row] = client.get(path).json()["items" if path.startswith("/api") else "checks"]
    return rows


def test_every_door_tells_the_same_of_a_check(place: Place, tmp_path: Path) -> None:
    by_hand, by_daemon = tmp_path / "by-hand.db", tmp_path / "by-daemon.db"
    unsaved = place.afresh("check", *place.urls(FIRST))
    assert [(row["standing"], row["status"], row["turned"]) for row in unsaved] == list(FIRST.values())
    saved = place.afresh("--store", str(by_hand), "check", "--save", *place.urls(FIRST))
    place.web.has_changed = True
    changed = place.afresh("--store", str(by_hand), "check", "--save", *place.urls(SECOND))
    assert [(row["standing"], row["status"], row["turned"]) for row in changed] == list(SECOND.values())
    place.web.has_changed = False
    asyncio.run(watched(place, by_daemon))
    assert plain(saved) == plain(unsaved)

    stores = [open_store(str(by_hand)), open_store(str(by_daemon))]
    kept, watching = (AsgiClient(create_app(FakeContext(store))) for store in stores)
    newest = {row["url"]: row for row in saved} | {row["url"]: row for row in changed}
    for link in stores[0].links.list_links(limit=1_000):
        expected = newest[link.url]
        where = [expected.pop(name) for name in ("file", "line", "column", "text", "folder", "tags", "archived")]
        assert not any(where)  # it stands in no file
        rows = shown(kept, f"/api/v1/links/{link.id}/checks")
        assert rows[0] == expected  # to the last field: it is the same check
        assert shown(kept, f"/links/{link.id}.json") == rows
        assert place.afresh("--store", str(by_hand), "link", "history", link.url)["checks"] == rows
        [other] = [found for found in stores[1].links.list_links(limit=1_000) if found.url == link.url]
        assert plain(shown(watching, f"/api/v1/links/{other.id}/checks"))[:1] == plain([expected])
        told = kept.get(f"/api/v1/links/{link.id}").json()
        assert kept.get(f"/links/{link.id}.json").json()["link"] == told
        assert place.afresh("--store", str(by_hand), "link", "show", link.url) == told
        assert other.title == link.title
    for store in stores:
        store.close()
    assert len(place.web.accepted) == 1  # whoever asks, a link is asked for in one way
