"""Every frontier store obeys the laws of ``tests.laws.frontier``, ``frontier_orders``, ``_links`` and ``_times``."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from afresh.store.frontier import open_frontier
from tests.fakes.frontier_stores import KINDS, empty_frontier
from tests.laws.frontier import LAWS
from tests.laws.frontier_links import LINK_LAWS
from tests.laws.frontier_material import OpenFrontier
from tests.laws.frontier_orders import ORDER_LAWS
from tests.laws.frontier_results import LAWS as RESULT_LAWS
from tests.laws.frontier_times import LAWS as TIME_LAWS


@pytest.fixture(params=KINDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return empty_frontier(request.param, tmp_path)


@pytest.mark.parametrize("law", [*LAWS, *ORDER_LAWS, *RESULT_LAWS, *TIME_LAWS], ids=lambda law: law.__name__)
def test_law(law: Callable[[OpenFrontier], None], url: str) -> None:
    law(partial(open_frontier, url))


@pytest.mark.parametrize("law", LINK_LAWS, ids=lambda law: law.__name__)
def test_link_law(law: Callable[[OpenFrontier], None], url: str) -> None:
    law(partial(open_frontier, url, links=True))


def test_the_laws_are_found() -> None:
    assert len(LAWS) > 40
    assert len(ORDER_LAWS) > 10
    assert len(LINK_LAWS) > 2
    assert len(TIME_LAWS) > 10
    assert len(RESULT_LAWS) > 5
