"""A soak in small: the daemon is killed and ill-treated, and the server's accounts stay clean."""

import json
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("faults")]


def test_a_daemon_that_is_killed_and_ill_treated_loses_nothing_and_presses_nobody() -> None:
    rule = "--set=predict.rule=fix:interval=2s"  # no compiled code: who is killed soon must get somewhere
    words = [rule, "demo", "--for", "40s", "--kill-every", "10s", "--faults", "--json"]
    command = [sys.executable, "-m", "afresh", *words]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=280)
    assert ended.stdout, ended.stderr
    summary = json.loads(ended.stdout)
    assert (summary["lost"], summary["doubled"], summary["violations"]) == (0, 0, 0), summary
    assert summary["kills"] >= 1, summary
    assert sum(summary["faults"].values()) >= 1, summary
    assert summary["end_code"] == 0, summary
    assert summary["entries_acknowledged"] > 0, summary
