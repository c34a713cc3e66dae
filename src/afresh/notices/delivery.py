"""The courier: tells what waits in the outbox until the targets have taken it, while the daemon runs.

Between a target's taking a delivery and our noting that it did, a crash leaves us in doubt; then the delivery is tried
again under the same mark, by which the target can tell.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING
from uuid import uuid4

from afresh.base.clock import first_of
from afresh.base.executor import Executor, InPlace
from afresh.base.politeness import backoff
from afresh.base.settings import Settings
from afresh.base.settings.sections import NoticeSettings
from afresh.notices.messages import MessageSender, TargetSender
from afresh.notices.outbox import Collector, all_notices, trial_delivery
from afresh.notices.quiet_hours import parse_quiet
from afresh.notices.webhook import WebhookSender

if TYPE_CHECKING:
    from afresh.base.protocols import Clock, Store
    from afresh.base.records.notices import Delivery, Notice, Sender
    from afresh.base.troubles import Troubles

log = logging.getLogger("afresh.notices")

_PRUNING = 3600.0  # seconds between two
_LASTING = 86_400.0  # longer than between two tries


def make_sender(settings: Settings, *, clock: Clock) -> Sender:
    """Webhooks and messages behind one sender, held to the same address guard as every fetch."""
    return TargetSender(WebhookSender(settings.fetch, clock=clock), MessageSender(settings.fetch))


async def try_target(store: Store, sender: Sender, number: int, *, clock: Clock, executor: Executor | InPlace) -> str:
    """Send a test to the target of a notice; empty: it was taken, so that what waits for it is sent, too."""
    notice = await executor.read(store.notices.notice, number)
    now = clock.now()
    error = await sender.send(trial_delivery(notice, now=now), now=now)
    if not error:
        await executor.write(store.notices.hasten_deliveries, number, now=now)
    return error


class Courier:
    """Collects and delivers while the daemon runs."""

    def __init__(
        self,
        store: Store,
        sender: Sender,
        settings: NoticeSettings,
        *,
        clock: Clock,
        executor: Executor,
        u: Callable[[], float],
        troubles: Troubles,
    ) -> None:
        self._store, self._sender, self._settings = store, sender, settings
        self._clock, self._executor, self._u, self._troubles = clock, executor, u, troubles
        self._collector = Collector(store, settings)
        self._wake = asyncio.Event()
        self._stopping = False
        self._pruned = -float("inf")
        self.may_prune: Callable[[], bool] = lambda: True

    def poke(self) -> None:
        """Something was recorded: look at once."""
        self._wake.set()

    def stop(self) -> None:
        """What is being delivered is finished, nothing new is begun."""
        self._stopping = True
        self._wake.set()

    async def run(self) -> None:
        """Until ``stop``. Whoever runs it starts it again if it fails: nothing is lost, for the outbox is stored."""
        while not self._stopping:
            self._wake.clear()
            await self.turn()
            if not self._stopping:
                await first_of(self._wake.wait(), self._clock.sleep(self._settings.every))

    async def turn(self) -> int:
        """Collect, then deliver whatever is due, all targets at once; how many deliveries were taken."""
        notices = await self._executor.read(lambda: list(all_notices(self._store)))
        if not notices:
            return 0
        now = self._clock.now()
        await self._executor.write(self._collector.collect, now)
        if now - self._pruned > _PRUNING and self.may_prune():
            self._pruned = now
            await self._executor.write(self._store.notices.prune_outbox, before=now - self._settings.keep)
        return sum(await asyncio.gather(*(self._deliver(notice) for notice in notices)))

    async def _deliver(self, notice: Notice) -> int:
        """The deliveries of one notice, one after the other, until none is due or one is not taken."""
        taken = 0
        while not self._stopping:
            now = self._clock.now()
            if notice.quiet and parse_quiet(notice.quiet).until(now) > now:
                return taken
            delivery = await self._executor.write(
                self._store.notices.next_delivery,
                notice.id,
                mark=f"msg_{uuid4().hex}",
                now=now,
                until=now + self._settings.lease,
                gathered_before=now - notice.digest,
                limit=self._settings.batch,
            )
            if delivery is None:
                return taken
            error = await self._sender.send(delivery, now=now)
            await self._executor.write(self._settle, delivery, error)
            self._tell_of(delivery, error)
            if error:
                return taken
            taken += 1
        return taken

    def _tell_of(self, delivery: Delivery, error: str) -> None:
        """A target that takes nothing is told where faults of our own are; for a day, for others may deliver, too."""
        trouble = f"notice {delivery.notice.id}"
        if error:
            self._troubles.report(trouble, f"{error}; what it is to be told waits", lasting=_LASTING)
        elif trouble in self._troubles:
            self._troubles.over(trouble)

    def _settle(self, delivery: Delivery, error: str) -> None:
        now, settings = self._clock.now(), self._settings
        if not error:
            self._store.notices.settle_delivery(delivery.id, now=now)
            return
        wait = backoff(delivery.attempts + 1, base=settings.first_wait, cap=settings.longest_wait, u=self._u())
        retry_at = now + wait if now + wait - delivery.created < settings.give_up else None
        level = logging.WARNING if retry_at is None else logging.INFO
        words = "given up" if retry_at is None else f"next try in {wait:.0f} s"
        log.log(level, "notice %d not taken: %s; %s", delivery.notice.id, error, words)
        self._store.notices.settle_delivery(delivery.id, now=now, error=error, retry_at=retry_at)
