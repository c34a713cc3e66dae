"""Three daemons on one PostgreSQL, one of them killed again and again: are they one system?

The demo web counts requests and violations, a hub beside it counts subscriptions; nothing here trusts what the daemons
say of themselves, but for who leads. ``measure`` takes five minutes, a short run is in the suite.
"""

import asyncio
import random
import re
import signal
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import urlencode

import aiohttp
from aiohttp import web

from afresh.base.protocols import Store
from afresh.base.records.push import PushState
from afresh.base.settings import load_settings
from afresh.engine.add import Wanted, add
from afresh.lab.demo import DELAY, SETTINGS, every_entry
from afresh.lab.pgserver import FORGETFUL, running_postgres
from afresh.lab.web import DemoWeb
from afresh.store import opened_store

DAEMONS, PER_MINUTE, EVERY = 3, 240.0, 2.0
TOPICS = 5
_FEED = (
    '<feed xmlns="http://www.w3.org/2005/Atom"><id>urn:x:{name}</id><title>T</title><updated>2026-01-01T00:00:00Z</updated>'
    '<link rel="self" href="{base}/feed/{name}"/><link rel="hub" href="{base}/hub"/>'
    "<entry><id>urn:x:{name}:1</id><title>E</title><updated>2026-01-01T00:00:00Z</updated></entry></feed>"
)


def measure(seconds: float = 300.0, kill_every: float = 20.0) -> dict[str, float]:
    with running_postgres(settings=FORGETFUL) as url:
        return asyncio.run(watch(url, seconds, kill_every))


async def watch(
    url: str,
    seconds: float,
    kill_every: float,
    per_minute: float = PER_MINUTE,
    *,
    least_kills: int = 0,
    least_entries: int = 0,
    **more: object,
) -> dict[str, float]:
    """Figures of one run on an empty database. It lasts longer where there are not so many kills or entries by then."""
    rate, batch = per_minute / 60.0, max(2.0, 0.04 * EVERY * per_minute)  # of requests; so many may be saved up
    async with DemoWeb(seed=5, polite_delay=DELAY) as demo, Hub() as hub:
        overrides: dict[str, object] = {
            **SETTINGS,
            "fetch.allowed_networks": "127.0.0.0/8;::1/128",
            "store.url": url,
            # Longer than the demo's servers ask to be left alone, for a kill loses that wish; and longer than a busy
            # machine keeps a process waiting.
            "loop.lease": 20.0,
            "budget.requests_per_minute": per_minute,
            "budget.every": EVERY,
            "push.callback": hub.base,
            **more,
        }
        settings = load_settings(overrides=overrides).settings
        with opened_store(settings, makes=True) as store:
            urls = [feed.url for feed in demo.feeds] + [f"{hub.base}/feed/{name}" for name in range(TOPICS)]
            add(store, [Wanted(url=one) for one in urls], settings, now=time.time())
            herd = Herd(overrides, store, hub)
            await herd.start()
            settled = time.time()
            await herd.harass(seconds, kill_every, least_kills)
            await herd.until(lambda: len(_entries(store)) > least_entries)
            ended = time.time()
            await herd.stop()
            times = sorted([seen.started for seen in demo.ledger.log if not seen.is_exempt] + hub.asked)
            for violation in demo.ledger.violations:
                print(violation, file=sys.stderr)
            return {
                "kills": float(herd.kills),
                "takeovers": float(len(herd.takeovers)),
                "takeover_seconds": max(herd.takeovers, default=0.0),
                "violations": float(sum(demo.ledger.breaches.values())),
                "use": sum(settled < at <= ended for at in times) / (rate * (ended - settled)),
                "most_above": max(n - rate * (at - times[0]) for n, at in enumerate(times)) - batch,
                "most_above_in_any_stretch": _excess(times, rate) - batch,
                "entries": float(len(_entries(store))),
                "entries_doubled": float(len(_entries(store)) - len(set(_entries(store)))),
                "subscriptions_lost": float(TOPICS - _live(store)),
                "tokens_replaced": float(len(hub.tokens) - len({topic for topic, _ in hub.tokens})),
            }


def _entries(store: Store) -> list[tuple[int, bytes]]:
    return [(one.resource, one.entry.uid) for one in every_entry(store)]


def _live(store: Store) -> int:
    return sum(one.state is PushState.LIVE for one in store.push.subscriptions())


def _excess(times: list[float], rate: float) -> float:
    """The most that arrived beyond a rate in any stretch of time; what left evenly may arrive together."""
    worst = balance = 0.0
    for before, at in zip([*times[:1], *times], times, strict=False):
        balance = max(0.0, balance - rate * (at - before)) + 1.0
        worst = max(worst, balance)
    return worst


