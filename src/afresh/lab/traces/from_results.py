"""A trace from what a crawl found: the results of a frontier, as its sinks write them, as versions of pages."""

import gzip
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from afresh.lab.traces.errors import TraceError
from afresh.lab.traces.pages import PageTrace

_SEEN = frozenset(("fetched", "not_modified"))  # results that tell what a page was


@dataclass(slots=True)
class _Page:
    site: str
    visits: dict[float, tuple[bool | None, str, int]] = field(default_factory=dict)  # changed, hash, bytes by time


def page_trace_from_results(files: Sequence[str | Path]) -> PageTrace:
    """Versions of pages by the visits of a crawl: its first visit, and each that found it changed.

    A change is as old as the visit that found it at most: between two visits nobody looked. Lines that come twice (a
    sink writes at least once) count once; of visits to which nothing came nothing is taken.
    """
    pages: dict[str, _Page] = {}
    for path in map(Path, files):
        for place, line in enumerate(_lines(path), 1):
            try:
                _note(pages, orjson.loads(line))
            except (KeyError, TypeError, ValueError) as error:
                raise TraceError(f"line {place} is no result of a frontier: {error}", path=str(path)) from error
    names = sorted(url for url, page in pages.items() if page.visits)
    if not names:
        raise TraceError("no visit of a page is in what was given", path=", ".join(map(str, files)))
    versions = [list(_versions(pages[url])) for url in names]
    flat = np.array([one for some in versions for one in some], dtype=np.float64).reshape(-1, 2)
    return PageTrace(
        name=Path(files[0]).stem,
        page_ids=np.arange(1, len(names) + 1),
        offsets=np.concatenate(([0], np.cumsum([len(some) for some in versions]))).astype(np.int64),
        times=flat[:, 0],
        columns={
            "host": [pages[url].site for url in names],
            "url": names,
            "visits": [str(len(pages[url].visits)) for url in names],
            "observed_from": [f"{min(pages[url].visits):.0f}" for url in names],
            "observed_until": [f"{max(pages[url].visits):.0f}" for url in names],
        },
        sizes=flat[:, 1],
    )


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            yield from (line for line in file if line.strip())
    except OSError as error:
        raise TraceError(error.strerror or str(error), path=str(path)) from error


def _note(pages: dict[str, _Page], told: dict[str, Any]) -> None:
    url, result = str(told["url"]), told["result"]
    if result not in _SEEN:
        return
    at = datetime.fromisoformat(told["fetched"] or told["reported"]).timestamp()
    page = pages.setdefault(url, _Page(str(told["site"])))
    page.visits[at] = (told.get("changed"), str(told.get("content_hash", "")), int(told.get("bytes", 0)))


def _versions(page: _Page) -> Iterable[tuple[float, int]]:
    """When each version was first seen, and its bytes; by what the frontier said, else by the hash."""
    before = ""
    for place, (at, (changed, content, size)) in enumerate(sorted(page.visits.items())):
        is_new = content != before if changed is None and content and before else bool(changed)
        if place == 0 or is_new:
            yield float(round(at)), size
        before = content or before
