"""One run of ``afresh check`` over a list of links: who asks, what is compared with, what is kept."""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, AsyncExitStack, nullcontext, suppress
from dataclasses import replace
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self

from afresh.base.errors import AfreshError, ResourceNotFound
from afresh.base.freed_memory import keep_freed_memory
from afresh.base.models import Fetched, Kind, Outcome, Request, Status, Validators
from afresh.base.records.links import Check, CheckStatus, Standing, Usage
from afresh.base.settings import Settings
from afresh.base.store_url import in_use
from afresh.base.value_class import dataclass
from afresh.doors.cli.check_report import Explained
from afresh.doors.cli.check_rows import TAKEN
from afresh.doors.cli.polite_gate import polite_gate
from afresh.links.documents.anchors import anchors_of
from afresh.links.status_checker import StatusChecker
from afresh.parse.url import Sites, kept_link, kept_url, page_of

if TYPE_CHECKING:
    from afresh.base.protocols import Store
    from afresh.base.records.link_store import LinkReader
    from afresh.base.records.links import LinkRef, ModelChoice
    from afresh.doors.cli.check_cache import CheckCache
    from afresh.doors.cli.check_two_processes import Found, OtherHalf, Telling
    from afresh.engine.gate import Gate
    from afresh.engine.second_process import Neighbour
    from afresh.http.access import Access
    from afresh.links.answers import Checked
    from afresh.links.checker import Checker
    from afresh.links.find_moved import Candidate, MoveFinder
    from afresh.links.judge import LinkJudge
    from afresh.links.unsaved import UnsavedLinks
    from afresh.links.verdicts.model import VerdictModel
    from afresh.links.versions import ModelFor

