"""The test executor: every permutation of a project's settings, from an identical start, repeated, summed up.

[G20] §7.1.3.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing

import aiohttp
import numpy as np

from afresh.lab.crawl.cases import Case, MakeStore, one_by_one, side_by_side
from afresh.lab.crawl.http import FrontierApi
from afresh.lab.crawl.live import LiveCrawl
from afresh.lab.crawl.results import RunResult
from afresh.lab.crawl.settings import Project, SimulatorSettings
from afresh.lab.crawl.start import Start, changing_web


def told(project: Project, settings: SimulatorSettings) -> str:
    """A case in words: the values of the settings that vary."""
    return ", ".join(str(settings.plain()[name]) for name in project.varying()) or "the one case"


def run_project(
    project: Project,
    *,
    seed: int,
    store: MakeStore,
    progress: Callable[[str], None] = lambda _: None,
    jobs: int = 1,
) -> Iterator[RunResult]:
    """All cases in virtual time, each over a store of its own that is filled alike.

    With several ``jobs`` as many processes work side by side; ``store`` must then be something that can be pickled.
    """
    cases = list(project.cases())
    if min(jobs, len(cases)) > 1:
        results = side_by_side(project, cases, seed=seed, store=store, jobs=jobs)
    else:
        results = one_by_one(project, cases, seed=seed, store=store)
    with closing(results):
        for case in cases:
            progress(_announced(project, case))
            yield next(results)


def _announced(project: Project, case: Case) -> str:
    repetition, settings = case
    return f"{project.name}: {told(project, settings)}, repetition {repetition + 1}"


def run_live(
    project: Project,
    *,
    seed: int,
    base: str,
    scheduler: Sequence[int] = (),
    token: str = "",
    progress: Callable[[str], None] = lambda _: None,
) -> Iterator[RunResult]:
    """All cases against a frontier over HTTP, in real time; its database is emptied and filled alike before each."""
    start = Start.of(project, seed)
    for repetition, settings in project.cases():
        progress(_announced(project, (repetition, settings)))
        asyncio.run(_restore(start, base, token))
        crawl = LiveCrawl(
            base=base,
            rng=np.random.default_rng([seed, 2, repetition]),
            settings=settings,
            repetition=repetition,
            scheduler=scheduler,
            join_every=project.join_every,
            web=changing_web(project, seed, repetition),
            token=token,
        )
        yield asyncio.run(crawl.run())


async def _restore(start: Start, base: str, token: str) -> None:
    async with aiohttp.ClientSession() as session:
        await FrontierApi(base, session, token=token).restore(start.seeds)
