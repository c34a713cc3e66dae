"""What the laws of a store are made of: a few feeds, entries, reports."""

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha1
from typing import Any

import numpy as np

from afresh.base.models import (
    Counters,
    Entry,
    FeedFacts,
    Lease,
    Moving,
    NewResource,
    ParsedEntry,
    Report,
    Resource,
    Result,
    Validators,
    Visit,
    Window,
)
from afresh.base.protocols import Store
from afresh.base.records.history import Document

Open = Callable[[], Store]
NOW = 1_700_000_000.0
_NO_STATE = np.empty(0)


def laws_of(module: Mapping[str, Any]) -> tuple[Callable[[Open], None], ...]:
    """The laws among the names of a module, told by their signature: none can be forgotten."""
    signature = {"open_store": Open, "return": None}
    return tuple(law for law in module.values() if getattr(law, "__annotations__", {}) == signature)


@contextmanager
def opened(open_store: Open) -> Iterator[Store]:
    """A store for the time of a ``with`` block."""
    store = open_store()
    try:
        yield store
    finally:
        store.close()


def feeds(sites: int, *, each: int = 1, due: float | None = None) -> list[NewResource]:
    """Feeds of several sites."""
    return [
        NewResource(url=f"http://site{site}.example/{page}", site=f"site{site}.example", due=due)
        for site in range(sites)
        for page in range(each)
    ]


def entry(name: str, *, published: float = NOW, found: float = NOW, initial: bool = False) -> Entry:
    """An entry known by its name."""
    uid = sha1(name.encode(), usedforsecurity=False).digest()
    parsed = ParsedEntry(title=name, link=f"http://example.org/{name}", published=published)
    return Entry(
        uid=uid,
        published=published,
        published_raw=published,
        found=found,
        initial=initial,
        after_gap=False,
        parsed=parsed,
    )


def report(
    lease: Lease,
    now: float = NOW,
    *,
    due: float | None = None,
    next_allowed: float | None = None,
    result: Result = Result.SAME,
    entries: tuple[Entry, ...] = (),
    document: Document | None = None,
    **changes: object,
) -> Report:
    """A visit of a leased resource, due again in an hour unless told otherwise."""
    due = now + 3600.0 if due is None else due
    visit = Visit(
        resource=lease.resource.id, started=now, finished=now, result=result, new=len(entries), next_due=due, bytes=100
    )
    resource = replace(lease.resource, due=due, last_visit=now, last_result=result, **changes)  # type: ignore[arg-type]
    allowed = now + 10.0 if next_allowed is None else next_allowed
    return Report(
        lease=lease.id, visit=visit, resource=resource, next_allowed=allowed, entries=entries, document=document
    )


def take(store: Store, now: float = NOW, *, until: float | None = None, limit: int = 1000) -> list[Lease]:
    """Leases for a minute."""
    until = now + 60.0 if until is None else until
    return store.lease(holder="law", now=now, until=until, limit=limit)


def full_resource(resource: Resource) -> Resource:
    """A resource whose every reportable field differs from its default."""
    uids = tuple(sha1(bytes([i]), usedforsecurity=False).digest() for i in range(3))
    return replace(
        resource,
        due=NOW + 123.5,
        last_visit=NOW,
        last_ok=NOW - 1.25,
        last_interval=77.5,
        state=np.array([1.5, -2.0, math.inf]),
        state_of="mavsync",
        window=Window(uids, np.array([1.0, 2.5, 1e9])),
        capacity=25,
        validators=Validators(etag='W/"ä"', last_modified="yesterday, perhaps"),
        moving=Moving(target="http://elsewhere.example/", days=2, last_day=19_000),
        facts=FeedFacts(format="atom10", title="Ünïcode", ttl=60.0, skip_hours=(1, 23), skip_days=(6,), has_ids=True),
        max_age=300.0,
        clock_offset=-2.5,
        counters=Counters(
            ok=1, not_modified=2, unreachable=3, unparsable=4, misses=5, entries=6, failures=7, bytes=2**40
        ),
        pattern="chunked",
        last_result=Result.NEW,
        error="none to speak of",
        reason="because",
        repaired=("bare ampersands", "ends that were missing"),
    )


def comparable(resource: Resource) -> tuple[Resource, bytes]:
    """A resource as something ``==`` works on (arrays do not say yes or no)."""
    return replace(resource, state=_NO_STATE), resource.state.tobytes()


def raises(kind: type[Exception], call: Callable[..., object], /, *args: object, **named: object) -> bool:
    """Whether a call ends in this error."""
    try:
        call(*args, **named)
    except kind:
        return True
    return False
