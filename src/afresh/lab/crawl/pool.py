"""A simulated fetcher's pool: every worker takes one list at a time and waits out the delay before each page.

[G20] §7.2.1.
"""

import asyncio
import heapq
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from math import ceil


@dataclass(frozen=True, slots=True)
class Job:
    """One site's list: how many pages, and seconds between them."""

    pages: int
    delay: float


@dataclass(frozen=True, slots=True)
class Done:
    """When a list was begun and finished, in seconds after the pool started; page k was visited at begin +
    (k+1)·delay.
    """

    begun: float
    finished: float


def schedule(jobs: Sequence[Job], workers: int) -> list[Done]:
    """When each list is worked on: in order, each by the worker that is free first.

    >>> [done.finished for done in schedule([Job(5, 0.1)] * 3, 2)]
    [0.5, 0.5, 1.0]
    """
    free = [0.0] * workers
    done = []
    for job in jobs:
        begun = heapq.heappop(free)
        finished = begun + job.pages * job.delay
        heapq.heappush(free, finished)
        done.append(Done(begun, finished))
    return done


def ideal_duration(lists: int, workers: int, pages: int, delay: float) -> float:
    """Of equal lists: rounds of the pool times the time of one list.

    >>> ideal_duration(44, 24, 5, 0.1), ideal_duration(44, 4, 5, 0.1)
    (1.0, 5.5)
    """
    return ceil(lists / workers) * pages * delay


async def work(
    jobs: Sequence[Job],
    workers: int,
    visit: Callable[[int, int], None],
    *,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    clock: Callable[[], float],
) -> None:
    """The same in real time: any number of workers in one thread. ``visit(list, page)`` is called when a page is due.

    A page's time is counted from the beginning of its list, so that the lateness of one wake-up does not add to the
    next.
    """
    queue = iter(range(len(jobs)))

    async def worker() -> None:
        for number in queue:
            begun = clock()
            for page in range(jobs[number].pages):
                await sleep(max(0.0, begun + (page + 1) * jobs[number].delay - clock()))
                visit(number, page)

    async with asyncio.TaskGroup() as group:
        for _ in range(min(workers, len(jobs))):
            group.create_task(worker())
