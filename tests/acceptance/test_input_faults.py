"""Bad input done for real; the rows are those of ``python -m tests.bench faults``."""

from pathlib import Path

import pytest

from tests.bench import faults
from tests.bench.input_faults import ROWS


@pytest.mark.parametrize("name", ROWS)
def test_row(name: str, tmp_path: Path) -> None:
    assert ROWS[name](tmp_path)


def test_the_bench_plays_them_all() -> None:
    assert ROWS.items() <= faults.ROWS.items()
    assert not faults.ROWS.keys() & faults.LONG.keys()
