"""What the address guard refused is asked again as soon as its settings let it through."""

import asyncio
from pathlib import Path

import pytest

from afresh.base.models import Resource
from afresh.base.settings import Loaded, load_settings
from afresh.doors.cli.main import run
from afresh.engine.add import Wanted
from afresh.engine.daemon import running_daemon
from afresh.store import opened_store

URL = "http://feeds.localhost:1026/feed"  # nobody listens there


def settings(folder: Path, *allowed: str) -> Loaded:
    overrides: dict[str, object] = {"store.url": str(folder / "afresh.db"), "predict.rule": "mavsync"}
    return load_settings(overrides=overrides | {"fetch.allowed_networks": allowed})


def visited(loaded: Loaded, visits: int) -> Resource:
    """The feed after a daemon has made so many visits of it in all."""

    async def scenario() -> Resource:
        async with running_daemon(loaded, seed=1) as daemon:
            await daemon.add_wanted([Wanted(url=URL)])
            running = asyncio.create_task(daemon.loop.run())
            async with asyncio.timeout(30):
                while (known := await daemon.run(daemon.store.get, URL)).counters.failed < visits:
                    await asyncio.sleep(0.01)
            daemon.loop.stop()
            await running
            return known

    return asyncio.run(scenario())


@pytest.fixture
def refused(tmp_path: Path) -> Resource:
    known = visited(settings(tmp_path), 1)
    assert known.error.startswith("address: ")
    return known


def test_a_daemon_that_lets_it_through_asks_at_once(tmp_path: Path, refused: Resource) -> None:
    assert refused.last_visit is not None
    assert refused.due - refused.last_visit > 30.0
    asked = visited(settings(tmp_path, "127.0.0.0/8"), 2)
    assert asked.error.startswith("connect: ")


def test_why_says_so_before_a_daemon_begins(
    tmp_path: Path, refused: Resource, capsys: pytest.CaptureFixture[str]
) -> None:
    store = ("--store", str(tmp_path / "afresh.db"))
    assert run([*store, "why", URL]) == 0
    assert "lets it through now" not in capsys.readouterr().out
    assert run([*store, "--set", "fetch.allowed_networks=127.0.0.0/8", "why", URL]) == 0
    said = f"it was refused by a setting that lets it through now: `afresh poll {refused.id}` asks at once"
    assert said in capsys.readouterr().out


def test_others_that_failed_keep_their_wait(tmp_path: Path, refused: Resource) -> None:
    known = visited(settings(tmp_path, "10.0.0.0/8"), 1)
    assert known.due == refused.due
    with opened_store(settings(tmp_path).settings) as store:
        assert store.get(URL).due == refused.due
