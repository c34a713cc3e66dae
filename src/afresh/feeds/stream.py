"""From two documents of a feed to its stream: identity, new and missed entries, corrected times.

Reichert §3.5.2 (new, known, missed), §3.5.3 (identity), §3.5.5 (times). Nothing here touches a clock or a store.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha1
from statistics import median

import numpy as np

from afresh.base.models import Entry, ParsedEntry, Revised, Row, Window

#: HTTP dates have a resolution of one second, and an answer takes a moment: smaller offsets are noise, not clocks.
CLOCK_NOISE = 2.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a document brought, seen against the last one with entries."""

    new: tuple[Entry, ...]  # in order of publication
    revised: tuple[Revised, ...]  # known by their own marks, with another title or link
    window: Window  # to compare the next document with
    missed: bool  # no overlap: zero or more entries were lost in between (Eq. 3.1)
    request_time_dates: bool  # the server made the dates when we asked; they were not used


def entry_uid(entry: ParsedEntry) -> bytes:
    """SHA-1 over title, link and native id (Reichert Alg. 1).

    Dates are left out, for some servers renew them at each request. An edited title makes another one; whether that is
    a new entry, ``compare`` decides (docs/decisions/0041).
    """
    key = entry.title + entry.link + entry.native_id
    return sha1(key.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()


def own_marks(entries: Mapping[bytes, ParsedEntry]) -> dict[bytes, bytes]:
    """A mark of what each entry has to itself in its document, by identity; b"": it has nothing.

    That is its id. Some feeds give all of their entries one, which says nothing of any. Where there is no id, it is
    the link together with the date: a page under one address may well tell something else every day.
    """
    keys = {uid: _key(entry) for uid, entry in entries.items()}
    count = Counter(keys.values())
    return {uid: _mark(key) if count[key] == 1 else b"" for uid, key in keys.items()}


def _key(entry: ParsedEntry) -> str:
    """What an entry may be known by whatever its title is; empty: nothing. No id begins with a new line."""
    if entry.native_id:
        return entry.native_id
    return f"\n{entry.published} {entry.link}" if entry.link and entry.published is not None else ""


def _mark(key: str) -> bytes:
    return sha1(key.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()[:8] if key else b""


def has_request_time_dates(entries: Sequence[ParsedEntry], server_now: float) -> bool:
    """Whether all entries carry one date and that is the moment of the answer (§3.5.5).

    A single entry dated "now" proves nothing: it may just have been published.
    """
    dates = [entry.published for entry in entries if entry.published is not None]
    if len(dates) < 2 or len(dates) < len(entries):
        return False
    gaps = [b - a for a, b in zip(sorted(dates), sorted(dates)[1:], strict=False)]
    return median(gaps) == 0 and max(dates) - min(dates) <= 1 and abs(max(dates) - server_now) <= 1


def corrected_time(raw: float | None, *, now: float, previous_poll: float | None, clock_offset: float) -> float:
    """The time used for intervals and delays; ``now`` where the published one cannot be true (§3.5.5).

    >>> corrected_time(90.0, now=100.0, previous_poll=80.0, clock_offset=0.0)
    90.0
    >>> corrected_time(70.0, now=100.0, previous_poll=80.0, clock_offset=0.0)  # it would have been seen at 80
    100.0
    >>> corrected_time(80.0, now=100.0, previous_poll=80.4, clock_offset=0.0)  # in that second, but after the poll
    80.4
    """
    if raw is None:
        return now
    shifted = raw + clock_offset if abs(clock_offset) > CLOCK_NOISE else raw
    if shifted > now:
        return now
    if previous_poll is None or shifted >= previous_poll:
        return shifted
    # Most dates have whole seconds: they mean all of that second, of which the end may come after the poll.
    return previous_poll if raw.is_integer() and previous_poll < shifted + 1.0 else now


def lost_between(times: Row, *, now: float, previous_poll: float, newest_before: float) -> float:
    """Entries taken for lost before a window that does not overlap the one before.

    What lies between the last poll and its oldest entry: as many as it shows in as much time. What was published in one
    moment counts as one publication, and the oldest is where the time begins that the others are counted in. A window
    of one moment says nothing of the time before: as long as the feed was silent before the last poll
    (``newest_before``), it is believed to have been after it; past that, what is known are two publications.

    >>> lost_between(np.array([80.0, 90.0, 100.0]), now=105.0, previous_poll=30.0, newest_before=25.0)
    4.0
    >>> batch = np.array([100.0, 100.0, 100.0])
    >>> lost_between(batch, now=105.0, previous_poll=80.0, newest_before=40.0)
    0.0
    >>> lost_between(batch, now=105.0, previous_poll=60.0, newest_before=25.0)
    1.5
    """
    oldest, moments = float(times[0]), len(np.unique(times))
    gap = max(0.0, oldest - previous_poll)
    if moments > 1:
        rate = (moments - 1) / max(1.0, now - oldest)
    else:
        rate = 0.0 if previous_poll - newest_before >= gap else 1.0 / max(1.0, now - newest_before)
    return rate * gap * len(times) / moments


def compare(
    entries: Sequence[ParsedEntry],
    known: Window,
    *,
    now: float,
    previous_poll: float | None,
    clock_offset: float = 0.0,
) -> Comparison:
    """Find the new entries of a document and what was missed.

    ``known`` is the last window that had entries; ``previous_poll`` the last successful poll, None at the first, when
    old dates are taken as they are. An empty document changes nothing.

    Beyond Alg. 1: an entry with the id of a known one is that entry, revised, whatever its title and link are now; of
    those without ids, one with the link and the date of a known one. Only a document of one entry that is dated after
    the last poll has a new one: some tell how things stand under one id.
    """
    if not entries:
        return Comparison((), (), known, missed=False, request_time_dates=False)
    undated = has_request_time_dates(entries, now - clock_offset)
    seen = dict(zip(known.uids, known.times, strict=True))
    marked = dict(zip(known.uids, known.ids, strict=False))
    initial = not known.uids and previous_poll is None
    # Documents list the newest first as a rule: reversed, a stable sort keeps the order of equal times.
    unique = {entry_uid(entry): entry for entry in reversed(entries)}
    marks = own_marks(unique)
    named = {mark: uid for uid, mark in marked.items() if mark and uid not in unique}  # who is there is no other one
    if len(unique) == 1 and previous_poll is not None and (entries[0].published or 0.0) > previous_poll:
        named = {}
    times: dict[bytes, float] = {}
    new: list[tuple[float, bytes, ParsedEntry]] = []
    revised: list[Revised] = []
    for uid, entry in unique.items():
        before = uid if uid in seen else named.get(marks[uid])
        if before is not None:
            times[uid] = float(seen[before])
            if before != uid:
                revised.append(Revised(times[uid], entry))
            elif not entry.native_id and marked.get(uid, marks[uid]) != marks[uid]:
                marks[uid] = b""  # dated anew: the store knows it by the date of its first sight
            continue
        raw = None if undated else entry.published
        times[uid] = corrected_time(raw, now=now, previous_poll=previous_poll, clock_offset=clock_offset)
        new.append((times[uid], uid, entry))
    missed = bool(known.uids) and len(new) == len(unique)
    new.sort(key=lambda item: item[0])
    found = tuple(
        Entry(
            uid=uid,
            published=time,
            published_raw=entry.published,
            found=now,
            initial=initial,
            after_gap=missed and position == 0,
            parsed=entry,
        )
        for position, (time, uid, entry) in enumerate(new)
    )
    order = sorted(times, key=times.__getitem__)
    window = Window(
        tuple(order), np.array([times[uid] for uid in order], dtype=np.float64), tuple(marks[uid] for uid in order)
    )
    return Comparison(found, tuple(revised), window, missed, undated)


def joined(known: Window, shown: Window, *, most: int) -> Window:
    """The window after a document that was cut off: what it did not come to has not left it.

    ``most``: of one whose end is never there it would grow for ever.
    """
    ids = dict(zip(known.uids, known.ids, strict=False)) | dict(zip(shown.uids, shown.ids, strict=False))
    times = dict(zip(known.uids, known.times, strict=True)) | dict(zip(shown.uids, shown.times, strict=True))
    renamed = set(filter(None, shown.ids))
    kept = [uid for uid in times if uid in shown.uids or ids.get(uid, b"") not in renamed]
    order = sorted(kept, key=times.__getitem__)[-most:]
    return Window(tuple(order), np.array([times[uid] for uid in order]), tuple(ids.get(uid, b"") for uid in order))