@dataclass
class Herd:
    """Daemons as real processes."""

    overrides: dict[str, object]
    store: Store
    hub: "Hub"
    running: list[Process] = field(default_factory=list)
    kills: int = 0
    takeovers: list[float] = field(default_factory=list)  # seconds until another one led
    _drains: set[asyncio.Task[None]] = field(default_factory=set)

    async def start(self) -> None:
        self.running = list(await asyncio.gather(*(self._begin() for _ in range(DAEMONS))))
        await self.until(lambda: self.leader() is not None)

    async def harass(self, seconds: float, kill_every: float, least_kills: int = 0) -> None:
        """Kills one now and then, every other time the leader, and puts another in its place."""
        rng = random.Random(11)
        end = time.monotonic() + seconds
        while end - time.monotonic() > kill_every or self.kills < least_kills:
            await asyncio.sleep(kill_every)
            leader = self.leader()
            victim = rng.choice(self.running)
            if self.kills % 2 == 0 and leader is not None:
                victim = next((one for one in self.running if leader.endswith(f":{one.pid}")), victim)
            await self._kill(victim, leader)
        await asyncio.sleep(max(0.0, end - time.monotonic()))

    async def _kill(self, victim: Process, leader: str | None) -> None:
        victim.send_signal(signal.SIGKILL)
        await victim.wait()
        self.kills += 1
        self.running.remove(victim)
        self.hub.doors = [door for pid, door in self.hub.known if any(one.pid == pid for one in self.running)]
        if leader is not None and leader.endswith(f":{victim.pid}"):
            begun = time.monotonic()
            await self.until(lambda: self.leader() not in (None, leader))
            self.takeovers.append(time.monotonic() - begun)
        self.running.append(await self._begin())

    async def stop(self) -> None:
        for process in self.running:
            process.send_signal(signal.SIGTERM)
        await asyncio.gather(*(process.wait() for process in self.running))

    def leader(self) -> str | None:
        return next((one.name for one in self.store.daemons.list_daemons() if one.leads_since is not None), None)

    async def _begin(self) -> Process:
        arguments = [f"--set={name}={value}" for name, value in self.overrides.items()]
        command = (sys.executable, "-m", "afresh", *arguments, "run", "--port", "0")
        process = await asyncio.create_subprocess_exec(*command, stderr=PIPE)
        assert process.stderr is not None
        line = (await process.stderr.readline()).decode()
        found = re.search(r"see (\S+)", line)
        assert found is not None, line
        self.hub.known.append((process.pid, found[1]))
        self.hub.doors.append(found[1])
        task = asyncio.create_task(_drain(process))
        self._drains.add(task)
        task.add_done_callback(self._drains.discard)
        return process

    async def until(self, is_so: Callable[[], bool], seconds: float = 120.0) -> None:
        async with asyncio.timeout(seconds):
            while not is_so():
                await asyncio.sleep(0.05)


async def _drain(process: Process) -> None:
    assert process.stderr is not None
    while await process.stderr.readline():
        pass


class Hub:
    """Feeds, their hub, and the address at which daemons are called back: any that lives answers for all."""

    def __init__(self) -> None:
        self.known: list[tuple[int, str]] = []
        self.doors: list[str] = []
        self.tokens: set[tuple[str, str]] = set()  # topics and callbacks that were verified
        self.asked: list[float] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._rng = random.Random(3)

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_get("/feed/{name}", self._feed)
        app.router.add_post("/hub", self._subscribe)
        app.router.add_get("/push/{token}", self._forward)
        app.router.add_get("/robots.txt", self._robots)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.base = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        self._client = aiohttp.ClientSession()
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await self._client.close()
        await self._runner.cleanup()

    async def _robots(self, _: web.Request) -> web.Response:
        return web.Response(status=404)

    async def _feed(self, request: web.Request) -> web.Response:
        self.asked.append(time.time())
        text = _FEED.format(base=self.base, name=request.match_info["name"])
        return web.Response(text=text, content_type="application/atom+xml")

    async def _subscribe(self, request: web.Request) -> web.Response:
        task = asyncio.create_task(self._verify({name: str(value) for name, value in (await request.post()).items()}))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return web.Response(status=202)

    async def _verify(self, fields: dict[str, str]) -> None:
        asked = {"hub.mode": "subscribe", "hub.topic": fields["hub.topic"], "hub.challenge": "c"}
        asked["hub.lease_seconds"] = fields["hub.lease_seconds"]
        for _ in range(60):  # whoever is asked may die just then; hubs try again, too
            with suppress(aiohttp.ClientError, TimeoutError):
                async with self._client.get(f"{fields['hub.callback']}?{urlencode(asked)}") as answer:
                    if answer.status == 200 and await answer.text() == "c":
                        self.tokens.add((fields["hub.topic"], fields["hub.callback"]))
                        return
            await asyncio.sleep(1.0)

    async def _forward(self, request: web.Request) -> web.Response:
        if not self.doors:
            return web.Response(status=503)
        door = self._rng.choice(self.doors).rstrip("/")
        timeout = aiohttp.ClientTimeout(total=30.0)
        try:
            async with self._client.get(f"{door}{request.path_qs}", timeout=timeout) as answer:
                return web.Response(status=answer.status, body=await answer.read())
        except (aiohttp.ClientError, TimeoutError):
            return web.Response(status=502)
