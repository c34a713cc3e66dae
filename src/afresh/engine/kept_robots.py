"""What robots.txt said, kept in the store: within its day neither a restart nor another command asks again."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from afresh.base.errors import StoreError
from afresh.base.executor import Executor, InPlace
from afresh.base.records.robots import KeptRobots
from afresh.http.robots import KEEP

if TYPE_CHECKING:
    from afresh.base.protocols import Store

log = logging.getLogger("afresh.gate")


class StoredRobots:
    """Implements ``engine.gate.RobotsArchive``. A store that cannot be asked is no reason not to ask the site."""

    def __init__(self, store: Store, *, executor: Executor | InPlace) -> None:
        self._store, self._executor = store, executor

    async def recall(self, address: str, now: float) -> KeptRobots | None:
        try:
            found = await self._executor.read(self._store.robots.kept, address, since=now - KEEP)
        except StoreError as error:
            log.warning("robots.txt is asked for, whether it is kept or not: %s", error)
            return None
        return found if found is not None and found.read <= now else None  # later was written by a wrong clock

    async def keep(self, robots: KeptRobots) -> None:
        try:
            await self._executor.write(self._store.robots.keep, robots, forget=robots.read - KEEP)
        except StoreError as error:
            log.warning("robots.txt is not kept for others: %s", error)
