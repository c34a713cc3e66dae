"""Single cases of a project in virtual time, one after the other or side by side in processes of their own."""

import gc
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context

import numpy as np

from afresh.base.records.frontier_store import FrontierStore
from afresh.lab.crawl.results import RunResult
from afresh.lab.crawl.settings import Project, SimulatorSettings
from afresh.lab.crawl.start import START, Start, changing_web
from afresh.lab.crawl.virtual import VirtualCrawl

Case = tuple[int, SimulatorSettings]  # repetition, settings
MakeStore = Callable[[], FrontierStore]
Results = Generator[RunResult, None, None]


def virtual_case(store: FrontierStore, project: Project, case: Case, seed: int) -> RunResult:
    """One run in virtual time over a store that has been restored."""
    repetition, settings = case
    crawl = VirtualCrawl(
        store=store,
        settings=settings,
        rng=np.random.default_rng([seed, 2, repetition]),
        started=START,
        repetition=repetition,
        join_every=project.join_every,
        web=changing_web(project, seed, repetition),
    )
    with _collector_spared():
        return crawl.run()


@contextmanager
def _collector_spared() -> Iterator[None]:
    """A run makes millions of tuples and no cycles: looking for some took a sixth of its time. The service spares it
    too.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def one_by_one(project: Project, cases: Sequence[Case], *, seed: int, store: MakeStore) -> Results:
    """Each case over a store of its own that is filled alike."""
    start = Start.of(project, seed)
    for case in cases:
        yield _from_the_start(start, project, case, seed, store)


def side_by_side(project: Project, cases: Sequence[Case], *, seed: int, store: MakeStore, jobs: int) -> Results:
    """The same, in the same order, by several processes; ``store`` must be something that can be pickled."""
    # Fresh processes: a fork would copy locks that threads of compiled code may hold.
    with ProcessPoolExecutor(
        min(jobs, len(cases)), mp_context=get_context("spawn"), initializer=_prepare, initargs=(project, seed, store)
    ) as pool:
        yield from pool.map(_of_worker, cases)


def _from_the_start(start: Start, project: Project, case: Case, seed: int, store: MakeStore) -> RunResult:
    opened = store()
    try:
        start.restore(opened)
        return virtual_case(opened, project, case, seed)
    finally:
        opened.close()


_worker: list[Callable[[Case], RunResult]] = []  # in a process beside: what runs a case, its start drawn once


def _prepare(project: Project, seed: int, store: MakeStore) -> None:
    start = Start.of(project, seed)
    _worker.append(lambda case: _from_the_start(start, project, case, seed, store))


def _of_worker(case: Case) -> RunResult:
    return _worker[0](case)
