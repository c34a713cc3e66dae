"""Damaged rows of a frontier that is served: the others are handed out, and a doctor mends them."""

from pathlib import Path

import pytest

from tests.faults.frontier_rows import damaged_rows

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("faults")]


def test_damaged_rows_keep_nobody(tmp_path: Path) -> None:
    counted = damaged_rows(tmp_path)
    assert counted["mended"] == counted["set_aside"] == counted["damaged"]
    assert counted["handed_out"] == 1
