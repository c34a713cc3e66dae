"""Versions of a page: what arrived is read and kept, what is stored is read again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

from afresh.base.models import Fetched
from afresh.base.records.links import ModelChoice, NewVersion
from afresh.links.measures.profile import Profile
from afresh.parse.child_reader import read_text
from afresh.parse.documents import mark_of, read_document

if TYPE_CHECKING:
    from afresh.base.records.link_store import LinkReader
    from afresh.links.verdicts.model import VerdictModel

_CACHED = 64  # profiles of versions kept in memory
#: the model that judges a link of which this was chosen
ModelFor = Callable[[ModelChoice], "VerdictModel"]

UNREADABLE = ("binary", "empty")  # kinds of documents that say nothing


def read_outcome(outcome: Fetched) -> Profile:
    """What arrived, read by the reader of its content type."""
    content_type = outcome.trip.headers.get("content-type", "")
    page = read_text(read_document, outcome.body, url=outcome.trip.final_url, content_type=content_type)
    return Profile(page, asked=outcome.trip.url)


def version_of(outcome: Fetched, page: Profile) -> NewVersion:
    """What arrived, to be stored."""
    return NewVersion(
        at=outcome.trip.finished,
        url=outcome.trip.final_url,
        mark=mark_of(page.page, outcome.body),
        body=outcome.body,
        content_type=outcome.trip.headers.get("content-type", "")[:200],
        title=page.page.title,
    )


class StoredPages:
    """Stored versions as they are compared; those asked for lately stay in memory."""

    def __init__(self, links: LinkReader) -> None:
        self._links = links
        self._profiles: OrderedDict[int, Profile] = OrderedDict()
        self._lock = Lock()

    def profile(self, version: int) -> Profile:
        with self._lock:
            known = self._profiles.get(version)
            if known is not None:
                self._profiles.move_to_end(version)
                return known
        stored = self._links.version(version)
        body = self._links.version_body(version)
        made = Profile(read_text(read_document, body, url=stored.url, content_type=stored.content_type))
        with self._lock:
            self._profiles[version] = made
            while len(self._profiles) > _CACHED:
                self._profiles.popitem(last=False)
        return made
