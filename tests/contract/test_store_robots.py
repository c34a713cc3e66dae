"""Every store obeys the laws of ``tests.laws.store_robots``."""

from collections.abc import Callable

import pytest

from tests.laws.store_material import Open
from tests.laws.store_robots import LAWS


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Callable[[Open], None], opener: Open) -> None:
    law(opener)


def test_the_laws_are_found() -> None:
    assert len(LAWS) == 3
