"""A frontier asked over gRPC, by the names of ``afresh.open(…).frontier``.

A *lease* is the URLs of some queues, locked; a *report* puts them back. The queues stay free, as that interface has it.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from afresh.base.page_numbers import LONGEST_URL
from afresh.base.records.frontier import (
    Imported,
    PageLine,
    PageReport,
    PageResult,
    Receipt,
    SiteList,
    SiteReport,
    Standing,
)
from afresh.base.records.queues import (
    DEFAULT_CRAWL,
    LONGEST_KEY,
    NEVER_AGAIN,
    Put,
    QueueControl,
    QueueRequest,
    QueueStats,
    QueueUrl,
    Taken,
)
from afresh.doors.python.remote.asking import Plan, ask, asked
from afresh.doors.python.remote.grpc_service import GrpcCall, GrpcService, PutCall
from afresh.doors.python.remote.queue_calls import QueueCalls
from afresh.frontier.urlfrontier.protocol import protocol_schema
from afresh.frontier.urls import written

_OK = 0
_LEASED = 10  # sites or pages, where nobody says how many
_HELD = 600  # seconds of a lease
_COUNTED = (PageResult.FETCHED, PageResult.NOT_MODIFIED, PageResult.NOT_FOUND)


class GrpcCrawling(QueueCalls):
    """The names of a frontier over gRPC."""

    def __init__(
        self,
        address: str = "127.0.0.1:7071",
        *,
        token: str = "",
        certificate: str = "",
        timeout: float = 60.0,
        patience: float = 60.0,
    ) -> None:
        super().__init__(GrpcService(address, token=token, certificate=certificate, timeout=timeout, patience=patience))

    @asked
    def add(self, urls: Iterable[str], *, crawl: str = DEFAULT_CRAWL) -> Plan[Imported]:
        """Pages to fetch, as they are written; this interface does not tell known ones from those it cannot take."""
        items = [_item(Put(url, ""), crawl) for url in urls]
        statuses = yield from ask(PutCall(items))
        new = statuses.count(_OK)
        return Imported(urls=new, sites=0, known=len(items) - new)

    @asked
    def lease(
        self, *, sites: int | None = None, pages: int | None = None, crawl: str = DEFAULT_CRAWL, site: str = ""
    ) -> Plan[Sequence[SiteList]]:
        """Pages that are due, by site; ours for ten minutes, or until they are reported."""
        fields = {
            "max_queues": sites or _LEASED,
            "max_urls_per_queue": pages or _LEASED,
            "key": site,
            "delay_requestable": _HELD,
            "crawlID": crawl,
        }
        found = yield from ask(GrpcCall("GetURLs", fields, _urls))
        by_site: dict[str, list[PageLine]] = {}
        for one in found:
            by_site.setdefault(one.key, []).append(PageLine(one.url, 0.0, None, None, 0.0))
        return [
            SiteList(0, name, name.rpartition(".")[2], 0, None, len(lines), 0.0, pages=tuple(lines))
            for name, lines in by_site.items()
        ]

    @asked
    def report(self, sites: Sequence[SiteReport], *, key: str = "", crawl: str = DEFAULT_CRAWL) -> Plan[Receipt]:
        """What became of leased pages; the same again changes nothing. Pages skipped or failed come by themselves.

        A page without ``due`` is done, or due again as the frontier estimates: as ``grpc.schedule_known`` of it says.
        """
        del key  # putting a known URL again is harmless
        told = [(site.name, page) for site in sites for page in site.pages if page.result in _COUNTED]
        known = [_item(_known(name, page), crawl) for name, page in told]
        links = [_item(Put(link, ""), crawl) for _, page in told for link in page.links]
        statuses = yield from ask(PutCall([*known, *links]))
        found = statuses[len(known) :]
        return Receipt(
            standings=(Standing.ACCEPTED,) * len(sites),
            visited=statuses[: len(known)].count(_OK),
            ignored=len(known) - statuses[: len(known)].count(_OK),
            discovered=found.count(_OK),
            known=len(found) - found.count(_OK),
        )

    def _lock(self, request: QueueRequest) -> Plan[Sequence[QueueUrl]]:
        fields: dict[str, Any] = {
            "max_queues": request.queues,
            "max_urls_per_queue": request.urls,
            "key": request.key,
            "delay_requestable": max(1, round(request.hold)),
        }
        any_crawl = {"anyCrawlID": protocol_schema().messages["AnyCrawlID"]()}
        fields |= any_crawl if request.crawl is None else {"crawlID": request.crawl}
        return (yield from ask(GrpcCall("GetURLs", fields, _urls)))

    @asked
    def put(self, urls: Iterable[Put], *, crawl: str = DEFAULT_CRAWL) -> Plan[Sequence[Taken]]:
        """URLs that were found, or known ones with when to fetch them again; what became of each.

        This interface tells a URL that was taken from one that was not; of a found one that was not, its form says
        whether it was known or cannot be kept.
        """
        puts = list(urls)
        statuses = yield from ask(PutCall([_item(one, crawl) for one in puts]))
        return [_taken(one, status) for one, status in zip(puts, statuses, strict=True)]

    @asked
    def crawls(self) -> Plan[Sequence[str]]:
        """Tenants of the frontier, each with URLs of its own."""
        return (yield from ask(GrpcCall("ListCrawls", {}, lambda answer: list(answer.values))))

    @asked
    def delete_crawl(self, crawl: str) -> Plan[int]:
        """With everything in it; how many URLs that were."""
        return (yield from ask(GrpcCall("DeleteCrawl", {"value": crawl}, lambda answer: int(answer.value))))

    @asked
    def counts(self, *, crawl: str = DEFAULT_CRAWL, site: str = "") -> Plan[QueueStats]:
        """Of a crawl, or of one site of it."""
        return (yield from ask(GrpcCall("GetStats", {"crawlID": crawl, "key": site}, _counts)))

    def _control(self, crawl: str, site: str, said: QueueControl) -> Plan[None]:
        about = {"key": site, "crawlID": crawl}
        told = {
            "SetDelay": None if said.delay is None else {"delay_requestable": round(said.delay)},
            "BlockQueueUntil": None if said.block_until is None else {"time": round(said.block_until)},
            "SetCrawlLimit": None if said.limit is None else {"limit": said.limit},
        }
        for name, fields in told.items():
            if fields is not None:
                yield from ask(GrpcCall(name, about | fields, _nothing))

    @asked
    def is_active(self) -> Plan[bool]:
        """Whether anything is handed out."""
        return (yield from ask(GrpcCall("GetActive", {}, lambda answer: bool(answer.state))))

    @asked
    def set_active(self, state: bool) -> Plan[None]:
        """Pauses all, or goes on."""
        yield from ask(GrpcCall("SetActive", {"state": state}, _nothing))


def _known(site: str, page: PageReport) -> Put:
    return Put(page.url, site, is_known=True, due=page.due)


def _item(put: Put, crawl: str) -> Any:
    messages = protocol_schema().messages
    info = messages["URLInfo"](url=put.url, key=put.key, crawlID=crawl)
    for name, values in orjson.loads(put.metadata).items() if put.metadata else ():
        info.metadata[name].values.extend(values)
    if not put.is_known:
        return messages["URLItem"](discovered=messages["DiscoveredURLItem"](info=info))
    due = 0 if put.due in (None, NEVER_AGAIN) else max(1, round(put.due or 0.0))
    return messages["URLItem"](known=messages["KnownURLItem"](info=info, refetchable_from_date=due))


def _taken(put: Put, status: int) -> Taken:
    if status == _OK:
        return Taken.UPDATED if put.is_known else Taken.NEW
    is_url = written(put.url, put.key) is not None and len(put.url) <= LONGEST_URL and len(put.key) <= LONGEST_KEY
    return Taken.KNOWN if is_url and not put.is_known else Taken.REFUSED


def _urls(answers: Iterable[Any]) -> list[QueueUrl]:
    return [QueueUrl(one.url, one.key, one.crawlID, _text(one.metadata)) for one in answers]


def _text(metadata: Any) -> str:
    values = {name: list(listed.values) for name, listed in metadata.items()}
    return orjson.dumps(values, option=orjson.OPT_SORT_KEYS).decode() if values else ""


def _counts(answer: Any) -> QueueStats:
    completed = int(answer.counts["completed"])
    return QueueStats(
        queues=answer.numberOfQueues,
        urls=answer.size + completed,
        completed=completed,
        locked=answer.inProcess,
        active_queues=int(answer.counts["active_queues"]),
    )


def _nothing(_: Any) -> None:
    """Only that it was done."""
