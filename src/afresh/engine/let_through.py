"""Resources that the address guard refused once and lets through now, because its settings were opened.

They have waited longer and longer after each refusal; a daemon that begins asks them at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from afresh.base.models import Failure, Resource, ResourceFilter, Result, Status

if TYPE_CHECKING:
    from afresh.base.executor import Executor
    from afresh.base.protocols import Store
    from afresh.http.guard import Guard

_FAILING = ResourceFilter(status=Status.ACTIVE, failing=True)
_AT_ONCE = 1_000  # resources looked at in one reading


def is_let_through(resource: Resource, guard: Guard) -> bool:
    """Whether its last visit was refused by the guard, and this one would not refuse it."""
    is_refused = resource.last_result is Result.REFUSED and resource.error.startswith(f"{Failure.ADDRESS}:")
    return is_refused and guard.would_pass(resource.error)


async def bring_let_through_forward(store: Store, executor: Executor, guard: Guard, *, now: float) -> int:
    """All of them are due now; how many those are."""
    count, after, is_last = 0, 0, False
    while not is_last:
        page = await executor.read(store.list_resources, _FAILING, after=after, limit=_AT_ONCE)
        is_last = len(page) < _AT_ONCE
        found = [resource.id for resource in page if is_let_through(resource, guard)]
        if found:
            await executor.write(store.bring_forward, found, now=now)
        count, after = count + len(found), page[-1].id if page else after
    return count
