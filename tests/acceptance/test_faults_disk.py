"""A full disk: the daemon waits with what it has; a start says it in one line."""

from pathlib import Path

import pytest

from tests.faults.disk import full_disk, start_on_a_full_disk

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("faults")]


def test_a_daemon_waits_for_a_disk_that_is_full(tmp_path: Path) -> None:
    counted = full_disk(tmp_path)
    assert (counted["lost"], counted["doubled"]) == (0, 0)
    assert (counted["page"], counted["adding"], counted["retry_after"]) == (200, 503, "1")
    assert "disk" in str(counted["why"])
    assert int(str(counted["log_lines"])) < 60


def test_a_start_on_a_full_disk_says_so_in_one_line(tmp_path: Path) -> None:
    ended = start_on_a_full_disk(tmp_path)
    assert (ended["code"], ended["lines"]) == (3, 1)
    assert "free some space" in str(ended["said"])
