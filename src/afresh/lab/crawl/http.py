"""The frontier's REST interface as the test system uses it: restore, set, register, ask, report, count."""

import gzip
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import aiohttp
import orjson

from afresh.base.errors import StoreError
from afresh.base.records.frontier import FrontierStats, PageReport, Seed
from afresh.frontier.rest_forms import read_totals
from afresh.http.service import not_an_administrator
from afresh.lab.crawl.settings import SimulatorSettings

_PIECE = 20_000  # URLs of one import
_YEAR = 31_536_000.0  # no delay of a setting may be longer
_EVERYTHING = ("delete_fetchers", "delete_urls", "delete_fqdns", "delete_reserved_fqdns", "delete_url_refs")


class FrontierApi:
    """One frontier, with an administrator's token if it is not on loopback."""

    def __init__(self, base: str, session: aiohttp.ClientSession, *, token: str = "") -> None:
        self._base, self._session, self._token = base.rstrip("/") + "/api/v1", session, token

    async def ask(self, method: str, path: str, body: Any = None, *, token: str = "") -> Any:
        """The answer as plain values; StoreError says what was refused."""
        headers = {"Content-Type": "application/json"}
        if token or self._token:
            headers["Authorization"] = f"Bearer {token or self._token}"
        data = None if body is None else orjson.dumps(body)
        if data is not None and len(data) > 100_000:
            data, headers["Content-Encoding"] = gzip.compress(data, 1), "gzip"
        async with self._session.request(method, self._base + path, data=data, headers=headers) as response:
            content = await response.read()
        if response.status in (401, 403) and not token:
            raise not_an_administrator(self._base, self._token)
        if not 200 <= response.status < 300:
            raise StoreError(
                f"the frontier refused {method} {path}: {response.status} {content[:300].decode(errors='replace')}"
            )
        return orjson.loads(content) if content else None

    async def restore(self, seeds: Sequence[Seed]) -> None:
        """Empties the frontier and fills it with these pages (needs ``afresh serve --dev``)."""
        await self.ask("DELETE", "/database", dict.fromkeys(_EVERYTHING, True))
        for first in range(0, len(seeds), _PIECE):
            await self.ask("POST", "/urls", {"urls": [_seed(seed) for seed in seeds[first : first + _PIECE]]})

    async def put_settings(self, chosen: SimulatorSettings, *, reservation_seconds: float = 43_200.0) -> None:
        """Stores the case's settings, for the fetchers to read at start ([G20] §7.1.3, step 5)."""
        plain = chosen.plain()
        for own in ("pause", "time_limit"):
            del plain[own]
        plain["internal_vs_external_threshold"] = plain.pop("int_vs_ext_threshold")
        plain["new_vs_existing_threshold"] = plain.pop("new_vs_exist_threshold")
        after = plain["revisit_after"]
        plain["revisit_after"] = None if after is None else min(after, _YEAR)
        await self.ask("PUT", "/settings", plain | {"reservation_seconds": reservation_seconds})

    async def settings(self) -> SimulatorSettings:
        """What a simulated fetcher reads at start."""
        told = await self.ask("GET", "/settings")
        known = SimulatorSettings().plain()
        return SimulatorSettings.of(
            {
                name: value
                for name, value in told.items()
                if name in known or name in ("internal_vs_external_threshold", "new_vs_existing_threshold")
            }
        )

    async def register(self, name: str, tld: str) -> tuple[str, str]:
        """UUID and token of a new fetcher."""
        body = {"contact": "simulator@example.org", "name": name, "tld_preference": tld}
        answer = await self.ask("POST", "/fetchers", body)
        return answer["uuid"], answer.get("token", "")

    async def lease(self, uuid: str, token: str) -> list[dict[str, Any]]:
        """A list of sites, as the global settings say."""
        answer = await self.ask("POST", "/frontiers", {"fetcher_uuid": uuid}, token=token)
        lists: list[dict[str, Any]] = answer["url_frontiers"]
        return lists

    async def report(
        self, uuid: str, token: str, lists: Sequence[dict[str, Any]], pages: Sequence[Sequence[PageReport]], key: str
    ) -> dict[str, Any]:
        """What became of the report."""
        sites = [
            {"fqdn": one["fqdn"], "reservation": one["reservation"], "url_list": [_page(page) for page in found]}
            for one, found in zip(lists, pages, strict=True)
        ]
        answer: dict[str, Any] = await self.ask(
            "POST", "/results", {"uuid": uuid, "key": key, "fqdns": sites}, token=token
        )
        return answer

    async def random_urls(self, count: int) -> list[str]:
        """Known URLs."""
        found: list[str] = (await self.ask("GET", f"/urls/random?amount={count}"))["url_list"]
        return found

    async def stats(self) -> FrontierStats:
        """Totals."""
        return read_totals(await self.ask("GET", "/stats"))


def _seed(seed: Seed) -> dict[str, Any]:
    seen = seed.last_visited
    return {
        "url": seed.url,
        "url_pagerank": seed.pagerank,
        "url_last_visited": None if seen is None else datetime.fromtimestamp(seen, UTC).isoformat(),
        "fqdn_crawl_delay": seed.crawl_delay,
    }


def _page(page: PageReport) -> dict[str, Any]:
    told = {"url": page.url, "number": page.number, "url_last_visited": page.fetched, "links": page.links}
    return told if page.changed is None else {**told, "changed": page.changed}
