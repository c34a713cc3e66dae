"""``afresh run``: what it says of itself when it begins."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from afresh.base.models import Kind, NewResource, Status
from afresh.base.settings import Settings
from afresh.doors.cli.run import _announce
from afresh.engine.daemon import Daemon
from afresh.store import open_store


@pytest.mark.parametrize(
    ("active", "paused", "told", "hint"),
    [
        (2, 0, "watches 2 resources of", ""),
        (1, 2, "watches 1 of 3 resources of", ""),
        (0, 3, "watches none of 3 resources of", "`afresh link add FILE`"),
        (0, 0, "watches 0 resources of", "nothing to watch yet"),
    ],
)
def test_what_is_only_kept_is_not_said_to_be_watched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], active: int, paused: int, told: str, hint: str
) -> None:
    store = open_store(str(tmp_path / "a.db"))
    statuses = [Status.ACTIVE] * active + [Status.PAUSED] * paused
    new = [
        NewResource(url=f"https://a.example/{at}", site="a.example", kind=Kind.LINK, status=status)
        for at, status in enumerate(statuses)
    ]
    store.add(new, now=1.0)

    async def run(function: Any, *args: Any) -> Any:
        return function(*args)

    daemon = SimpleNamespace(
        run=run, store=store, settings=Settings(), version="1", loop=SimpleNamespace(name="daemon-1")
    )
    asyncio.run(_announce(cast("Daemon", daemon), "http://127.0.0.1:1/"))
    said = capsys.readouterr().err
    store.close()
    assert told in said
    assert (hint in said) if hint else len(said.splitlines()) == 1
