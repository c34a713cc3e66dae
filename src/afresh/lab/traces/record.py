"""Our own recordings: what the store has seen of its feeds, as a trace."""

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from afresh.base.models import Kind, Resource, ResourceFilter, Visit
from afresh.base.protocols import Store
from afresh.base.records.history import StoredEntry
from afresh.lab.replay.trace import RecordedPolls, Trace
from afresh.lab.traces.streams import pack

PAGE = 10_000


def all_entries(store: Store, resource: int | None = None) -> Iterator[StoredEntry]:
    """Every entry in the order it was found."""
    after = 0
    while page := store.entries(after=after, limit=PAGE, resource=resource):
        yield from page
        after = page[-1].seq


def all_visits(store: Store, resource: int | None = None) -> Iterator[Visit]:
    """Every visit, newest first."""
    before: int | None = None
    while page := store.visits(resource=resource, before=before, limit=PAGE):
        yield from (visit for _, visit in page)
        before = page[-1][0]


def record_trace(store: Store, *, where: ResourceFilter | None = None, name: str = "recorded") -> Trace:
    """The feeds of a store with their entries (corrected times) and polls (window, bytes).

    Only successful visits are polls of the trace. A 304 shows the window of the visit before it.
    """
    chosen = where or ResourceFilter(kind=Kind.FEED)
    feeds = [feed for feed in store.iterate(chosen) if feed.kind is Kind.FEED]
    place = {feed.id: i for i, feed in enumerate(feeds)}
    streams: list[list[float]] = [[] for _ in feeds]
    for stored in all_entries(store):
        if stored.resource in place:
            streams[place[stored.resource]].append(stored.entry.published)
    offsets, times = pack(streams)
    polls = _polls(store, place)
    return Trace(
        name=name,
        feed_ids=np.array([feed.id for feed in feeds], dtype=np.int64),
        offsets=offsets,
        times=times,
        windows=_windows(feeds, polls),
        columns=_columns(feeds),
        polls=polls if len(polls.times) else None,
    )


def _polls(store: Store, place: dict[int, int]) -> RecordedPolls:
    seen: dict[int, list[Visit]] = defaultdict(list)
    for visit in all_visits(store):
        if visit.resource in place and visit.result.is_success:
            seen[place[visit.resource]].append(visit)
    rows: list[tuple[float, int, float]] = []
    counts = np.zeros(len(place), dtype=np.int64)
    for i in range(len(place)):
        window = 0
        for visit in sorted(seen[i], key=lambda v: v.started):
            window = window if visit.window_size is None else visit.window_size
            rows.append((visit.started, window, float(visit.bytes)))
        counts[i] = len(seen[i])
    table = np.array(rows, dtype=np.float64).reshape(-1, 3)
    return RecordedPolls(
        offsets=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        times=table[:, 0].copy(),
        windows=table[:, 1].astype(np.int64),
        sizes=table[:, 2].copy(),
    )


def _windows(feeds: list[Resource], polls: RecordedPolls) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The last window a poll saw with entries in it, else the capacity known to the resource."""
    out = np.ones(len(feeds), dtype=np.int64)
    for i, feed in enumerate(feeds):
        shown = polls.windows[polls.offsets[i] : polls.offsets[i + 1]]
        shown = shown[shown > 0]
        out[i] = max(1, int(shown[-1]) if len(shown) else max(feed.capacity, len(feed.window)))
    return out


def _columns(feeds: list[Resource]) -> dict[str, list[str]]:
    """What is known of each feed; flags are 1 or 0, absent values empty."""

    def flag(value: object) -> str:
        return "1" if value else "0"

    return {
        "url": [feed.url for feed in feeds],
        "host": [feed.site for feed in feeds],
        "class": [feed.pattern for feed in feeds],
        "format": [feed.facts.format for feed in feeds],
        "ttl": ["" if feed.facts.ttl is None else f"{feed.facts.ttl:g}" for feed in feeds],
        "has_ids": [flag(feed.facts.has_ids) for feed in feeds],
        "has_dates": [flag(feed.facts.has_dates and not feed.facts.request_time_dates) for feed in feeds],
        "has_cloud": [flag(feed.facts.cloud) for feed in feeds],
        "has_hub": [flag(feed.facts.hub) for feed in feeds],
        "has_skip_hours": [flag(feed.facts.skip_hours) for feed in feeds],
        "has_skip_days": [flag(feed.facts.skip_days) for feed in feeds],
        "conditional": [flag(feed.counters.not_modified) for feed in feeds],
        "misses": [str(feed.counters.misses) for feed in feeds],
        "failed": [str(feed.counters.failed) for feed in feeds],
    }
