"""Every companion of the loop is supervised: one that fails is started again, counted and shown."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from afresh.base.settings import load_settings
from afresh.engine import supervision
from afresh.engine.daemon import Daemon, running_daemon

#: Every companion, and where its function is.
COMPANIONS: dict[str, Callable[[Daemon], tuple[Any, str]]] = {
    "recording": lambda daemon: (daemon.loop.recorder, "run"),
    "housekeeping": lambda daemon: (daemon.loop.companions, "housekeep"),
    "clock": lambda daemon: (daemon.loop.companions.timekeeper, "run"),
    "planning of sites": lambda daemon: (daemon.loop.companions, "replan"),
    "push": lambda daemon: (daemon.loop.companions.pushes, "run"),
    "notices": lambda daemon: (daemon.loop.companions, "tell_notices"),
    "leadership": lambda daemon: (daemon.loop.sharing, "run"),
}


def failing_twice(run: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
    left = iter((1, 2))

    async def tried() -> None:
        if next(left, None) is not None:
            raise TypeError("a fault for the test")
        await run()

    return tried


def test_each_is_started_again_counted_and_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "_FIRST_PAUSE", 0.01)
    overrides = {"store.url": str(tmp_path / "afresh.db"), "push.callback": "https://afresh.example/"}

    async def scenario() -> None:
        async with running_daemon(load_settings(overrides=overrides), seed=1) as daemon:
            for name, place in COMPANIONS.items():
                owner, function = place(daemon)
                assert owner is not None, name
                failing = failing_twice(getattr(owner, function))
                if hasattr(owner, "__dict__"):
                    monkeypatch.setattr(owner, function, failing)
                else:  # it has slots
                    monkeypatch.setattr(type(owner), function, staticmethod(failing))
            running = asyncio.create_task(daemon.loop.run())
            known = daemon.loop.health.companions
            async with asyncio.timeout(60):
                while len(known) < len(COMPANIONS) or not all(
                    one.failures == 2 and one.is_running for one in known.values()
                ):
                    await asyncio.sleep(0.01)
                    known = daemon.loop.health.companions
            assert set(known) == set(COMPANIONS)
            troubles = daemon.loop.troubles.current()
            assert {trouble.what for trouble in troubles} == set(COMPANIONS)
            assert all("a fault for the test" in trouble.why and trouble.times == 2 for trouble in troubles)
            daemon.loop.stop()
            await asyncio.wait_for(running, 60)

    asyncio.run(scenario())
