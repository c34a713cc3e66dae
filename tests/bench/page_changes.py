"""What is told of watched pages: precision and recall of changes by class of page, with and without selectors.

A change counts as told if the visit that met it first told of it. The first ten visits of a page are not judged: they
show afresh what changes at every visit. Everything runs through the daemon's own judging, planning and store.
"""

import math
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from afresh.base.models import Kind
from afresh.base.protocols import Store
from afresh.base.records.watches import USUAL, Watch
from afresh.base.settings import Settings
from afresh.base.settings.sections import PolitenessSettings, RevisitSettings
from afresh.base.visits import Answer
from afresh.engine.add import Wanted, add
from afresh.engine.watch_pages import page_scope
from afresh.store import open_store
from tests.fakes.page_web import WatchedPage, page_web
from tests.fakes.watched import START, concluder_of, fetched

LEARNING = 10  # visits that are not judged
_EVERY = 6 * 3_600.0  # seconds between two visits
_STEP = 60.0


@dataclass
class Tally:
    """Visits that told of a change, that met one, and that did both."""

    told: int = 0
    real: int = 0
    both: int = 0

    @property
    def precision(self) -> float:
        return self.both / self.told if self.told else 1.0

    @property
    def recall(self) -> float:
        return self.both / self.real if self.real else 1.0


def measure() -> dict[str, float]:
    """Figures by name: of 200 pages, each class by itself."""
    figures: dict[str, float] = {}
    for name, with_selectors in (("", False), ("selected_", True)):
        for kind, tally in measure_changes(20, 40, with_selectors=with_selectors).items():
            figures |= {f"{name}{kind}_precision": tally.precision, f"{name}{kind}_recall": tally.recall}
    return figures


def watch_for(page: WatchedPage) -> Watch:
    """What the documentation would tell one to watch on it."""
    if page.kind == "json":
        return replace(USUAL, json_path=page.selectors)
    return replace(USUAL, css=page.selectors)


def measure_changes(each: int = 20, visits: int = 40, *, with_selectors: bool = False) -> Mapping[str, Tally]:
    """By class, and of all together (``all``)."""
    pages = page_web(each, start=START, until=START + (visits + 5) * _EVERY)
    tallies: dict[str, Tally] = {}
    with tempfile.TemporaryDirectory(prefix="afresh-pages-") as folder:
        store = open_store(str(Path(folder) / "pages.db"))
        settings = Settings(politeness=PolitenessSettings(delay=0.0), revisit=RevisitSettings(longest=_EVERY))
        wanted = [Wanted(url=page.url, kind=Kind.PAGE) for page in pages]
        added = add(store, wanted, settings, now=START)
        numbers = [item.id for item in added if item.id is not None]
        for number, page in zip(numbers, pages, strict=True):
            if with_selectors:
                store.watches.put_watch(page_scope(number), watch_for(page))
        _visit_all(store, settings, dict(zip(numbers, pages, strict=True)), visits, tallies)
        store.close()
    total = Tally()
    for tally in tallies.values():
        total.told += tally.told
        total.real += tally.real
        total.both += tally.both
    return {**tallies, "all": total}


def _visit_all(
    store: Store, settings: Settings, pages: Mapping[int, WatchedPage], visits: int, tallies: dict[str, Tally]
) -> None:
    concluder = concluder_of(store, settings)
    visited: Counter[int] = Counter()
    known: dict[int, int] = {}  # what was news at the visit before that showed the page itself
    now = START
    while min(visited[number] for number in pages) < visits:
        for lease in store.lease(limit=len(pages), now=now, until=now + 60.0, holder="bench"):
            number, page = lease.resource.id, pages[lease.resource.id]
            body, content_type = page.document(now)
            outcome = fetched(page.url, body, now, content_type)
            report = concluder.conclude(Answer(lease=lease, outcome=outcome, site=store.site(lease.site)))
            assert store.record([report]) == [True]
            told = any("change" in entry.parsed.categories for entry in report.entries)
            is_itself = page.is_itself(now)
            is_real = is_itself and number in known and page.state(now) != known[number]
            if is_itself:
                known[number] = page.state(now)
            visited[number] += 1
            if visited[number] > LEARNING:
                tally = tallies.setdefault(page.kind, Tally())
                tally.told += told
                tally.real += is_real
                tally.both += told and is_real
        now += _STEP * max(1, math.ceil(((store.next_ready() or now) - now) / _STEP))
