"""The demo ends by itself with an honest account."""

import json
import subprocess
import sys

import pytest

from afresh.feeds.patterns import Pattern

PATTERNS = {str(pattern) for pattern in Pattern} - {str(Pattern.UNKNOWN)}


@pytest.mark.slow
def test_the_demo_watches_every_pattern_and_presses_nobody() -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "afresh", "demo", "--for", "25s", "--json"], capture_output=True, text=True, timeout=200
    )
    assert answer.returncode == 0, answer.stderr
    summary = json.loads(answer.stdout)
    assert set(summary["patterns"]) == PATTERNS
    assert summary["politeness_violations"] == 0, summary["violations"]
    assert summary["polls"] > 60
    assert summary["not_modified"] > 5
    assert summary["entries_found"] > 20
    assert (
        summary["entries_found"] + summary["entries_missed"] + summary["entries_open"] == summary["entries_published"]
    )
    assert 0 < summary["mean_delay_s"] < 10
    assert {"gone", "http_error", "refused", "throttled", "unparsable"} <= set(summary["errors"])
