"""``afresh demo --pages``: the real daemon on a web of pages keeps every delay and knows how fresh its copies are."""

import json
import subprocess
import sys


def test_delays_are_kept_and_freshness_is_as_predicted() -> None:
    """Small and short, so the tolerance is wide.

    240 pages over ten seconds have a standard error of two points, and on a busy machine answers are late by a
    noticeable part of so short a day.
    """
    command = [sys.executable, "-m", "afresh", "demo", "--pages", "240", "--sites", "16"]
    command += ["--day", "16s", "--for", "30s", "--seed", "3", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["politeness_violations"] == 0, told["violations"]
    assert told["pages"] == 240, "all of them were found through robots.txt and sitemaps"
    assert told["visits"] > 600
    assert told["not_modified"] > 50
    assert 0.4 < told["measured_freshness"] < 1.0
    assert abs(told["difference"]) < 0.1, told
