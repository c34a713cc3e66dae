"""A fetcher's line to its frontier: registers once, asks for lists, reports until it is acknowledged."""

import asyncio
import json
import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any

import aiohttp
import orjson

from afresh.base.errors import ConfigError, StoreError, UsageError
from afresh.base.records.frontier import PageLine, PageReport, SiteList, SiteReport

_log = logging.getLogger(__name__)
_LONGEST_WAIT = 60.0
_RETRIED = frozenset((429, 500, 502, 503, 504))


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who we are to the frontier; kept in a file, so that a restart is the same fetcher."""

    uuid: str
    token: str

    @classmethod
    def read(cls, path: Path) -> "Identity | None":
        """The identity kept here; None if there is none yet."""
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            return cls(uuid=str(content["uuid"]), token=str(content["token"]))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ConfigError(f"cannot read the fetcher's state {path}: {error}; remove it to register anew") from error

    def write(self, path: Path) -> None:
        """Kept where only its owner can read it; whole or not at all."""
        draft = path.with_name(path.name + ".new")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump({"uuid": self.uuid, "token": self.token}, file)
        draft.replace(path)


@dataclass(frozen=True, slots=True)
class LeasedLists:
    """A list with the end of its lease."""

    sites: tuple[SiteList, ...]
    expires: float


class FrontierClient:
    """Speaks to one frontier; waits and tries again while it cannot be reached."""

    def __init__(self, base: str, *, timeout: float = 60.0, join_token: str = "") -> None:
        if not base.startswith(("http://", "https://")):
            raise UsageError(f"not the address of a frontier: {base!r}; write it like http://127.0.0.1:8080")
        self._base = base.rstrip("/").removesuffix("/api/v1") + "/api/v1"
        self._timeout = aiohttp.ClientTimeout(total=timeout)
        self._join_token = join_token
        self._session: aiohttp.ClientSession | None = None
        self._identity: Identity | None = None
        self._state: Path | None = None  # the file that told who we are, from an earlier run
        self.retries = 0

    @property
    def identity(self) -> Identity:
        if self._identity is None:
            raise StoreError("not registered with the frontier yet")
        return self._identity

    async def register(
        self, state: Path, *, name: str, contact: str, location: str = "", tld_preference: str = ""
    ) -> Identity:
        """The identity kept in ``state``, or a new account."""
        known = Identity.read(state)
        if known is not None:
            self._identity, self._state = known, state
            return known
        body = {"contact": contact, "name": name, "location": location, "tld_preference": tld_preference}
        answer = await self._ask("POST", "/fetchers", body, token=self._join_token)
        self._identity = Identity(uuid=answer["uuid"], token=answer["token"])
        state.parent.mkdir(parents=True, exist_ok=True)
        self._identity.write(state)
        return self._identity

    async def lists(self, *, amount: int, length: int) -> LeasedLists:
        """A new list, leased to us."""
        wish: dict[str, Any] = {"fetcher_uuid": self.identity.uuid, "amount": amount}
        if length:
            wish["length"] = length
        answer = await self._ask("POST", "/frontiers", wish, token=self.identity.token)
        expires = datetime.fromisoformat(answer["latest_return"]).timestamp()
        return LeasedLists(tuple(_site_list(item) for item in answer["url_frontiers"]), expires)

    async def report(self, sites: Sequence[SiteReport], *, key: str) -> None:
        """Returns when it was acknowledged; the key makes repetitions harmless."""
        body = {"uuid": self.identity.uuid, "key": key, "fqdns": [_site_report(site) for site in sites]}
        answer = await self._ask("POST", "/results", body, token=self.identity.token)
        for item in answer["fqdns"]:
            if item["standing"] != "accepted":
                _log.warning("the list of %s was reported %s", item["fqdn"], item["standing"])

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _ask(self, method: str, path: str, body: dict[str, Any], *, token: str) -> Any:
        """The answer; a frontier that is away or busy is asked again, ever more slowly."""
        data = orjson.dumps(body)
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        wait = 0.1
        while True:
            try:
                status, content = await self._send(method, path, data, headers)
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                status, content = 0, repr(error).encode()
            if 200 <= status < 300:
                return orjson.loads(content) if content else None
            if status and status not in _RETRIED:
                raise StoreError(
                    f"the frontier refused {method} {path}: {_detail(status, content)}{self._advice(status)}"
                )
            self.retries += 1
            _log.log(
                logging.WARNING if wait > 1 else logging.INFO,
                "the frontier does not answer %s (%s); again in %.1f s", path, status or content[:200], wait,
            )  # fmt: skip
            await asyncio.sleep(wait)
            wait = min(_LONGEST_WAIT, wait * 2)

    def _advice(self, status: int) -> str:
        if status != HTTPStatus.UNAUTHORIZED or self._state is None:
            return ""
        return f". If this is another frontier than the one {self._state} speaks of, remove that file to register anew"

    async def _send(self, method: str, path: str, data: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
        if self._session is None:
            self._session = aiohttp.ClientSession(timeout=self._timeout)  # asks for gzip and unpacks it
        async with self._session.request(method, self._base + path, data=data, headers=headers) as response:
            return response.status, await response.read()


def _detail(status: int, content: bytes) -> str:
    try:
        return f"{status} {orjson.loads(content)['detail']}"
    except (ValueError, KeyError, TypeError):
        return f"{status} {content[:200].decode(errors='replace')}"


def _site_list(item: dict[str, Any]) -> SiteList:
    return SiteList(
        lease=item["reservation"],
        name=item["fqdn"],
        tld=item["tld"],
        hash=item["fqdn_hash"],
        crawl_delay=item["fqdn_crawl_delay"],
        url_count=item["fqdn_url_count"],
        avg_pagerank=item["fqdn_avg_pagerank"],
        pages=tuple(_page_line(page) for page in item["url_list"]),
    )


def _page_line(item: dict[str, Any]) -> PageLine:
    return PageLine(
        url=item["url"],
        pagerank=item["url_pagerank"],
        discovered=None,
        last_visited=None,
        due=0.0,
        etag=item.get("etag", ""),
        last_modified=item.get("last_modified", ""),
        content_hash=item.get("content_hash", ""),
        number=item.get("number", 0),
    )


def _site_report(site: SiteReport) -> dict[str, Any]:
    return {
        "fqdn": site.name,
        "reservation": site.lease,
        "fqdn_crawl_delay": site.crawl_delay,
        "fqdn_last_ipv4": site.last_ipv4 or None,
        "fqdn_last_ipv6": site.last_ipv6 or None,
        "round_trip": site.round_trip,
        "retry_after": site.retry_after,
        "url_list": [_page_report(page) for page in site.pages],
    }


def _page_report(page: PageReport) -> dict[str, Any]:
    told: dict[str, Any] = {"url": page.url, "number": page.number, "result": page.result.value}
    optional = {
        "url_last_visited": page.fetched,
        "changed": page.changed,
        "content_hash": page.content_hash,
        "etag": page.etag,
        "last_modified": page.last_modified,
        "soft_404": page.soft_404,
        "bytes": page.bytes,
        "seconds": page.seconds,
        "links": list(page.links),
    }
    told.update({name: value for name, value in optional.items() if value})
    if page.changed is False:
        told["changed"] = False
    return told
