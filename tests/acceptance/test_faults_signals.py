"""Where SIGINT is ignored, as in the background of a shell, programs end and tests do not wait for ever."""

from pathlib import Path

import pytest

from tests.faults.signals import ended_in_the_background, suite_in_the_background

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("faults")]


def test_programs_started_in_the_background_end(tmp_path: Path) -> None:
    assert ended_in_the_background(tmp_path)["ended"] == 6


def test_the_suite_runs_in_the_background(tmp_path: Path) -> None:
    assert suite_in_the_background(tmp_path)["passed"] == 1


def test_no_test_relies_on_sigint() -> None:
    """``tests.fakes.ending`` is how a process is ended."""
    here = Path(__file__).parents[1]
    sending = [file for file in here.rglob("*.py") if "send_signal(signal.SIG" + "INT)" in file.read_text()]
    assert sending == []