_GARBAGE = 50_000  # objects; thousands of short-lived parts of pages, hardly a cycle among them
_MANY = 200  # links from which on a second process is worth its start
_LARGE = 256_000  # bytes from which on a page is worth starting a process that can be ended
_BATCH = 100  # checks recorded in one transaction
_PIECES = 200  # of a difference


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What somebody wants of a check."""

    parallel: int = 64
    usage: Usage | None = None  # None: each link's own
    probe: bool = True
    save: bool = False
    watch: bool = False
    explain: bool = False
    owner: str = ""  # whose model judges; empty: everybody's, or the one chosen for the link
    find_moved: bool = False
    status_only: bool = False
    retries: int = 0
    fragments: bool = True  # of links that are kept: whether their page has the part they name
    access: Access | None = None
    elsewhere: Callable[[str], str] | None = None  # where to ask about an address that is refused
    is_quiet: bool = True


class CheckRun:
    """One run over a list of links; with a store compared with their reference versions, and kept where wanted."""

    def __init__(
        self,
        settings: Settings,
        wish: Wish,
        *,
        store: Store | None = None,
        cache: CheckCache | None = None,
    ) -> None:
        self._settings, self._wish, self._store, self._cache = settings, wish, store, cache
        self._half: OtherHalf | None = None  # the links that another process checks
        self._neighbour: Neighbour | None = None  # which asks some of the sites
        self._links: LinkReader = store.links if store is not None and wish.save else self._unsaved
        self._finder: MoveFinder | None = None
        self._waiting: list[Checked] = []  # to be recorded
        self.found: dict[str, Check] = {}  # by link
        self._taken: dict[str, str] = {}  # by address: the one that its resource has now
        self.with_fragments: frozenset[str] = frozenset()  # links of which the anchors of their page are wanted
        self.anchors: dict[str, frozenset[str] | None] = {}
        self.on_page: Callable[[str, Fetched], None] | None = None  # who else wants to see what came
        self.reasons: dict[str, Explained] = {}
        self.unkept: dict[str, str] = {}  # links that cannot be kept, and why
        self.kept_anew = 0  # links that were not kept before
        self._checker: StatusChecker | None = None  # while the way to the web is open

    @cached_property
    def _unsaved(self) -> UnsavedLinks:
        from afresh.links.unsaved import UnsavedLinks  # noqa: PLC0415 (not where links are kept)

        return UnsavedLinks(None if self._store is None else self._store.links)

    @cached_property
    def _judge(self) -> LinkJudge:
        from afresh.links.judge import LinkJudge  # noqa: PLC0415 (not where a status suffices)

        return LinkJudge(
            self._links,
            self._settings.links,
            model=self._model,
            looks_for_parts=self._wish.save and self._wish.fragments,
        )

    def _model(self, choice: ModelChoice) -> VerdictModel:
        return self._models(choice)

    @cached_property
    def _models(self) -> ModelFor:
        from afresh.links.models import ActiveModel  # noqa: PLC0415 (few pages have changed)
        from afresh.links.verdicts.model import default_model  # noqa: PLC0415

        if self._store is None:
            return lambda _: default_model()
        return ActiveModel(self._store.learning, self._wish.owner)

    async def __aenter__(self) -> Self:
        """Opens the way to the web; links may be gathered several times on it, with one memory of every site."""
        stack = self._stack = await AsyncExitStack().__aenter__()
        gate = self._gate = await stack.enter_async_context(self._open_gate())
        if self._neighbour is not None:
            await self._neighbour.meet(gate)
            stack.push_async_callback(self._neighbour.part)
        if self._wish.status_only:
            self._checker = self._status_checker(gate)
            return self
        checker = self._checker = self._make_checker(gate, stack)
        if self._wish.find_moved:
            from afresh.links.find_moved import MoveFinder  # noqa: PLC0415 (only where it was asked for)
            from afresh.links.verdicts.model import default_model  # noqa: PLC0415

            self._finder = MoveFinder(checker.page, front_page=checker.front_page, model=default_model())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.__aexit__(kind, error, trace)
        self._checker = None
        await asyncio.sleep(0)

    @property
    def keeps(self) -> bool:
        """Whether links are kept."""
        return self._wish.save

    def divide(self, links: Sequence[LinkRef]) -> None:
        """Leaves about half of the links that will be gathered to a copy of this process, before there is a loop.

        Unless they are few, or whoever asks has to know of everything: a store, who else is on it, cookies, reasons.
        """
        wish, known = self._wish, self._known()
        asked = [link for link in links if link.url not in known]
        if len(asked) < _MANY or wish.parallel < 2 or self._store is not None or in_use(self._settings.store.url):
            return
        if wish.explain or (wish.access is not None and wish.access.cookies is not None):
            return
        from afresh.doors.cli import check_two_processes  # noqa: PLC0415 (few checks are so long)

        theirs, sites = check_two_processes.divided(asked, Sites(self._settings.politeness).of)
        if not theirs or not check_two_processes.may_divide():
            return
        keep_freed_memory()
        gc.set_threshold(_GARBAGE)
        self._wish = replace(wish, parallel=max(1, wish.parallel // 2))
        copy = check_two_processes.copied(
            lambda end: self._be_other_half(theirs, check_two_processes.Telling(end, sites))
        )
        if copy is None:
            self._wish = wish
            return
        self._half = check_two_processes.OtherHalf(theirs, copy[0], sites, copy[1])
        self._neighbour = self._half.neighbour

    def finish(self) -> None:
        """All links were gathered."""
        if self._cache is not None:
            self._cache.finish()

    def end_other_half(self) -> None:
        """After the loop; it ends when nobody is at the other end any more."""
        if self._half is not None:
            self._half.close()

    async def _be_other_half(self, links: Sequence[LinkRef], telling: Telling) -> None:
        """Of the copy: checks its links, tells what it found, and lends its sites for as long as they may be asked."""
        self._neighbour, self._cache = telling.neighbour, None

        async def done(checked: Checked) -> None:
            telling.add(checked.check, self.anchors)

        async with self as opened:
            numbers, site_of = await self._numbers(links), Sites(self._settings.politeness).of

            async def check() -> None:
                await opened.checker.check_all(numbers, done, site_of=site_of, parallel=self._wish.parallel)
                telling.end()

            async with asyncio.TaskGroup() as group:
                checking = group.create_task(check())
                await telling.neighbour.gone.wait()
                checking.cancel()

    async def gather(self, links: Sequence[LinkRef]) -> list[Check]:
        """All links; their checks in the same order."""
        self.found.update(self._known())
        elsewhere = () if self._half is None else self._half.given
        asked = {link.url: link for link in reversed(links) if link.url not in self.found and link.url not in elsewhere}
        if asked or elsewhere:
            numbers = await self._numbers(list(asked.values())[::-1])
            for url in numbers.keys() & self._taken.keys():  # its page is asked for by the address it has now
                del numbers[url]
                self._note(_at_taken_address(url, self._taken[url]))
            if self._checker is not None:
                await self._check(numbers, self._checker)
            else:
                async with self as opened:
                    await self._check(numbers, opened.checker)
        return [self.found[link.url] for link in links]

    def _known(self) -> Mapping[str, Check]:
        """What an earlier run found; of a page whose anchors are wanted, it says too little."""
        if self._cache is None:
            return {}
        return {url: check for url, check in self._cache.known.items() if url not in self.with_fragments}

    @property
    def checker(self) -> StatusChecker:
        assert self._checker is not None
        return self._checker

    def accepted(self, url: str) -> float | None:
        """When the page of a link that is kept was saved by its owner, or accepted; None: that is not known."""
        if self._store is None:
            return None
        try:
            kept = self._store.links.link(self._store.get(kept_link(url)).id)
        except AfreshError:
            return None
        return kept.saved or kept.state.accepted

    def keep_copies(self, copies: Mapping[str, str]) -> None:
        """Where an archive has copies of pages, by link; with --save, and of links that are kept."""
        if self._store is None or not self._wish.save:
            return
        found: dict[int, str] = {}
        for url, copy in copies.items():
            if copy:
                with suppress(AfreshError):
                    found[self._store.get(kept_link(url)).id] = copy
        if found:
            self._store.links.keep_copies(found)

    async def fetch(self, request: Request) -> Outcome:
        """Any other request that a check needs."""
        return await self._gate.fetch(request)

    async def _check(self, numbers: dict[str, int | None], checker: StatusChecker) -> None:
        wish, site_of = self._wish, Sites(self._settings.politeness).of
        half = self._half
        with self._progress([*numbers, *(half.given if half is not None else ())], site_of) as advance:

            async def done(checked: Checked) -> None:
                await self._take(checked)
                advance(checked.check.url)

            def found(by_others: Found) -> None:
                checks, anchors = by_others
                self.anchors |= anchors
                for check in checks:
                    self._note(check)
                    advance(check.url)

            async def check(numbers: dict[str, int | None]) -> None:
                await checker.check_all(numbers, done, site_of=site_of, parallel=wish.parallel, usage=wish.usage)

            try:
                async with asyncio.TaskGroup() as group:
                    left = None if half is None else group.create_task(half.wait(found))
                    await check(numbers)
                if left is not None:
                    await check(await self._numbers(left.result()))
            finally:  # an interrupted check keeps what it saw
                self._record(self._waiting)

    def _open_gate(self) -> AbstractAsyncContextManager[Gate]:
        """The way to the web; its connections are closed with it."""
        wish = self._wish
        settings = replace(self._settings, fetch=replace(self._settings.fetch, concurrency=wish.parallel))
        return polite_gate(settings, store=self._store, access=wish.access, ledger=self._neighbour)

    def _status_checker(self, gate: Gate) -> StatusChecker:
        wish = self._wish
        return StatusChecker(
            gate.fetch,
            self._links,
            now=time.time,
            on_page=self._show_page,
            retries=wish.retries,
            elsewhere=wish.elsewhere,
        )

    def _make_checker(self, gate: Gate, stack: AsyncExitStack) -> Checker:
        """Who reads and judges pages, the large ones apart."""
        from afresh.links.checker import Checker  # noqa: PLC0415 (not where a status suffices)
        from afresh.parse.child_reader import reading_apart  # noqa: PLC0415

        wish = self._wish
        stack.enter_context(reading_apart(above=_LARGE))
        return Checker(
            gate.fetch,
            self._judge,
            now=time.time,
            probing=wish.probe,
            explains=wish.explain,
            apart=self._store is not None,
            on_page=self._show_page,
            retries=wish.retries,
            elsewhere=wish.elsewhere,
            known=None if self._store is None or wish.explain or wish.access is not None else self._known_answer,
        )

    async def _known_answer(self, links: Mapping[str, int]) -> Validators:
        """What the store has to ask with; nothing where the page itself is wanted, or not all links have seen it."""
        store = self._store
        if store is None or self.on_page is not None or not self.with_fragments.isdisjoint(links):
            return Validators()
        if min(links.values()) < 0:
            return Validators()
        kept = [await asyncio.to_thread(store.get, number) for number in links.values()]
        same = {resource.validators if resource.kind is Kind.LINK else Validators() for resource in kept}
        return same.pop() if len(same) == 1 else Validators()

    def _show_page(self, url: str, outcome: Fetched) -> None:
        """One request for a page, however many fragments of it are linked to, and whatever links it has itself."""
        if url in self.with_fragments:
            self.anchors[url] = anchors_of(outcome)
        if self.on_page is not None:
            self.on_page(url, outcome)

    async def _numbers(self, links: Sequence[LinkRef]) -> dict[str, int | None]:
        """The number of each link; None: its address cannot be asked for."""
        if self._store is None:
            return {link.url: self._find(link) for link in links}
        if self._wish.save:
            return await asyncio.to_thread(self._save, self._store, links)
        return await asyncio.to_thread(lambda: {link.url: self._find(link) for link in links})

    def _find(self, link: LinkRef) -> int | None:
        try:
            wanted = kept_url(link.url)
        except AfreshError:
            return None
        if self._store is not None:
            try:
                known = self._store.get(wanted)
            except ResourceNotFound:
                for part in self._store.links.links_of_page(wanted, limit=1):  # its page was kept with it
                    return part.id
            else:
                if page_of(known.url) != wanted:
                    self._taken[link.url] = known.url
                return known.id
        return self._unsaved.add(link.url, title=link.title)

    def _save(self, store: Store, links: Sequence[LinkRef]) -> dict[str, int | None]:
        """Adds those that are not kept yet, with what the file says of them; watched only if wanted."""
        from afresh.engine.add import add, complete, wanted_links, watch_again  # noqa: PLC0415 (most checks keep nothing)

        status = Status.ACTIVE if self._wish.watch else Status.PAUSED
        wanted = wanted_links(links, status=status)
        added = add(store, wanted, self._settings, now=time.time())
        if self._wish.watch:
            watch_again(store, added)
        for link, item in zip(links, added, strict=True):
            if item.id is None:
                self.unkept[link.url] = item.error
            elif item.is_new:
                self.kept_anew += 1
                if self._wish.usage is not None:
                    store.links.set_usage(item.id, self._wish.usage)
            elif item.has_moved or link.title or link.folder or link.tags or link.note:
                now_at = complete(store, item.id, link).url
                if now_at != item.url:
                    self._taken[link.url] = now_at
        return {item.wanted: item.id for item in added}

    async def _take(self, checked: Checked) -> None:
        """A link was checked: says why, and records it."""
        checked = await self._say_why(checked)
        if self._store is None or not self._wish.save:
            self._note(checked.check)
            return
        self._waiting.append(checked)
        if len(self._waiting) >= _BATCH:
            batch, self._waiting = self._waiting, []
            await asyncio.to_thread(self._record, batch)

    def _record(self, waiting: list[Checked]) -> None:
        if self._store is None or not waiting:
            return
        records = [item.record for item in waiting if item.record is not None]
        kept = iter(self._store.links.record_checks(records, rest=self._settings.links.bounds.standard))
        for item in waiting:  # a link is kept by its canonical address, and told by the one somebody wrote
            self._note(item.check if item.record is None else replace(next(kept), url=item.check.url))
        waiting.clear()

    def _note(self, check: Check) -> None:
        """For the report, and for the next check of the same list."""
        self.found[check.url] = check
        if self._cache is not None:
            self._cache.add(check)

    async def _say_why(self, checked: Checked) -> Checked:
        """With the reasons somebody wants; a lost page that was found is kept with where it may be now."""
        check, record = checked.check, checked.record
        is_lost = self._finder is not None and check.standing is Standing.BROKEN
        if record is not None and record.state.is_candidate:  # what was kept is no page: nothing to look for
            is_lost = False
        why = Explained(seen=checked.seen)
        if record is None or record.state.reference is None or not (self._wish.explain or is_lost):
            if checked.seen:
                self.reasons[check.url] = why
            return checked
        old = self._judge.pages.profile(record.state.reference)
        if self._wish.explain:
            from afresh.links.difference import diff_pages  # noqa: PLC0415 (only where it was asked for)
            from afresh.links.verdicts.comparison import explain  # noqa: PLC0415

            model = self._model(self._links.link(record.resource).model)
            influences = () if checked.verdict is None else explain(checked.verdict, model)
            pieces = () if checked.page is None else diff_pages(old.page, checked.page)
            why = replace(why, influences=influences, difference=pieces[:_PIECES])
        candidates: tuple[Candidate, ...] = ()
        if self._finder is not None and is_lost:
            from afresh.links.measures.profile import Profile  # noqa: PLC0415 (only where it was asked for)

            new = None if checked.page is None else Profile(checked.page)
            candidates = await self._finder.find(check.final_url or check.url, old, new)
        self.reasons[check.url] = replace(why, candidates=candidates)
        if not candidates or check.new_url:
            return checked
        check = replace(check, new_url=candidates[0].url)
        state = replace(record.state, new_url=candidates[0].url)
        return replace(checked, check=check, record=replace(record, check=check, state=state))

    def _progress(
        self, urls: Sequence[str], site_of: Callable[[str], str]
    ) -> AbstractContextManager[Callable[[str], None]]:
        if self._wish.is_quiet or not sys.stderr.isatty():
            return nullcontext(lambda _: None)
        from afresh.doors.cli.check_report import progress_by_site  # noqa: PLC0415 (where nobody watches: no bar)

        return progress_by_site(urls, site_of)


def _at_taken_address(url: str, now_at: str) -> Check:
    return Check(
        url=url,
        at=time.time(),
        status=CheckStatus.MOVED,
        final_url=page_of(now_at),
        new_url=now_at,
        detail=TAKEN,
    )
