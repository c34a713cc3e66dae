"""Notices: who is to be told what, and finding it: what there is to tell is put into the outbox.

Nothing is told that is not in the store: events are found by a cursor over what was recorded, so a crash at any moment
loses none and repeats none. ``courier`` delivers them.
"""

from __future__ import annotations

import secrets
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from uuid import uuid4

from afresh.base.errors import UsageError
from afresh.base.folder_names import is_within
from afresh.base.models import Kind, ResourceFilter, Status
from afresh.base.records.notices import Delivery, Event, EventKind, NewNotice, Notice, Topic
from afresh.base.settings.sections import NoticeSettings
from afresh.notices.quiet_hours import parse_quiet
from afresh.parse.plain_text import plain_text

if TYPE_CHECKING:
    from afresh.base.protocols import Store
    from afresh.base.records.notices import BrokenLink, Failing, WorkingAgain
    from afresh.base.records.queries import Offered

_BATCH = 500  # entries looked at in one go
_TITLE = 300  # characters told of a title, and of a summary
_READ = 5_000  # of a text, markup included, that are read for its summary
_OVERLAP = 3600.0  # seconds looked back for broken links, in case a clock went back; an event is told once anyway
_CHUNK = 100  # notices read at a time
_FAILING = {"failing", "working"}  # categories of entries that say so of a page, see pages.watching
_SECRET = 16  # characters from which on a part of a path may be a key


def add_notice(store: Store, new: NewNotice, *, check_target: Callable[[str], None], now: float) -> Notice:
    """Keep a notice; it tells what happens from now on. UsageError says what is wrong with it."""
    if (new.topic.has_subject and not new.subject) or (new.subject and not new.topic.may_have_subject):
        raise UsageError(
            f"a notice about a {new.topic} needs a name" if new.topic.has_subject
            else f"a notice about {new.topic} has no subject"
        )  # fmt: skip
    if not 0.0 <= new.digest <= 30 * 86_400.0:
        raise UsageError(f"a digest gathers for 0 to 30 days, not {new.digest:g} seconds; write it like 1h")
    if new.quiet:
        parse_quiet(new.quiet)
    check_target(new.target)
    return store.notices.add_notice(new, cursor=_beginning(store, new, now), now=now)


def remark_on(store: Store, notice: Notice) -> str:
    """What somebody who made this notice may not expect: nothing is chosen by it yet. Empty: all is as it seems."""
    if notice.topic is Topic.FOLDER:
        folders = store.search.folders()
        return "" if any(is_within(name, notice.subject) for name in folders) else f"nothing is in {notice.subject} yet"
    if notice.topic in (Topic.TAG, Topic.PAGES) and notice.subject:
        is_used = store.list_resources(ResourceFilter(tag=notice.subject), limit=1)
        return "" if is_used else f"nothing is tagged {notice.subject} yet"
    return ""


def new_secret() -> str:
    """A secret to sign webhooks with: standard base64, as libraries of Standard Webhooks read it."""
    return f"whsec_{b64encode(secrets.token_bytes(32)).decode('ascii')}"


def shown_target(target: str) -> str:
    """A target for listings: without what may be a password.

    >>> shown_target("https://me:pw@example.org/hook?token=1"), shown_target("mailto://me:pw@example.org")
    ('https://example.org/hook', 'mailto://…')
    >>> shown_target("https://chat.example/services/T1/S3cr3tS3cr3tS3cr3t")  # whoever has the address may write there
    'https://chat.example/services/T1/…'
    """
    parts = urlsplit(target)
    if parts.scheme in ("http", "https"):
        path = "/".join(part if len(part) < _SECRET else "…" for part in parts.path.split("/"))
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{path}"
    return f"{target.partition('://')[0]}://…"


def trial_delivery(notice: Notice, *, now: float) -> Delivery:
    """A delivery that says only that deliveries arrive."""
    title = "A test: notices of afresh arrive here"
    event = Event(key=f"test:{now!r}", kind=EventKind.TEST, at=now, title=title, detail="nothing happened")
    return Delivery(id=0, mark=f"test-{uuid4().hex}", notice=notice, attempts=0, created=now, events=(event,))


