"""Every store obeys the laws of ``checks.store``."""

from collections.abc import Callable
from pathlib import Path

import pytest

from afresh.checks.store import LAWS
from afresh.checks.store_material import Open
from afresh.store import open_store

BACKENDS: dict[str, Callable[[Path], str]] = {"sqlite": lambda folder: f"sqlite:///{folder}/store.db"}


@pytest.fixture(params=BACKENDS)
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    url = BACKENDS[request.param](tmp_path)
    return lambda: open_store(url)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Callable[[Open], None], opener: Open) -> None:
    law(opener)


def test_the_laws_are_found() -> None:
    assert len(LAWS) > 35
