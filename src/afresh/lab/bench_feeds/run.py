"""Documents a second of each reader in alternating rounds, and for how many documents they agree."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from afresh.base.errors import UsageError
from afresh.lab.bench_feeds.readers import Found, Reader, found_by_afresh, read_in_full, readers
from afresh.lab.bench_feeds.reasons import ASPECTS, IMPOSSIBLE, reasons

_MOST_SHOWN = 50  # differences listed
_LARGEST = 32 * 2**20

Row = dict[str, object]


def documents_in(folder: Path) -> dict[str, bytes]:
    """The files below a folder by their paths within it."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size <= _LARGEST)
    if not paths:
        raise UsageError(f"no document in {folder}")
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def bench_feeds(kind: str, named: Mapping[str, bytes], *, rounds: int = 5) -> Row:
    """One row of figures for documents of one kind."""
    known = readers()
    found = {name: _found(reader, named) for name, reader in known.items()}
    feeds = [key for key in named if any(of[key].ids for of in found.values())]
    if not feeds:
        raise UsageError(f"none of the {len(named)} documents has entries for any reader")
    bodies = [named[key] for key in feeds]
    seconds = _seconds({**known, "afresh_in_full": Reader(read_in_full, found_by_afresh)}, bodies, rounds)
    row: Row = {
        "kind": kind,
        "documents": len(feeds),
        "without_entries": len(named) - len(feeds),
        "mean_kilobytes": sum(map(len, bodies)) / len(bodies) / 1000,
        **{f"{name}_per_second": len(bodies) / spent for name, spent in seconds.items()},
    }
    for name, reader in known.items():
        if name != "afresh":
            read = [key for key in feeds if reader.reads_json or not _is_json(named[key])]
            row[f"times_{name}"] = seconds[name] / seconds["afresh"] if read else None
            row |= _agreement(name, read, found["afresh"], found[name])
    return row


def _is_json(body: bytes) -> bool:
    return body.lstrip()[:1] == b"{"


def _found(reader: Reader, named: Mapping[str, bytes]) -> dict[str, Found]:
    return {key: reader.found(reader.read(body)) for key, body in named.items()}


def _seconds(known: Mapping[str, Reader], bodies: Sequence[bytes], rounds: int) -> dict[str, float]:
    """Processor time of the best pass over all documents. Passes alternate, so that a busy machine slows all alike."""
    best = dict.fromkeys(known, float("inf"))
    for _ in range(rounds):
        for name, reader in known.items():
            start = time.process_time()
            for body in bodies:
                reader.read(body)
            best[name] = min(best[name], time.process_time() - start)
    return best


def _agreement(name: str, feeds: Sequence[str], ours: Mapping[str, Found], theirs: Mapping[str, Found]) -> Row:
    """The share of documents in which both find the same, why they do not in how many, and in which."""
    named = {key: why for key in feeds if (why := reasons(ours[key], theirs[key]))}
    shares: Row = {
        f"same_{aspect}_as_{name}": 1 - sum(aspect in why for why in named.values()) / len(feeds) if feeds else None
        for aspect in ASPECTS
    }
    # Beside the share of all documents, never in its place.
    impossible = sum(why.get("dates") == IMPOSSIBLE for why in named.values())
    others = sum("dates" in why for why in named.values()) - impossible
    left = len(feeds) - impossible
    shares |= {
        f"impossible_dates_to_{name}": impossible,
        f"same_dates_as_{name}_without_these": 1 - others / left if left else None,
    }
    counted = Counter(f"{aspect}: {reason}" for why in named.values() for aspect, reason in why.items())
    return shares | {
        f"differing_because_{name}": dict(counted.most_common()),
        f"differing_from_{name}": [f"{key}: {', '.join(why)}" for key, why in named.items()][:_MOST_SHOWN],
    }
