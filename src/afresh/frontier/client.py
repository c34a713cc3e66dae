"""A fetcher's line to its frontier: registers once, asks for lists, reports until it is acknowledged."""

import json
import logging
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from afresh.base.errors import AccessDenied, AfreshError, ConfigError, NotFound, ServiceError, StoreError, UsageError
from afresh.base.records.frontier import SiteList, SiteReport
from afresh.frontier.delivering import ReportFailed
from afresh.frontier.fetcher import LeftAlone
from afresh.frontier.reading import LONGEST_WHY
from afresh.frontier.rest_forms import read_list, report_form
from afresh.http.service import Call, HttpService, Stranger

_log = logging.getLogger(__name__)
_FAILURES = 3  # times HTTP 500 to a report, then it is not sent again as it is


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


def _new_identity(content: bytes) -> Identity:
    answer = orjson.loads(content)
    return Identity(uuid=answer["uuid"], token=answer["token"])


class FrontierClient:
    """Speaks to one frontier; waits and tries again while it cannot be reached."""

    def __init__(self, base: str, *, timeout: float = 60.0, join_token: str = "") -> None:
        self._service = HttpService(base, timeout=timeout, patience=math.inf)
        self._join_token = join_token
        self._identity: Identity | None = None
        self._state: Path | None = None  # the file that told who we are, from an earlier run

    @property
    def retries(self) -> int:
        """How often it was asked again."""
        return self._service.retries

    @property
    def identity(self) -> Identity:
        if self._identity is None:
            raise StoreError("not registered with the frontier yet")
        return self._identity

    async def register(
        self, state: Path, *, name: str, contact: str, location: str = "", tld_preference: str = ""
    ) -> Identity:
        """The identity kept in ``state``, or a new account; what an earlier process of ours held is given back."""
        known = Identity.read(state)
        if known is not None:
            self._identity, self._state = known, state
            await self._begin_anew()
            return known
        body = {"contact": contact, "name": name, "location": location, "tld_preference": tld_preference}
        self._identity = await self._ask("/fetchers", body, token=self._join_token, read=_new_identity)
        state.parent.mkdir(parents=True, exist_ok=True)
        self._identity.write(state)
        return self._identity

    async def _begin_anew(self) -> None:
        try:
            answer = await self._ask("/fetchers/restart", {"uuid": self.identity.uuid}, token=self.identity.token)
        except StoreError as error:
            if isinstance(error.__cause__, NotFound | UsageError):
                return  # an earlier version of the frontier; or one that does not know us, as its first answer will say
            raise
        if answer["given_back"]:
            _log.info("%s sites that we held before are given back", answer["given_back"])

    async def lists(self, *, amount: int, length: int) -> LeasedLists:
        """A new list, leased to us."""
        wish: dict[str, Any] = {"fetcher_uuid": self.identity.uuid, "amount": amount}
        if length:
            wish["length"] = length
        answer = await self._ask("/frontiers", wish, token=self.identity.token)
        expires = datetime.fromisoformat(answer["latest_return"]).timestamp()
        return LeasedLists(tuple(read_list(item) for item in answer["url_frontiers"]), expires)

    async def report(self, sites: Sequence[SiteReport], *, key: str) -> None:
        """Returns when it was acknowledged; the key makes repetitions harmless."""
        body = {"uuid": self.identity.uuid, "key": key, "fqdns": [report_form(site) for site in sites]}
        try:
            answer = await self._ask("/results", body, token=self.identity.token, most_failures=_FAILURES)
        except StoreError as error:
            if isinstance(error.__cause__, UsageError | ServiceError) and not isinstance(error.__cause__, AccessDenied):
                raise ReportFailed(str(error.__cause__)) from error
            raise
        for item in answer["fqdns"]:
            if item["standing"] != "accepted":
                _log.warning("the list of %s was reported %s", item["fqdn"], item["standing"])

    async def put_aside(self, site: SiteReport, why: str) -> None:
        """Tells that the report of a page could not be taken."""
        page = site.pages[0] if site.pages else None
        body = {
            "uuid": self.identity.uuid,
            "fqdn": site.name,
            "reservation": site.lease,
            "url": page.url if page else "",
            "number": page.number if page else 0,
            "why": why[:LONGEST_WHY],
        }
        await self._ask("/results/aside", body, token=self.identity.token, most_failures=_FAILURES)

    async def known_urls(self) -> int:
        """How many URLs the frontier knows."""
        return int((await self._look("/stats"))["url_amount"])

    async def is_active(self) -> bool:
        """Whether the frontier hands out anything; False: it is paused."""
        return bool((await self._look("/active"))["active"])

    async def left_alone(self) -> LeftAlone:
        """What nobody shall ask any more, though we may hold a list of it."""
        answer = await self._look("/sites/blocked")
        return LeftAlone(answer["items"], is_paused=not answer.get("active", True))

    async def close(self) -> None:
        await self._service.close()

    async def _look(self, path: str) -> Any:
        self._service.token = self.identity.token
        return await self._service.ask(Call("GET", path, orjson.loads))

    async def _ask(
        self,
        path: str,
        body: dict[str, Any],
        *,
        token: str,
        read: Callable[[bytes], Any] = orjson.loads,
        most_failures: int = 0,
    ) -> Any:
        self._service.token = token
        try:
            return await self._service.ask(Call("POST", path, read, body=body, most_failures=most_failures))
        except Stranger as error:
            raise ServiceError(f"{self._service.address} is no afresh frontier: {error.how}") from error
        except AfreshError as error:
            if isinstance(error, AccessDenied) and self._identity is None:
                raise  # nobody has registered yet: whoever started us knows of a token for that
            raise StoreError(f"the frontier refused POST {path}: {error}{self._advice(error)}") from error

    def _advice(self, error: AfreshError) -> str:
        if not isinstance(error, AccessDenied) or self._state is None:
            return ""
        return f". If this is another frontier than the one {self._state} speaks of, remove that file to register anew"
