"""One run of ``afresh check`` over a list of links: who asks, who judges, and a progress bar where somebody watches."""

import asyncio
import gc
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from afresh.base.executor import Executor
from afresh.base.records.link_status import Usage
from afresh.base.settings import Settings
from afresh.doors.cli.check_cache import CheckCache
from afresh.doors.cli.event_loop import run_async
from afresh.engine.fetching import make_gate, prompt_manners
from afresh.links.check import Checker
from afresh.links.judge import CheckResult
from afresh.links.judging import JudgingProcess
from afresh.links.judging_start import JudgingChild
from afresh.links.verdicts import default_model
from afresh.parse.links import LinkRef
from afresh.parse.sites import Sites

if TYPE_CHECKING:
    from afresh.doors.cli.check_kept import KeptLinks

_GARBAGE = 50_000  # objects; thousands of short-lived parts of pages, hardly a cycle among them


class CheckRun:
    """One run over a list of links."""

    def __init__(self, settings: Settings, *, parallel: int, usage: Usage | None, probe: bool) -> None:
        self._settings, self._parallel, self._usage, self._probe = settings, parallel, usage, probe
        self.kept: KeptLinks | None = None
        self.cache: CheckCache | None = None
        self.child: JudgingChild | None = None  # who judges pages that nothing is compared with; None: we do
        self.find_moved = False
        self.is_quiet = True

    def check(self, links: Sequence[LinkRef]) -> list[CheckResult]:
        """All links; results in their order."""
        results: list[CheckResult] = []

        async def go() -> int:
            results.extend(await self.gather(links))
            return 0

        run_async(go())
        return results

    async def gather(self, links: Sequence[LinkRef]) -> list[CheckResult]:
        """The same within an event loop."""
        urls = list(dict.fromkeys(link.url for link in links))
        found = dict(self.cache.known) if self.cache is not None else {}
        asked = [url for url in urls if url not in found]

        def take(result: CheckResult) -> None:
            found[result.url] = result
            if self.cache is not None:
                self.cache.add(result, time.time())

        if asked:
            await self._check(asked, take)
        return [found[link.url] for link in links]

    async def _check(self, urls: list[str], take: Callable[[CheckResult], None]) -> None:
        async with AsyncExitStack() as stack:
            process = None
            if self.child is not None:
                gc.freeze()
                gc.set_threshold(_GARBAGE)
                process = await stack.enter_async_context(JudgingProcess(self.child))
            checker = self._checker(stack, process)
            advance = stack.enter_context(self._progress(len(urls)))

            def done(result: CheckResult) -> None:
                take(result)
                advance()

            if self.kept is None:
                await checker.check_all(urls, parallel=self._parallel, done=done)
            else:
                await self.kept.check_all(checker, urls, self._parallel, done, find_moved=self.find_moved)
        await asyncio.sleep(0)

    def _checker(self, stack: AsyncExitStack, process: JudgingProcess | None) -> Checker:
        """Who asks; its connections are closed with the stack."""
        settings = replace(self._settings, fetch=replace(self._settings.fetch, concurrency=self._parallel))
        store = None if self.kept is None else self.kept.store
        executor = None
        if store is not None:
            executor = Executor()
            stack.callback(executor.close)
        gate = make_gate(settings, store=store, executor=executor, manners=prompt_manners(settings))
        stack.push_async_callback(gate.close)
        return Checker(
            gate,
            Sites(settings.politeness).of,
            model=default_model(),
            usage=self._usage or Usage.REFERENTIAL,
            probing=self._probe,
            process=process,
        )

    def _progress(self, total: int) -> AbstractContextManager[Callable[[], None]]:
        if self.is_quiet:
            return nullcontext(lambda: None)
        from afresh.doors.cli.progress import progress_bar  # noqa: PLC0415 (programs need no bar, nor what draws it)

        return progress_bar("checking", total)
