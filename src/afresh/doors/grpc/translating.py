"""Between messages of the wire and what the frontier knows: URLs with what is kept with them, statuses, times."""

import math
from collections.abc import Iterable
from typing import Any

import orjson

from afresh.base.records.queues import NEVER_AGAIN, Put, QueueUrl, StoredUrl, Taken
from afresh.frontier.queues import CrawlPut, crawl_name
from afresh.frontier.urlfrontier.protocol import protocol_schema
from afresh.frontier.urls import written

OK, SKIPPED, FAIL = 0, 1, 2  # statuses of an acknowledgement
STATUSES = {Taken.NEW: OK, Taken.UPDATED: OK, Taken.KNOWN: SKIPPED, Taken.REFUSED: SKIPPED}
_UNREADABLE = Put("", "")  # what a store refuses


def to_put(info: Any, *, is_known: bool = False, due: float | None = None, content_key: str = "") -> CrawlPut:
    """A ``URLInfo`` as the frontier takes it; one that cannot be kept is refused by the store, in its turn."""
    crawl = info.crawlID
    key = written(info.url, info.key)
    if key is None:
        return CrawlPut(crawl_name(crawl), _UNREADABLE)
    metadata = info.metadata
    text = _to_text(metadata) if metadata else ""
    content = "".join(metadata[content_key].values) if content_key and content_key in metadata else ""
    return CrawlPut(crawl_name(crawl), Put(info.url, key, is_known, due, text, None, content))


def item_to_put(item: Any, *, content_key: str = "") -> CrawlPut:
    """A ``URLItem``, found or known. With a ``content_key`` the frontier says when one without a date is due again."""
    if item.WhichOneof("item") == "known":
        known = item.known
        due = float(known.refetchable_from_date) or (None if content_key else NEVER_AGAIN)
        return to_put(known.info, is_known=True, due=due, content_key=content_key)
    return to_put(item.discovered.info)


def item_id(item: Any) -> str:
    """What its acknowledgement is called: as the client said, or the URL."""
    found: str = item.ID or (item.known if item.WhichOneof("item") == "known" else item.discovered).info.url
    return found


def to_info(one: QueueUrl | StoredUrl) -> Any:
    """A ``URLInfo``."""
    info = protocol_schema().messages["URLInfo"](url=one.url, key=one.key, crawlID=one.crawl)
    if one.metadata:
        for name, values in orjson.loads(one.metadata).items():
            info.metadata[name].values.extend(values)
    return info


def to_item(one: StoredUrl) -> Any:
    """A ``URLItem``, as it is listed: known, with when it was created."""
    messages = protocol_schema().messages
    due = 0 if math.isinf(one.due) else max(1, int(one.due))  # 0 is never again
    known = messages["KnownURLItem"](info=to_info(one), refetchable_from_date=due)
    return messages["URLItem"](known=known, creation_date=max(0, int(one.created)))


def infos(urls: Iterable[QueueUrl]) -> list[bytes]:
    """``URLInfo`` messages, ready to be sent."""
    return [to_info(one).SerializeToString() for one in urls]


def _to_text(metadata: Any) -> str:
    values = {name: list(listed.values) for name, listed in metadata.items()}
    return orjson.dumps(values, option=orjson.OPT_SORT_KEYS).decode()
