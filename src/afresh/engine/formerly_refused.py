"""Resources that the address guard refused once and lets through now, because its settings were opened.

They have waited longer and longer after each refusal; a daemon that begins asks them at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from afresh.base.models import Failure, Resource, Result

if TYPE_CHECKING:
    from afresh.base.executor import Executor
    from afresh.base.protocols import Store
    from afresh.http.guard import Guard


def is_let_through(resource: Resource, guard: Guard) -> bool:
    """Whether its last visit was refused by the guard, and this one would not refuse it."""
    return resource.last_result is Result.REFUSED and _would_pass(resource.error, guard)


def _would_pass(error: str, guard: Guard) -> bool:
    return error.startswith(f"{Failure.ADDRESS}:") and guard.would_pass(error)


async def bring_let_through_forward(store: Store, executor: Executor, guard: Guard, *, now: float) -> int:
    """All of them are due now; how many those are."""
    count = after = 0
    while page := await executor.read(store.refused, after=after):
        found = [number for number, error in page if _would_pass(error, guard)]
        if found:
            await executor.write(store.bring_forward, found, now=now)
        count, after = count + len(found), page[-1][0]
    return count