def _beginning(store: Store, new: NewNotice, now: float) -> float:
    match new.topic:
        case Topic.QUERY:
            return float(store.queries.query(new.subject).places)
        case Topic.ENTRIES | Topic.TAG | Topic.FOLDER | Topic.PAGES:
            newest = store.entries(newest_first=True, limit=1)
            return float(newest[0].seq) if newest else 0.0
        case Topic.FAILING:
            return float(store.notices.last_visit_number())
        case Topic.BROKEN:
            return now


def _is_news(item: Offered) -> bool:
    """What a feed showed when it was first visited was there before anybody watched it."""
    return not item.stored.entry.initial


@dataclass(frozen=True, slots=True)
class Collector:
    """Finds what there is to tell and puts it into the outbox; every call one step that may be repeated."""

    store: Store
    settings: NoticeSettings

    def collect(self, now: float) -> int:
        """For all notices; how many events were new."""
        return sum(self._collect(notice, now) for notice in all_notices(self.store))

    def _collect(self, notice: Notice, now: float) -> int:
        put = 0
        while True:
            events, cursor, is_all = self._events(notice)
            if events or cursor != notice.cursor:
                put += self.store.notices.put_events(notice.id, events, cursor=cursor, now=now)
            if is_all:
                return put
            notice = self.store.notices.notice(notice.id)

    def _events(self, notice: Notice) -> tuple[list[Event], float, bool]:
        """Events behind the notice's cursor, the new cursor, and whether that was all."""
        match notice.topic:
            case Topic.QUERY:
                return self._of_query(notice)
            case Topic.ENTRIES:
                return self._of_feeds(notice, lambda _: True)
            case Topic.TAG:
                return self._of_tag(notice)
            case Topic.FOLDER:
                return self._of_feeds(notice, lambda item: is_within(item.folder, notice.subject))
            case Topic.FAILING:
                return self._failing(notice)
            case Topic.BROKEN:
                return self._broken(notice)
            case Topic.PAGES:
                return self._of_pages(notice)

    def _of_query(self, notice: Notice) -> tuple[list[Event], float, bool]:
        query = self.store.queries.query(notice.subject)
        first = int(notice.cursor) + 1
        last = min(query.places, first + _BATCH - 1)
        found = self.store.queries.published(query.id, first=first, last=last) if last >= first else []
        events = [entry_event(item.offered) for item in found if _is_news(item.offered)]
        return events, float(max(last, first - 1)), last >= query.places

    def _of_tag(self, notice: Notice) -> tuple[list[Event], float, bool]:
        return self._offered(notice, lambda item: notice.subject in item.tags and _is_news(item))

    def _of_feeds(self, notice: Notice, is_wanted: Callable[[Offered], bool]) -> tuple[list[Event], float, bool]:
        """New entries of feeds; changed pages have a topic of their own, and nobody wants to be told of one twice."""
        return self._offered(notice, lambda item: item.kind != Kind.PAGE and _is_news(item) and is_wanted(item))

    def _of_pages(self, notice: Notice) -> tuple[list[Event], float, bool]:
        """Changed pages, and those that fail unless the same target has a notice about what fails."""
        is_told_twice = any(
            other.topic is Topic.FAILING and other.target == notice.target for other in all_notices(self.store)
        )

        def is_wanted(item: Offered) -> bool:
            if item.kind != Kind.PAGE or (notice.subject and notice.subject not in item.tags):
                return False
            return not (is_told_twice and _FAILING & set(item.stored.entry.parsed.categories))

        return self._offered(notice, is_wanted)

    def _offered(self, notice: Notice, is_wanted: Callable[[Offered], bool]) -> tuple[list[Event], float, bool]:
        """New entries that are wanted."""
        found = self.store.queries.offered(after=int(notice.cursor), limit=_BATCH)
        events = [entry_event(item) for item in found if is_wanted(item)]
        return events, float(found[-1].stored.seq) if found else notice.cursor, len(found) < _BATCH

    def _failing(self, notice: Notice) -> tuple[list[Event], float, bool]:
        newest = self.store.notices.last_visit_number()
        if newest <= notice.cursor:
            return [], notice.cursor, True
        over = self.store.notices.working_again(notice.id, limit=_BATCH)
        found = self.store.notices.failing(after=int(notice.cursor), failures=self.settings.failures, limit=_BATCH)
        events = [*_working_events(over), *map(_failing_event, found)]
        is_all = len(found) < _BATCH and len(over) < _BATCH
        cursor = newest if len(found) < _BATCH else found[-1].visit
        return events, float(cursor if is_all else min(cursor, newest - 1)), is_all

    def _broken(self, notice: Notice) -> tuple[list[Event], float, bool]:
        over = self.store.notices.links_working_again(notice.id, limit=_BATCH)
        found = self.store.notices.broken_links(since=max(notice.created, notice.cursor - _OVERLAP), limit=10 * _BATCH)
        events = _working_events(over) + [
            _event_of(
                link, f"broken:{link.resource}:{link.changed!r}", EventKind.BROKEN_LINK, link.changed, link.detail
            )
            for link in found
        ]
        return events, max([notice.cursor, *(link.changed for link in found)]), len(over) < _BATCH


