"""The daemon on PostgreSQL: two of them share one store, and the servers they visit notice nothing of it."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import pytest

from afresh.base.settings import load_settings
from afresh.doors.cli.main import run
from afresh.engine.add import Wanted, add
from afresh.lab.demo import DELAY, SETTINGS
from afresh.lab.web import DemoWeb
from afresh.store import opened_store
from tests.fakes.ending import ended
from tests.fakes.stores import postgres_store

__all__ = ["postgres_store"]


async def daemon(overrides: dict[str, object]) -> Process:
    arguments = [f"--set={name}={value}" for name, value in overrides.items()]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "afresh", *arguments, "run", "--port", "0", stderr=PIPE
    )
    assert process.stderr is not None
    line = await process.stderr.readline()
    assert b"watches" in line, line
    return process


def test_two_daemons_share_a_store(postgres_store: str) -> None:
    overrides: dict[str, object] = {
        **SETTINGS,
        "fetch.allowed_networks": "127.0.0.0/8;::1/128",
        "store.url": postgres_store,
    }
    settings = load_settings(overrides=overrides).settings

    async def scenario() -> None:
        async with DemoWeb(seed=3, polite_delay=DELAY) as web:
            with opened_store(settings, makes=True) as store:
                add(store, [Wanted(url=feed.url) for feed in web.feeds], settings, now=web.clock())
                daemons = [await daemon(overrides) for _ in range(2)]
                for _ in range(200):  # until both have worked, or a generous time has passed
                    await asyncio.sleep(0.1)
                    if store.stats(now=web.clock())["entries_total"] > 60:
                        break
                for process in daemons:
                    await ended(process)
                entries = store.entries(limit=10_000)
                assert len(entries) > 60
                assert len({(one.resource, one.entry.uid, one.entry.found) for one in entries}) == len(entries)
            assert sum(web.ledger.breaches.values()) == 0, list(web.ledger.violations)

    asyncio.run(scenario())


def test_every_command_works_on_it(postgres_store: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    def afresh(*arguments: str) -> str:
        assert run(["--store", postgres_store, *arguments]) == 0, capsys.readouterr().err
        return str(capsys.readouterr().out)

    url = "http://a.example/feed.xml"
    opml = tmp_path / "list.txt"
    opml.write_text("http://b.example/feed\nhttp://c.example/feed\n")
    afresh("add", url, "--tag", "news", "--folder", "f/g")
    afresh("import", str(opml))
    assert [one["url"] for one in json.loads(afresh("list", "--json", "--tag", "news"))] == [url]
    assert url in afresh("export", "--format", "opml")
    assert json.loads(afresh("show", url, "--json"))["folder"] == "f/g"
    afresh("set", url, "--title", "A feed")
    assert url in afresh("why", url)
    afresh("feed", "create", 'CREATE FEED mine AS RETURN TAG "news"')
    assert "mine" in afresh("feed", "list")
    afresh("feed", "drop", "mine")
    assert json.loads(afresh("status", "--json"))["resources"] == 3
    assert json.loads(afresh("entries", "--json"))["entries"] == []
    afresh("remove", url)
    assert json.loads(afresh("status", "--json"))["resources"] == 2


def test_a_store_is_moved_by_a_command(postgres_store: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    old = str(tmp_path / "old.db")
    assert run(["--store", old, "add", "http://a.example/feed"]) == 0
    capsys.readouterr()
    assert run(["store", "copy", old, postgres_store, "--json"]) == 0
    copied = json.loads(capsys.readouterr().out)
    assert copied["equal"]
    assert {table["table"]: table["target_rows"] for table in copied["tables"]}["resource"] == 1
    assert run(["--store", postgres_store, "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["url"] == "http://a.example/feed"
    assert run(["store", "verify", old, postgres_store]) == 0
    assert "equal" in capsys.readouterr().out
    assert run(["--store", postgres_store, "add", "http://b.example/feed"]) == 0
    assert run(["store", "verify", old, postgres_store]) == 1
    assert "DIFFERENT" in capsys.readouterr().out
    assert run(["store", "copy", old, postgres_store]) == 2
    assert "not empty" in capsys.readouterr().err
    assert run(["store", "copy", postgres_store, old]) == 2
    assert "from SQLite to PostgreSQL" in capsys.readouterr().err
