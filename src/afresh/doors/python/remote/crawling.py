"""A frontier asked over REST, by the names of ``afresh.open(…).frontier``."""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import uuid4

import orjson

from afresh.base.errors import Conflict
from afresh.base.iso_times import from_iso
from afresh.base.records.frontier import FrontierStats, Imported, Receipt, SiteList, SiteReport, Standing
from afresh.base.records.queues import (
    DEFAULT_CRAWL,
    NEVER_AGAIN,
    Put,
    QueueControl,
    QueueRequest,
    QueueStats,
    QueueUrl,
    Taken,
)
from afresh.doors.python.remote.asking import Plan, ask, asked
from afresh.doors.python.remote.queue_calls import QueueCalls
from afresh.doors.python.remote.watching import LOCAL, nothing
from afresh.frontier.client import Identity
from afresh.frontier.rest_forms import read_counts, read_list, read_totals, report_form
from afresh.http.service import Call, HttpService

_CONTACT = "client@afresh.invalid"
_AT_ONCE = 10_000  # URLs of one request: what fits into a body however long they are


class RestCrawling(QueueCalls):
    """The names of a frontier over REST. ``identity``: of the fetcher that leases; None: nobody has leased yet."""

    def __init__(
        self,
        where: str = LOCAL,
        *,
        token: str = "",
        timeout: float = 60.0,
        patience: float = 60.0,
        fetcher: Identity | None = None,
    ) -> None:
        super().__init__(HttpService(where, token=token, timeout=timeout, patience=patience))
        self.identity, self._is_ours = fetcher, fetcher is None

    def _fetcher(self) -> Plan[Identity]:
        """Who we are; registered when it is first needed, under a name that nobody else has."""
        while self.identity is None:
            body = {"contact": _CONTACT, "name": f"afresh.client {uuid4().hex[:12]}"}
            try:
                account = yield from ask(Call("POST", "/fetchers", orjson.loads, body=body))
            except Conflict:  # ours, and the answer was lost
                continue
            self.identity = Identity(uuid=account["uuid"], token=account["token"])
        return self.identity

    @asked
    def add(self, urls: Iterable[str], *, crawl: str = DEFAULT_CRAWL) -> Plan[Imported]:
        """Pages to fetch; those that cannot be are counted as refused."""
        total = dict.fromkeys(Imported.__slots__, 0)
        for part in _parts(list(urls)):
            call = Call("POST", "/urls", orjson.loads, body={"urls": part}, query={"crawl": crawl})
            answer = yield from ask(call)
            total = {name: count + answer.get(name, 0) for name, count in total.items()}
        return Imported(**total)

    @asked
    def lease(
        self, *, sites: int | None = None, pages: int | None = None, crawl: str = DEFAULT_CRAWL, site: str = ""
    ) -> Plan[Sequence[SiteList]]:
        """Sites that may be asked now, each with pages that are due; ours until they are reported or time is up."""
        fetcher = yield from self._fetcher()
        body = {"fetcher_uuid": fetcher.uuid, "amount": sites, "length": pages, "crawl": crawl, "fqdn": site}
        answer = yield from ask(Call("POST", "/frontiers", orjson.loads, body=body, headers=_bearer(fetcher)))
        return [read_list(item) for item in answer["url_frontiers"]]

    @asked
    def report(self, sites: Sequence[SiteReport], *, key: str = "") -> Plan[Receipt]:
        """What became of leased pages; the same key again changes nothing, another report under it is a Conflict."""
        fetcher = yield from self._fetcher()
        body = {"uuid": fetcher.uuid, "key": key or uuid4().hex, "fqdns": [report_form(site) for site in sites]}
        return (yield from ask(Call("POST", "/results", _receipt, body=body, headers=_bearer(fetcher))))

    def _lock(self, request: QueueRequest) -> Plan[Sequence[QueueUrl]]:
        wanted = {"sites": request.queues, "urls": request.urls, "seconds": request.hold}
        body = {"crawl": request.crawl, "fqdn": request.key, **wanted}
        answer = yield from ask(Call("POST", "/urls/lock", orjson.loads, body=body))
        return [QueueUrl(one["url"], one["fqdn"], one["crawl"], _text(one["metadata"])) for one in answer["items"]]

    @asked
    def put(self, urls: Iterable[Put], *, crawl: str = DEFAULT_CRAWL) -> Plan[Sequence[Taken]]:
        """URLs that were found, or known ones with when to fetch them again; what became of each."""
        taken: list[Taken] = []
        for part in _parts([_put_form(one) for one in urls]):
            answer = yield from ask(Call("POST", "/urls/put", orjson.loads, body={"crawl": crawl, "urls": part}))
            taken += [Taken[status.upper()] for status in answer["statuses"]]
        return taken

    @asked
    def crawls(self) -> Plan[Sequence[str]]:
        """Tenants of the frontier, each with URLs of its own."""
        answer = yield from ask(Call("GET", "/crawls", orjson.loads))
        return [one["crawl"] for one in answer["items"]]

    @asked
    def make_crawl(self, crawl: str) -> Plan[None]:
        """One that is there before its first URL."""
        yield from ask(Call("PUT", "/crawls", nothing, body={"crawl": crawl}))

    @asked
    def delete_crawl(self, crawl: str) -> Plan[int]:
        """With everything in it; how many URLs that were."""
        answer = yield from ask(Call("DELETE", "/crawls", orjson.loads, query={"crawl": crawl}))
        return int(answer["urls"])

    @asked
    def counts(self, *, crawl: str = DEFAULT_CRAWL, site: str = "") -> Plan[QueueStats]:
        """Of a crawl, or of one site of it."""
        query = {"crawl": crawl, "fqdn": site}
        return read_counts((yield from ask(Call("GET", "/crawls/counts", orjson.loads, query=query))))

    def _control(self, crawl: str, site: str, said: QueueControl) -> Plan[None]:
        fields = {"crawl_delay": said.delay, "blocked_until": said.block_until, "limit": said.limit}
        told = {name: value for name, value in fields.items() if value is not None}
        yield from ask(Call("PATCH", "/sites", nothing, body={"crawl": crawl, "fqdn": site, **told}))

    @asked
    def is_active(self) -> Plan[bool]:
        """Whether anything is handed out."""
        return bool((yield from ask(Call("GET", "/active", orjson.loads)))["active"])

    @asked
    def set_active(self, state: bool) -> Plan[None]:
        """Pauses all, or goes on."""
        yield from ask(Call("PUT", "/active", nothing, body={"active": state}))

    @asked
    def stats(self) -> Plan[FrontierStats]:
        """Totals."""
        return read_totals((yield from ask(Call("GET", "/stats", orjson.loads))))

    def _leave(self) -> Plan[None]:
        """Takes the fetcher of this session away, with what it still has leased."""
        if self._is_ours and self.identity is not None:
            body = {"uuid": self.identity.uuid}
            yield from ask(Call("DELETE", "/fetchers", nothing, body=body, headers=_bearer(self.identity)))


def _bearer(fetcher: Identity) -> dict[str, str]:
    return {"Authorization": f"Bearer {fetcher.token}"}


def _parts(items: list[Any]) -> Iterable[list[Any]]:
    return (items[start : start + _AT_ONCE] for start in range(0, len(items), _AT_ONCE))


def _put_form(put: Put) -> dict[str, Any]:
    told = {
        "url": put.url,
        "fqdn": put.key,
        "known": put.is_known,
        "completed": put.due == NEVER_AGAIN,
        "due": None if put.due == NEVER_AGAIN else put.due,
        "metadata": orjson.loads(put.metadata) if put.metadata else None,
    }
    return {name: value for name, value in told.items() if value}


def _text(metadata: dict[str, list[str]]) -> str:
    return orjson.dumps(metadata, option=orjson.OPT_SORT_KEYS).decode() if metadata else ""


def _receipt(content: bytes) -> Receipt:
    answer = orjson.loads(content)
    counts = {name: answer[name] for name in ("visited", "ignored", "discovered", "known", "refused", "repeated")}
    standings = tuple(Standing(item["standing"]) for item in answer["fqdns"])
    return Receipt(standings=standings, until=from_iso(answer["latest_return"]), **counts)
