"""A PostgreSQL that is stopped for a while: daemon and frontier wait, and say so at once to whoever asks."""

from pathlib import Path

import pytest

from tests.faults.postgres import away_from_daemon, away_from_frontier

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.xdist_group("faults")]


def test_a_daemon_waits_for_its_database(tmp_path: Path) -> None:
    counted = away_from_daemon(tmp_path)
    assert (counted["lost"], counted["doubled"], counted["blamed"]) == (0, 0, 0)
    assert int(str(counted["log_lines"])) < 100


def test_a_frontier_waits_for_its_database(tmp_path: Path) -> None:
    counted = away_from_frontier(tmp_path)
    assert (counted["lost"], counted["health"]) == (0, "degraded")
    assert int(str(counted["log_lines"])) < 100