def all_notices(store: Store) -> list[Notice]:
    """Every notice; there are few."""
    found: list[Notice] = []
    while page := store.notices.list_notices(after=found[-1].id if found else 0, limit=_CHUNK):
        found += page
    return found


def _failing_event(found: Failing) -> Event:
    """Once a row of failures, and once more if it ends with an answer after which nobody asks again."""
    row = f"{found.resource}:{found.last_ok!r}"
    if found.status in (Status.GONE, Status.BLOCKED):
        detail = (
            f"{found.status}: {found.error}; not visited any more, `afresh set {found.resource} --resume` asks again"
        )
        return _event_of(found, f"gone:{row}", EventKind.GONE, found.at, detail)
    kind = EventKind.FAILING_PAGE if found.kind is Kind.PAGE else EventKind.FAILING_FEED
    return _event_of(found, f"failing:{row}", kind, found.at, f"failed {found.failures} times in a row: {found.error}")


def _working_events(found: Sequence[WorkingAgain]) -> list[Event]:
    """One a row of failures, whatever was told of it; the store's ``working_again`` knows these keys."""
    made = {f"working:{item.key.partition(':')[2]}": item for item in found}
    return [_event_of(item, key, EventKind.WORKS_AGAIN, item.at, "works again") for key, item in made.items()]


def _event_of(found: Failing | WorkingAgain | BrokenLink, key: str, kind: EventKind, at: float, detail: str) -> Event:
    """About a feed, page or link itself."""
    return Event(
        key=key,
        kind=kind,
        at=at,
        title=_line(found.title) or found.url,
        link=found.url,
        detail=detail,
        source=found.url,
        resource=found.resource,
        feed_url=found.url,
    )


def entry_event(offered: Offered) -> Event:
    """A new entry, or a change of a page, as it is told."""
    entry = offered.stored.entry
    is_change = offered.kind == Kind.PAGE
    return Event(
        key=f"entry:{offered.stored.seq}",
        kind=EventKind.PAGE_CHANGE if is_change else EventKind.ENTRY,
        detail=entry.parsed.summary if is_change else "",  # text of our own making: what differs, line by line
        at=entry.dated,
        title=_line(entry.parsed.title) or "(untitled)",
        link=entry.parsed.link if entry.parsed.link.lower().startswith(("http://", "https://")) else "",
        source=_line(offered.source_title) or offered.stored.url,
        resource=offered.stored.resource,
        feed_url=offered.stored.url,
        summary="" if is_change else _line((entry.parsed.summary or entry.parsed.content)[:_READ]),
    )


def _line(text: str) -> str:
    """Plain text on one line, not too long: a title must not write headers of a mail."""
    return " ".join(plain_text(text).split())[:_TITLE]
