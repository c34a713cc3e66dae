"""What runs beside the loop may fail: it is started again, counted, and shown."""

from pathlib import Path

import pytest

from tests.faults.companions import failing_companions

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("faults")]


def test_housekeeping_that_fails_is_started_again(tmp_path: Path) -> None:
    counted = failing_companions(tmp_path)
    assert counted["what"] == "housekeeping"
    assert (counted["lost"], counted["doubled"]) == (0, 0)
