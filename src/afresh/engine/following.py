"""What follows from reports that were recorded: query feeds, pages that were announced, people who are told."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from afresh.base.errors import StoreAway
from afresh.base.executor import Executor
from afresh.base.models import Report
from afresh.base.once import WhenUsed
from afresh.engine.absence import Absence
from afresh.engine.beside import Beside

if TYPE_CHECKING:
    from afresh.base.protocols import Clock, Store
    from afresh.feeds.queries.matching import Matcher

log = logging.getLogger("afresh.loop")


class Following:
    """Whatever fails here is tried again with the next reports, or lost; watching goes on."""

    def __init__(self, store: Store, executor: Executor, *, clock: Clock, beside: Beside, absence: Absence) -> None:
        self._store, self._executor, self._clock = store, executor, clock
        self._beside, self._absence = beside, absence
        self._matcher = WhenUsed(self._make_matcher, store=store, part="queries")
        self._is_unmatched = True  # entries of an earlier run may wait for the query feeds

    async def tell_all(self, batch: list[Report], recorded: list[Report]) -> None:
        """After a batch was recorded: whoever follows from it or waits for it."""
        await self._follow(recorded)
        if self._is_unmatched or any(report.entries for report in batch):
            await self.match()
        courier = None if self._beside.courier is None else self._beside.courier.made
        if courier is not None and any(map(_is_telling, batch)):
            courier.poke()

    async def _follow(self, reports: list[Report]) -> None:
        """What was found may announce other pages, or name new ones."""
        if not reports:
            return
        revisiting, pushes = self._beside.revisiting, self._beside.pushes
        try:
            if revisiting is not None and (pages := await self._executor.read(revisiting.look)):
                await self._executor.read(pages.follow, reports, now=self._clock.now())
            if pushes is not None:
                await self._executor.write(pushes.follow, reports, now=self._clock.now())
        except StoreAway as error:
            self._absence.note(error)
        except Exception:  # announcements may be lost; watching goes on
            log.exception("announcements could not be followed")

    def _make_matcher(self) -> Matcher:
        from afresh.feeds.queries.matching import Matcher  # noqa: PLC0415 (most stores have no query feed)

        return Matcher(self._store.queries, now=self._clock.now)

    async def match(self) -> None:
        """Bring new entries to the query feeds. What cannot be matched now is matched next time: the store knows."""
        self._is_unmatched = True
        try:
            matcher = await self._executor.read(self._matcher.look)
            taken = 0
            if matcher is not None:
                await self._executor.read(matcher.refresh)  # may take a while: nobody who writes shall wait for it
                taken = await self._executor.write(matcher.catch_up)
            if taken and self._beside.pushes is not None:
                self._beside.pushes.note_published()
        except StoreAway as error:
            self._absence.note(error)
        except Exception:  # query feeds may be late; watching goes on
            log.exception("query feeds could not be brought up to date")
        else:
            self._is_unmatched = False


def _is_telling(report: Report) -> bool:
    """Whether somebody may want to be told of what was recorded."""
    return bool(report.entries or report.visit.error or (report.link and report.link.event))
