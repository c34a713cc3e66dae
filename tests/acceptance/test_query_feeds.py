"""A query feed made on the command line is a proper Atom feed, and another afresh follows it with 304s."""

import asyncio
import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import aiohttp
import feedparser
import pytest

from afresh.base.settings import load_settings
from afresh.engine.add import Wanted, add
from afresh.lab.demo import DELAY, SETTINGS
from afresh.lab.web import DemoWeb
from afresh.store import opened_store
from tests.fakes.ending import ended

ATOM = "{http://www.w3.org/2005/Atom}"
PATIENCE = 40.0


class Afresh:
    """A database and the commands on it, run as a person would."""

    def __init__(self, database: Path) -> None:
        self.database = database
        self.overrides = {**SETTINGS, "fetch.allowed_networks": "127.0.0.0/8;::1/128", "store.url": str(database)}
        self.address = ""
        self._process: asyncio.subprocess.Process | None = None

    def _start(self, *words: str) -> Any:
        arguments = [f"--set={name}={value}" for name, value in self.overrides.items()]
        pipe = asyncio.subprocess.PIPE
        return asyncio.create_subprocess_exec(
            sys.executable, "-m", "afresh", *arguments, *words, stdout=pipe, stderr=pipe
        )

    async def command(self, *words: str, code: int = 0) -> str:
        process = await self._start(*words)
        out, err = await ended(process, None)
        assert process.returncode == code, err
        return out if code == 0 else err

    async def __aenter__(self) -> "Afresh":
        self._process = await self._start("run", "--port", "0")
        assert self._process is not None
        assert self._process.stderr is not None
        line = (await self._process.stderr.readline()).decode()
        assert "see http" in line, line
        self.address = line.split("see ")[1].strip()
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._process is not None
        _, err = await ended(self._process)
        assert self._process.returncode == 0, err


async def until(what: Callable[[], Any]) -> Any:
    """Asks again until there is an answer."""
    async with asyncio.timeout(PATIENCE):
        while not (answer := await what()):
            await asyncio.sleep(0.1)
    return answer


def assert_proper_atom(body: bytes, address: str) -> None:
    feed = ElementTree.fromstring(body)
    assert feed.tag == f"{ATOM}feed"
    for name in ("id", "title", "updated"):
        assert feed.findtext(f"{ATOM}{name}"), name
    assert feed.findtext(f"{ATOM}author/{ATOM}name")
    [own] = [link.get("href") for link in feed.findall(f"{ATOM}link") if link.get("rel") == "self"]
    assert own == address
    entries = feed.findall(f"{ATOM}entry")
    ids = [entry.findtext(f"{ATOM}id") for entry in entries]
    assert len(set(ids)) == len(ids) > 0
    for entry in entries:
        assert entry.findtext(f"{ATOM}updated")
        assert entry.find(f"{ATOM}title") is not None
        has_link = any(link.get("rel") == "alternate" for link in entry.findall(f"{ATOM}link"))
        assert has_link or entry.find(f"{ATOM}content") is not None
    parsed = feedparser.parse(body)
    assert not parsed.bozo
    assert parsed.version == "atom10"
    assert [entry.id for entry in parsed.entries] == ids


@pytest.mark.slow
def test_a_query_feed_is_published_and_followed(tmp_path: Path) -> None:
    async def scenario() -> None:
        first, second = Afresh(tmp_path / "first.db"), Afresh(tmp_path / "second.db")
        async with DemoWeb(seed=3, polite_delay=DELAY) as web, aiohttp.ClientSession() as session:
            settings = load_settings(overrides=first.overrides).settings
            with opened_store(settings, makes=True) as store:
                wanted = [Wanted(url=feed.url, folder=str(feed.pattern)) for feed in web.feeds]
                add(store, wanted, settings, now=0.0)
            async with first:
                await first.command("feed", "create", "CREATE FEED everything AS RETURN ALL LIMIT 20")
                refused = await first.command("feed", "create", "CREATE FEED x AS RETURN ALL WHERE ITEM IS 1", code=2)
                assert "line 1, column 40" in refused
                assert "^" in refused

                async def filled() -> bytes:
                    async with session.get(f"{first.address}feeds/q/everything.atom") as answer:
                        assert answer.status == 200
                        body = await answer.read()
                        return body if body.count(b"<entry>") >= 20 else b""

                assert_proper_atom(await until(filled), f"{first.address}feeds/q/everything.atom")

                # Hardly anything new can come to this one any more.
                now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
                quiet = f'CREATE FEED quiet TITLE "Quiet" AS RETURN FEED everything WHERE DATE < "{now}" LIMIT 30'
                made = json.loads(await first.command("feed", "create", quiet, "--json"))
                assert made["entries"] >= 20
                address = f"{first.address}feeds/q/quiet.atom"

                async def unchanged() -> bool:
                    async with session.get(address) as answer:
                        assert_proper_atom(await answer.read(), address)
                        etag = answer.headers["ETag"]
                    async with session.get(address, headers={"If-None-Match": etag}) as answer:
                        if answer.status == 200:  # what was published before that moment and found since
                            assert answer.headers["ETag"] != etag, "nothing has changed"
                            return False
                        assert (answer.status, await answer.read()) == (304, b"")
                        return True

                assert await until(unchanged)

                await second.command("add", address, "--pin", "1s")
                async with second:

                    async def followed() -> Any:
                        shown = json.loads(await second.command("show", address, "--json"))
                        return shown if shown["counters"]["not_modified"] >= 2 else None

                    shown = await until(followed)
                    entries = json.loads(await second.command("entries", "--limit", "100", "--json"))
                visits = shown["visits"]  # the newest first
                assert visits[-1]["result"] == "new"
                assert visits[-1]["new"] >= min(made["entries"], 30)
                # What the first daemon has found late is new to the second as well; nothing else is, nor is any twice.
                assert all((visit["result"] == "new") is (visit["new"] > 0) for visit in visits), visits
                assert {visit["result"] for visit in visits} == {"new", "not_modified"}
                assert len(entries["entries"]) == sum(visit["new"] for visit in visits)

    asyncio.run(scenario())
