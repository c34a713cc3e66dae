"""What a store tells of the past: entries by their sequence, what happened minute by minute, answers kept for study."""

from dataclasses import dataclass

from afresh.base.models import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEntry:
    """An entry with its place in the one monotonic sequence consumers read by."""

    seq: int
    resource: int
    url: str  # of the feed
    entry: Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A raw answer kept for study (unparsable) or for the archive (with news)."""

    resource: int
    at: float
    why: str  # "unparsable" | "news"
    headers: str
    body: bytes


@dataclass(frozen=True, slots=True)
class KeptDocument:
    """A raw answer with its place in the sequence of all."""

    number: int  # only grows
    url: str  # of the resource
    document: Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """What all visits of a stretch of time came to."""

    start: float
    visits: int
    errors: int  # visits that failed, our own outages apart
    entries: int  # found
    missed: int  # entries taken for lost, by estimate: windows that did not overlap
    bytes: int  # received
    mean_delay: float | None  # from publication to finding, seconds; None: no entry with a delay
