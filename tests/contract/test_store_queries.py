"""Every store obeys the laws of ``checks.store_queries``."""

from collections.abc import Callable
from pathlib import Path

import pytest

from afresh.checks.store_material import Open
from afresh.checks.store_queries import LAWS
from afresh.store import open_store


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Callable[[Open], None], tmp_path: Path) -> None:
    law(lambda: open_store(str(tmp_path / "store.db")))


def test_the_laws_are_found() -> None:
    assert len(LAWS) >= 11
