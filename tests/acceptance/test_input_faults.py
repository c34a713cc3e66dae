"""Bad input done for real; the rows are those of ``python -m tests.bench faults``."""

from collections.abc import Callable

import pytest

from tests.bench.input_faults import ROWS


@pytest.mark.parametrize("row", [row for _, row in ROWS], ids=[name.replace(" ", "-") for name, _ in ROWS])
def test_row(row: Callable[[], dict[str, object]]) -> None:
    assert row()
