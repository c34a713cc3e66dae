"""Models to rows and back."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from functools import lru_cache
from string import ascii_uppercase
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import orjson

from afresh.base.errors import ModelError
from afresh.base.hashing import digest64
from afresh.base.models import (
    Counters,
    Enclosure,
    Entry,
    FeedFacts,
    Moving,
    NewResource,
    ParsedEntry,
    Resource,
    Revised,
    Row,
    Site,
    SiteState,
    Validators,
    Visit,
    Window,
)
from afresh.store.buckets import BUCKETS
from afresh.store.sql.reading import read_row

if TYPE_CHECKING:
    from afresh.base.records.history import Document, StoredEntry
    from afresh.store.session import Record

_UID = 20  # bytes of SHA-1
_ID = 8  # bytes of the mark of an entry's own id
_NO_ID, _WITH_IDS = b"\0" * _ID, b"\1"
_FLOAT = np.dtype("<f8")
_SMALL = {ord(letter): letter.lower() for letter in ascii_uppercase}
_NO_FACTS = FeedFacts()
_FACT_NAMES = frozenset(field.name for field in fields(FeedFacts))
# What was written by us is read as what it was: anything else is told, and does no harm further on.
_FACTS = msgspec.json.Decoder(FeedFacts)
_STRINGS = msgspec.json.Decoder(tuple[str, ...])
_ENCLOSURES = msgspec.json.Decoder(tuple[Enclosure, ...])
_ANNOUNCED = msgspec.json.Decoder(dict[str, tuple[int, float | None]])


# --- pieces ----------------------------------------------------------------------------------------------------------


def url_key(url: str) -> int:
    """The number a URL is looked up by: 64 bits of BLAKE2b, signed as SQLite's integers are.

    Links to parts of a page have that of the page: whoever visits one finds the others by it.
    """
    return int.from_bytes(digest64(url.partition("#")[0]), "big", signed=True)


def clean(text: str) -> str:
    """Text a database can hold: lone surrogates (JSON feeds can carry them) and NUL are replaced."""
    if text.isascii():
        return text.replace("\0", "\ufffd") if "\0" in text else text
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\0", "\ufffd")


def searched(text: str) -> str:
    """Text to look for in what ``lower`` made small: both databases make small the letters of ASCII only."""
    return clean(text).translate(_SMALL)


def finite(value: float | None) -> float | None:
    """A number or nothing: what a server says about time may be anything."""
    return None if value is None or not math.isfinite(value) else float(value)


def pack_floats(row: Row) -> bytes:
    return np.ascontiguousarray(row, dtype=_FLOAT).tobytes() if len(row) else b""  # nothing is known of what is new


def unpack_floats(blob: bytes) -> Row:
    """A row of its own: the rule that owns it changes it in place."""
    return np.frombuffer(blob, dtype=_FLOAT).astype(np.float64)


def pack_window(window: Window) -> bytes:
    uids = b"".join(window.uids)
    if len(uids) != _UID * len(window.uids) or any(len(uid) != _UID for uid in window.uids):
        raise ModelError(f"an entry's identity has {_UID} bytes")
    if len(window.times) != len(window.uids):
        raise ModelError(f"a window of {len(window.uids)} entries has {len(window.times)} times")
    if not any(window.ids):
        return uids + pack_floats(window.times)
    if len(window.ids) != len(window.uids) or any(len(mark) not in (0, _ID) for mark in window.ids):
        raise ModelError(f"a window of {len(window.uids)} entries has as many marks of ids, of {_ID} bytes or none")
    ids = b"".join(mark or _NO_ID for mark in window.ids)
    return _WITH_IDS + uids + pack_floats(window.times) + ids


def unpack_window(blob: bytes) -> Window:
    """A window; with ids it is longer by a byte in front, by which no length can be that of one without."""
    if not blob:
        return Window()
    has_ids = len(blob) % (_UID + _FLOAT.itemsize) != 0
    count, rest = divmod(len(blob) - has_ids, _UID + _FLOAT.itemsize + has_ids * _ID)
    if rest or (has_ids and not blob.startswith(_WITH_IDS)):
        raise ValueError(f"a window of {len(blob)} bytes")
    uids_to = has_ids + count * _UID
    times_to = uids_to + count * _FLOAT.itemsize
    uids = tuple(blob[start : start + _UID] for start in range(int(has_ids), uids_to, _UID))
    marks = (blob[start : start + _ID] for start in range(times_to, len(blob), _ID))
    ids = tuple(b"" if mark == _NO_ID else mark for mark in marks)
    return Window(uids, unpack_floats(blob[uids_to:times_to]), ids)


def pack_facts(facts: FeedFacts) -> str:
    if facts == _NO_FACTS:
        return ""
    try:
        return orjson.dumps(facts).decode()
    except TypeError:  # text that is not Unicode
        values = {name: getattr(facts, name) for name in _FACT_NAMES}
        return orjson.dumps({k: clean(v) if isinstance(v, str) else v for k, v in values.items()}).decode()


def unpack_facts(text: str) -> FeedFacts:
    if not text:
        return _NO_FACTS
    return _FACTS.decode(text)


def pack_strings(strings: Iterable[str]) -> str:
    return orjson.dumps([clean(string) for string in strings]).decode() if strings else "[]"


#: The same of what many have alike.
_pack_tags = lru_cache(maxsize=1_024)(pack_strings)


def unpack_strings(text: str) -> tuple[str, ...]:
    return () if text == "[]" else _STRINGS.decode(text)


def pack_words(words: Iterable[str]) -> str:
    """As ``pack_strings``; nothing at all is kept of no words, as nearly always."""
    return pack_strings(words) if words else ""


def unpack_words(text: str) -> tuple[str, ...]:
    return _STRINGS.decode(text) if text else ()


def pack_enclosures(enclosures: Sequence[Enclosure]) -> str:
    if not enclosures:
        return ""
    return orjson.dumps(
        [{"url": clean(file.url), "type": clean(file.type), "length": file.length} for file in enclosures]
    ).decode()


def unpack_enclosures(text: str) -> tuple[Enclosure, ...]:
    return _ENCLOSURES.decode(text) if text else ()


def unpack_announced(text: str) -> Mapping[str, int]:
    """How often a change was announced since the last visit, by signal."""
    return {signal: int(noted[0]) for signal, noted in _ANNOUNCED.decode(text).items()} if text else {}


# --- resources -------------------------------------------------------------------------------------------------------


def to_resource(record: Record) -> Resource:
    row = dict(zip(record.keys(), record, strict=True))  # SQLite looks for each name among all columns of a record
    return read_row(
        Resource,
        row,
        tags=unpack_strings(row["tags"]),
        state=unpack_floats(row["state"]),
        window=unpack_window(row["window"]),
        validators=read_row(Validators, row),
        moving=Moving(target=row["moving_target"], days=row["moving_days"], last_day=row["moving_last_day"]),
        facts=unpack_facts(row["facts"]),
        counters=read_row(Counters, row),
        announced=unpack_announced(row["announced"]),
        repaired=unpack_words(row["repaired"]),
    )


def from_new_resource(new: NewResource, *, number: int, key: int, site_id: int, now: float) -> tuple[object, ...]:
    """The values of ``add_resource`` by their places: by their names a long list takes a tenth longer to import."""
    due = now if new.due is None else new.due
    if math.isnan(due) or not math.isfinite(new.weight):
        raise ModelError(f"{new.url}: due {due} and weight {new.weight} have to be numbers")
    return (
        site_id % BUCKETS,  # PostgreSQL's alone
        number,
        site_id,
        key,
        str(new.kind),
        str(new.status),
        float(due),
        float(now),
        float(new.weight),
        new.url,
        clean(new.title),
        clean(new.folder),
        _pack_tags(tuple(new.tags)),
        clean(new.note),
        finite(new.saved),
    )


def from_special_resource(new: NewResource) -> tuple[object, ...]:
    """What ``add_special_resource`` has besides; nothing if all of it is as the table has it by itself."""
    if new.rule is None and new.pinned is None and not new.home and not new.state_of and not len(new.state):
        return ()
    facts = pack_facts(FeedFacts(site_url=new.home)) if new.home else ""
    return new.rule, finite(new.pinned), new.state_of, pack_floats(new.state), facts


def from_resource(resource: Resource, *, status: str, bucket: int) -> Mapping[str, object]:
    """What a report may change about a resource of this bucket, and the status it has from now on."""
    if math.isnan(resource.due):
        raise ModelError(f"{resource.url}: the next visit is not a time")
    if not math.isfinite(resource.frequency) or resource.frequency < 0.0:
        raise ModelError(f"{resource.url}: {resource.frequency} visits a second are not possible")
    counters = resource.counters
    return {
        "bucket": bucket,
        "id": resource.id,
        "kind": str(resource.kind),
        "status": status,
        "title": clean(resource.title),
        "due": float(resource.due),
        "last_visit": finite(resource.last_visit),
        "last_ok": finite(resource.last_ok),
        "last_interval": finite(resource.last_interval),
        "max_age": finite(resource.max_age),
        "clock_offset": finite(resource.clock_offset) or 0.0,
        "capacity": int(resource.capacity),
        "ok": int(counters.ok),
        "not_modified": int(counters.not_modified),
        "unreachable": int(counters.unreachable),
        "unparsable": int(counters.unparsable),
        "misses": int(counters.misses),
        "entries": int(counters.entries),
        "failures": int(counters.failures),
        "bytes": int(counters.bytes),
        "moving_target": clean(resource.moving.target),
        "moving_days": int(resource.moving.days),
        "moving_last_day": int(resource.moving.last_day),
        "pattern": resource.pattern,
        "last_result": None if resource.last_result is None else str(resource.last_result),
        "state_of": resource.state_of,
        "etag": clean(resource.validators.etag),
        "last_modified": clean(resource.validators.last_modified),
        "error": clean(resource.error),
        "reason": clean(resource.reason),
        "facts": pack_facts(resource.facts),
        "state": pack_floats(resource.state),
        "window": pack_window(resource.window),
        "repaired": pack_words(resource.repaired),
        "turn": finite(resource.turn),
        "frequency": float(resource.frequency),
        "is_success": int(resource.last_result is not None and resource.last_result.is_success),
    }


# --- sites, visits, entries, documents -------------------------------------------------------------------------------


def to_site(row: Record) -> Site:
    return read_row(
        Site,
        row,
        ready=math.inf if row["ready"] is None else row["ready"],
        leased_by=row["leased_by"] or "",
        leased_until=row["leased_until"] or 0.0,
        state=to_site_state(row),
    )


def to_site_state(row: Record) -> SiteState:
    state = row["state"] if len(row["state"]) % _FLOAT.itemsize == 0 else b""  # damaged: learnt anew
    return read_row(SiteState, row, row=unpack_floats(state))


def from_visit(bucket: int, visit: Visit) -> tuple[object, ...]:
    return (
        bucket,
        int(visit.resource),
        float(visit.started),
        float(visit.finished),
        str(visit.result),
        None if visit.status is None else int(visit.status),
        int(visit.bytes),
        clean(visit.etag),
        clean(visit.last_modified),
        finite(visit.date),
        finite(visit.expires),
        finite(visit.max_age),
        None if visit.window_size is None else int(visit.window_size),
        int(visit.new),
        int(visit.missed),
        float(visit.next_due),
        clean(visit.reason),
        clean(visit.error),
        pack_words(visit.repaired),
    )


def to_visit(row: Record) -> Visit:
    return read_row(Visit, row, resource=row["resource_id"], repaired=unpack_words(row["repaired"]))


def distinct(entries: Sequence[Entry]) -> list[Entry]:
    """Each identity once, the first of equals: a document may well list an entry twice."""
    return list({entry.uid: entry for entry in reversed(entries)}.values())[::-1]


def from_entry(bucket: int, resource: int, entry: Entry) -> tuple[object, ...]:
    published = finite(entry.published)
    return (
        bucket,
        resource,
        entry.uid,
        float(entry.found) if published is None else published,
        finite(entry.published_raw),
        float(entry.found),
        int(entry.initial),
        int(entry.after_gap),
        *_said(entry.parsed).values(),
    )


def from_revised(bucket: int, resource: int, entry: Revised) -> Mapping[str, object]:
    said = {name: value for name, value in _said(entry.parsed).items() if name != "date_source"}
    times = {"published": float(entry.published), "published_raw": finite(entry.parsed.published)}
    return {"bucket": bucket, "resource_id": resource, **times, **said}


def _said(entry: ParsedEntry) -> dict[str, object]:
    """What an entry says of itself, by column and in their order."""
    return {
        "updated": finite(entry.updated),
        "date_source": entry.date_source,
        "native_id": clean(entry.native_id),
        "title": clean(entry.title),
        "link": clean(entry.link),
        "author": clean(entry.author),
        "categories": pack_strings(entry.categories),
        "summary": clean(entry.summary),
        "content": clean(entry.content),
        "language": clean(entry.language),
        "enclosures": pack_enclosures(entry.enclosures),
    }


def to_entry(row: Record) -> StoredEntry:
    """An entry; its parsed date is the raw one, which is all the store keeps."""
    from afresh.base.records.history import StoredEntry  # noqa: PLC0415 (only for who reads what was found)

    parsed = read_row(
        ParsedEntry,
        row,
        published=row["published_raw"],
        categories=unpack_strings(row["categories"]),
        enclosures=unpack_enclosures(row["enclosures"]),
    )
    entry = read_row(Entry, row, parsed=parsed)
    return read_row(StoredEntry, row, resource=row["resource_id"], entry=entry)


def to_document(row: Record, body: bytes) -> Document:
    from afresh.base.records.history import Document  # noqa: PLC0415

    return read_row(Document, row, resource=row["resource_id"], body=body)
