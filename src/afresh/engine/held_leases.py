"""Leases of answers that are being judged or wait to be recorded: they are renewed, however long that takes.

A lease outlasts a request, not what follows from its answer: a site that is leased again meanwhile is asked again, and
the first answer is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from afresh.base.executor import Executor
from afresh.base.models import Lease

if TYPE_CHECKING:
    from afresh.base.protocols import LeaseStore

_EARLY = 0.5  # of a lease's time is left when it is renewed


class HeldLeases:
    """Those of one daemon. Looked at before anything is leased, so that it never takes a site from itself."""

    def __init__(self, store: LeaseStore, executor: Executor, *, lasting: float) -> None:
        self._store, self._executor, self._lasting = store, executor, lasting
        self._until: dict[int, float] = {}

    def hold(self, lease: Lease) -> None:
        self._until[lease.id] = lease.until

    def let_go(self, lease: int) -> None:
        self._until.pop(lease, None)

    async def renew(self, now: float) -> None:
        """Those that would run out soon, or have. One that somebody else has by now stays theirs."""
        late = [lease for lease, until in self._until.items() if until - now < _EARLY * self._lasting]
        if not late:
            return
        until = now + self._lasting
        await self._executor.write(self._store.renew, late, until=until)
        self._until.update({lease: until for lease in late if lease in self._until})
