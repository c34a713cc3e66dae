"""Descriptors that run out: strangers cannot take them all, and no feed is blamed for what we lack."""

from pathlib import Path

import pytest

from tests.faults.descriptors import idle_strangers, no_descriptor_left

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("faults")]


def test_two_thousand_idle_connections_shut_nobody_out(tmp_path: Path) -> None:
    counted = idle_strangers(tmp_path)
    assert (counted["answered"], counted["soft_limit"]) == (counted["asked"], 1024)
    assert int(str(counted["open"])) < 1024 - 300
    assert (counted["lost"], counted["doubled"], counted["blamed"], counted["sites_blamed"]) == (0, 0, 0, 0)
    assert int(str(counted["log_lines"])) < 100


def test_a_want_of_descriptors_is_no_fault_of_a_feed(tmp_path: Path) -> None:
    counted = no_descriptor_left(tmp_path)
    assert counted["status"] == "degraded"
    assert (counted["lost"], counted["doubled"], counted["blamed"], counted["sites_blamed"]) == (0, 0, 0, 0)
    assert int(str(counted["log_lines"])) < 100
