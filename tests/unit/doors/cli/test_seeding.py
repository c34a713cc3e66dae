"""Seeds named at the start: what became of them is told, and of many refusals that there are more."""

import asyncio

import pytest

from afresh.base.clock import SystemClock
from afresh.base.executor import InPlace
from afresh.doors.cli.seeding import add_seeds
from afresh.frontier.scheduling import Frontier
from afresh.store.frontier import open_frontier


def test_of_many_refused_seeds_the_first_are_told_and_the_others_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    frontier = Frontier(open_frontier(":memory:"), clock=SystemClock(), executor=InPlace())
    seeds = ["https://a.example/", *(f"http://s{n}.localhost/" for n in range(29))]
    asyncio.run(add_seeds(frontier, seeds))
    first, *rest = capsys.readouterr().err.splitlines()
    assert first == "seeds: 1 new, 0 known before, 29 refused"
    assert len(rest) == 6
    assert rest[0].startswith("  http://s0.localhost/: s0.localhost is not of the public web")
    assert rest[-1] == "  … and 24 more"
