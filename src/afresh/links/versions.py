"""Versions of a page: what arrived is read and kept, what is stored is read again and compared."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from afresh.base.errors import UsageError
from afresh.base.models import Fetched
from afresh.base.records.link_status import Usage
from afresh.base.records.links import ModelChoice, NewVersion, Version
from afresh.links.measures import Profile
from afresh.links.verdicts import Influence, Piece, Verdict, VerdictModel, diff_pages, explain, judge_pages
from afresh.parse.apart import read_text
from afresh.parse.documents import mark_of, read_document

if TYPE_CHECKING:
    from afresh.base.records.link_store import LinkReader

_CACHED = 64  # profiles of versions kept in memory
#: the model that judges a link of which this was chosen
ModelFor = Callable[[ModelChoice], VerdictModel]

UNREADABLE = ("binary", "empty")  # kinds of documents that say nothing


def read_outcome(outcome: Fetched) -> Profile:
    """What arrived, read by the reader of its content type."""
    content_type = outcome.trip.headers.get("content-type", "")
    page = read_text(read_document, outcome.body, url=outcome.trip.final_url, content_type=content_type)
    return Profile(page)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two stored versions of a link side by side: the verdict, the measures that decided, what changed."""

    old: Version
    new: Version
    verdict: Verdict
    influences: tuple[Influence, ...]
    difference: tuple[Piece, ...]


def compare_versions(
    links: LinkReader, resource: int, *, old: int | None = None, new: int | None = None, model: ModelFor
) -> Comparison:
    """Compares two versions of a link; None stands for the reference and for the newest one."""
    link = links.link(resource)
    newest = links.versions(resource, limit=1)
    old = link.state.reference if old is None else old
    if old is None or not newest:
        raise UsageError(f"no version of {link.url} is stored yet; it has to be checked first")
    before, after = links.version(old), links.version(newest[0].id if new is None else new)
    for version in (before, after):
        if version.resource != resource:
            raise UsageError(f"version {version.id} is none of {link.url}; its history lists those that are stored")
    return compare_stored(links, before, after, model=model(link.model), usage=link.state.usage)


def compare_stored(
    links: LinkReader, old: Version, new: Version, *, model: VerdictModel, usage: Usage = Usage.REFERENTIAL
) -> Comparison:
    """Compares any two stored versions, be they of one link or not."""
    pages = StoredPages(links)
    before, after = pages.profile(old.id), pages.profile(new.id)
    verdict = judge_pages(before, after, model=model, usage=usage)
    return Comparison(
        old=old,
        new=new,
        verdict=verdict,
        influences=explain(verdict, model),
        difference=diff_pages(before.page, after.page),
    )
