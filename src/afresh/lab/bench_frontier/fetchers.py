"""Simulated fetchers: ask for a list, report it at once, ask again; after a broken connection the same again."""

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import cycle, product
from typing import Any

import orjson

from afresh.lab.bench_frontier.http import Broken, Connection, Reply
from afresh.lab.bench_frontier.ledger import Ledger
from afresh.lab.bench_frontier.material import Material
from afresh.lab.bench_frontier.options import BenchOptions

_PREFIX = "/api/v1"
_PATIENCE = 60.0  # seconds a request is tried again before the measurement gives up
_IDLE = 0.02  # seconds until a fetcher asks again after an empty list


class Trouble(Exception):
    """An answer that should not have come."""


@dataclass(slots=True)
class Times:
    """Latencies in seconds, and what went wrong on the way."""

    lease: list[float] = field(default_factory=list)
    report: list[float] = field(default_factory=list)
    retries: int = 0
    empty: int = 0


class SimulatedFetcher:
    """One fetcher with one connection."""

    def __init__(
        self,
        number: int,
        address: tuple[str, int],
        options: BenchOptions,
        material: Material,
        ledger: Ledger,
        times: Times,
    ) -> None:
        self._number, self._address, self._options = number, address, options
        self._material, self._ledger, self._times = material, ledger, times
        self._connection = Connection(*address)
        self._reports = 0
        self.uuid = ""
        self.acknowledged = 0  # pages
        self._wishes: Iterator[bytes] = iter(())

    async def register(self) -> None:
        tlds = ("com", "net", "org", "de", "info", "uk", "fr", "nl", "it", "at")
        body = {
            "contact": "bench@example.org",
            "name": f"bench-{self._number}",
            "tld_preference": tlds[self._number % len(tlds)],
        }
        reply = await self._send("/fetchers", orjson.dumps(body), expect=(201, 409))
        self.uuid = orjson.loads(reply.body)["uuid"]
        self._wishes = cycle(self._all_wishes())

    def _all_wishes(self) -> list[bytes]:
        """The wish as the options say; where they say "all", one of each kind, from a place of this fetcher's own."""
        options = self._options
        wish = {"fetcher_uuid": self.uuid, "amount": options.sites_per_list, "length": options.urls_per_site}
        names = ("long_term_prio_mode", "short_term_prio_mode", "long_term_part_mode")
        modes = list(product(*options.modes))
        start = len(modes) * self._number // options.fetchers
        return [
            orjson.dumps({**wish, **dict(zip(names, chosen, strict=True))}) for chosen in modes[start:] + modes[:start]
        ]

    async def work(self, is_over: Callable[[], bool]) -> None:
        """Rounds until it is over; the last list is reported too, so that the books can be closed."""
        while not is_over():
            sent = time.perf_counter()
            reply = await self._send("/frontiers", next(self._wishes))
            self._times.lease.append(time.perf_counter() - sent)
            if not await self._process(orjson.loads(reply.body)):
                self._times.empty += 1
                await asyncio.sleep(_IDLE)
        self._connection.close()

    async def _process(self, given: dict[str, Any]) -> bool:
        sites = given["url_frontiers"]
        if not sites:
            return False
        expires, received = datetime.fromisoformat(given["latest_return"]).timestamp(), time.time()
        ledger, links = self._ledger, self._material.links
        report = []
        for site in sites:
            name, pages = site["fqdn"], site["url_list"]
            ledger.lease(self._number, name, len(pages), expires=expires, received=received)
            if self._options.links:
                told = [{"url": page["url"], "number": page["number"], "links": links(name)} for page in pages]
            else:
                told = [{"url": page["url"], "number": page["number"]} for page in pages]
            report.append({"fqdn": name, "reservation": site["reservation"], "url_list": told})
        for site in sites:
            ledger.let_go(self._number, site["fqdn"])
        self._reports += 1
        body = orjson.dumps({"uuid": self.uuid, "key": f"{self._number}/{self._reports}", "fqdns": report})
        sent = time.perf_counter()
        reply = await self._send("/results", body)
        self._times.report.append(time.perf_counter() - sent)
        self._enter(orjson.loads(reply.body))
        return True

    def _enter(self, answer: dict[str, Any]) -> None:
        ledger = self._ledger
        ledger.acknowledged += answer["visited"]
        self.acknowledged += answer["visited"]
        ledger.ignored += answer["ignored"]
        for site in answer["fqdns"]:
            ledger.late += site["standing"] == "late"
            ledger.unknown += site["standing"] == "unknown"

    async def _send(self, path: str, body: bytes, *, expect: tuple[int, ...] = (200,)) -> Reply:
        """Again and again until it is answered: the idempotency key makes that harmless."""
        deadline = time.perf_counter() + _PATIENCE
        while True:
            try:
                reply = await self._connection.post(_PREFIX + path, body)
            except Broken:
                if time.perf_counter() > deadline:
                    raise Trouble(f"{path}: no answer for {_PATIENCE:.0f} s") from None
                self._times.retries += 1
                self._connection = Connection(*self._address)
                await asyncio.sleep(0.02)
                continue
            if reply.status == 503 and time.perf_counter() < deadline:
                await asyncio.sleep(0.05)
                continue
            if reply.status not in expect:
                raise Trouble(f"{path} answered {reply.status}: {reply.body[:300].decode(errors='replace')}")
            return reply
