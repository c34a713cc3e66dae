"""``afresh check`` with a store: links compared with their reference versions, and kept where that is wanted."""

import asyncio
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from afresh.base.errors import AfreshError, ResourceNotFound
from afresh.base.models import Kind, Status
from afresh.base.protocols import Store
from afresh.base.records.link_status import Standing, Usage
from afresh.base.records.links import CheckRecord
from afresh.base.settings import Settings
from afresh.doors.cli.check_report import Explained
from afresh.engine.add import Wanted, add, watch_again
from afresh.engine.stores import opened_store
from afresh.links.check import Checker, in_turns, interleaved
from afresh.links.find_moved import Candidate, MoveFinder
from afresh.links.judge import CheckResult
from afresh.links.measures import Profile
from afresh.links.models import ActiveModel
from afresh.links.verdicts import default_model, diff_pages, explain
from afresh.links.watching import LinkJudge
from afresh.parse.sites import Sites
from afresh.parse.url import canonical, strip_session_ids

_BATCH = 100  # checks recorded in one transaction
_PIECES = 200  # of a difference


class KeptLinks:
    """The store's side of a check."""

    def __init__(
        self, settings: Settings, *, usage: Usage | None, save: bool, watch: bool, explain: bool, owner: str = ""
    ) -> None:
        self._settings, self._usage, self._owner = settings, usage, owner
        self._save, self._watch, self._explain = save, watch, explain
        self._context = opened_store(settings)
        self._records: list[CheckRecord] = []
        self.reasons: dict[str, Explained] = {}

    def __enter__(self) -> Self:
        self._store: Store = self._context.__enter__()
        self._models = ActiveModel(self._store, self._owner)
        self._judge = LinkJudge(self._store, self._settings.links, model=self._models)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._flush()  # an interrupted check keeps what it saw
        self._context.__exit__(kind, error, trace)

    async def check_all(
        self,
        checker: Checker,
        urls: Sequence[str],
        parallel: int,
        done: Callable[[CheckResult], None],
        *,
        find_moved: bool,
    ) -> None:
        known = await asyncio.to_thread(self._resources, urls)
        finder = MoveFinder(checker.fetch, model=default_model()) if find_moved else None

        async def one(url: str) -> None:
            number = known.get(url)
            if number is None:
                done(await checker.check(url))
                return
            result, record = await checker.check_kept(url, number, self._judge, usage=self._usage)
            await self._say_why(url, number, result, finder)
            if self._save:
                self._records.append(record)
                if len(self._records) >= _BATCH:
                    batch, self._records = self._records, []
                    await asyncio.to_thread(self._store.record_checks, batch)
            done(result)

        site_of = Sites(self._settings.politeness).of
        await in_turns(interleaved(urls, site_of), one, parallel=min(parallel, len(urls)))

    def _resources(self, urls: Sequence[str]) -> dict[str, int]:
        """Numbers of the links in the store; with --save those that are not there are added, watched only if wanted."""
        if self._save:
            kept = []
            for url in urls:
                try:
                    canonical(url)
                except AfreshError:
                    continue  # it is told what is wrong with it, and not kept
                kept.append(Wanted(url=url, kind=Kind.LINK))
            added = add(self._store, kept, self._settings, now=time.time())
            if self._watch:
                watch_again(self._store, added)
            for item in added:
                if item.is_new and item.id is not None:
                    if not self._watch:
                        self._store.update(item.id, status=Status.PAUSED)
                    if self._usage is not None:
                        self._store.set_usage(item.id, self._usage)
            return {item.wanted: item.id for item in added if item.id is not None}
        found = {}
        for url in urls:
            try:
                found[url] = self._store.get(strip_session_ids(canonical(url))).id
            except (ResourceNotFound, AfreshError):
                continue
        return found

    async def _say_why(self, url: str, number: int, result: CheckResult, finder: MoveFinder | None) -> None:
        link = self._store.link(number)
        reference = link.state.reference
        if reference is None or (result.standing is Standing.OK and not self._explain):
            return
        old = self._judge.profile(reference)
        verdict = result.verdict if self._explain else None
        influences = () if verdict is None else explain(verdict, self._models(link.model))
        pieces = diff_pages(old.page, result.page) if result.page is not None and self._explain else ()
        candidates: tuple[Candidate, ...] = ()
        if finder is not None and result.standing is Standing.BROKEN:
            new = None if result.page is None else Profile(result.page)
            candidates = await finder.find(result.final_url or url, old, new)
        self.reasons[url] = Explained(influences=influences, difference=pieces[:_PIECES], candidates=candidates)

    def _flush(self) -> None:
        batch, self._records = self._records, []
        if batch:
            self._store.record_checks(batch)
