"""The test executor: every permutation of a project's settings, from an identical start, repeated, summed up.

[G20] §7.1.3.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import aiohttp
import numpy as np

from afresh.core.frontier.models import Seed
from afresh.core.frontier.protocols import FrontierStore
from afresh.lab.crawl.changes import ChangingWeb
from afresh.lab.crawl.database import example_seeds
from afresh.lab.crawl.http import FrontierApi
from afresh.lab.crawl.live import LiveCrawl
from afresh.lab.crawl.results import RunResult
from afresh.lab.crawl.settings import Project, SimulatorSettings
from afresh.lab.crawl.virtual import VirtualCrawl

#: when runs begin, seconds since 1970: a fixed day, so that results repeat to the last digit
START = 1_595_000_000.0


@dataclass(frozen=True, slots=True)
class Start:
    """The state every run of a project begins with: the example's pages, made once."""

    seeds: tuple[Seed, ...]

    @classmethod
    def of(cls, project: Project, seed: int) -> "Start":
        """Draws the example database."""
        return cls(tuple(example_seeds(project.example, np.random.default_rng([seed, 1]), START)))

    def restore(self, store: FrontierStore) -> None:
        """Empties a store and fills it again."""
        store.clear(fetchers=True, urls=True, sites=True, reservations=True, edges=True)
        store.add(self.seeds, now=START)


def virtual_case(
    store: FrontierStore, project: Project, settings: SimulatorSettings, repetition: int, seed: int
) -> RunResult:
    """One run in virtual time over a store that has been restored."""
    return VirtualCrawl(
        store=store,
        settings=settings,
        rng=np.random.default_rng([seed, 2, repetition]),
        started=START,
        repetition=repetition,
        join_every=project.join_every,
        web=changing_web(project, seed, repetition),
    ).run()


def changing_web(project: Project, seed: int, repetition: int) -> ChangingWeb | None:
    """The web of a project whose pages change; the same for every case, whatever it visits."""
    if project.change_interval is None:
        return None
    return ChangingWeb(np.random.default_rng([seed, 3, repetition]), mean_interval=project.change_interval)


def told(project: Project, settings: SimulatorSettings) -> str:
    """A case in words: the values of the settings that vary."""
    return ", ".join(str(settings.plain()[name]) for name in project.varying()) or "the one case"


def run_project(
    project: Project,
    *,
    seed: int,
    store: Callable[[], FrontierStore],
    progress: Callable[[str], None] = lambda _: None,
) -> Iterator[RunResult]:
    """All cases in virtual time, each over a store of its own that is filled alike."""
    start = Start.of(project, seed)
    for repetition, settings in project.cases():
        progress(f"{project.name}: {told(project, settings)}, repetition {repetition + 1}")
        opened = store()
        try:
            start.restore(opened)
            yield virtual_case(opened, project, settings, repetition, seed)
        finally:
            opened.close()


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
        progress(f"{project.name}: {told(project, settings)}, repetition {repetition + 1}")
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
