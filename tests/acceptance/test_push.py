"""A real daemon and a real hub on loopback: subscribed, verified, told, and found within seconds instead of an hour."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

from tests.fakes.publisher import Publisher
from tests.fakes.served import served
from tests.tools import quiet_port


def wait_until(is_so: Callable[[], bool], seconds: float = 40.0) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.1)


def test_news_arrive_when_the_hub_tells(tmp_path: Path) -> None:
    port = quiet_port()
    me = f"http://127.0.0.1:{port}"
    settings = {
        "fetch.allow_private": "true",
        "politeness.delay": "100ms",
        "push.callback": me,
        "service.port": str(port),
        "predict.rule": "fix:interval=3600",
    }
    given = [part for name, value in settings.items() for part in ("--set", f"{name}={value}")]
    afresh = [sys.executable, "-m", "afresh", "--store", str(tmp_path / "afresh.db"), *given]
    publisher = Publisher()

    def entries() -> list[str]:
        with urllib.request.urlopen(me + "/api/v1/entries", timeout=10) as answer:
            return [item["title"] for item in json.load(answer)["items"]]

    with served(publisher.app) as base:
        subprocess.run([*afresh, "add", base + "/feed"], check=True, capture_output=True, cwd=tmp_path)
        daemon = subprocess.Popen([*afresh, "run"], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda: publisher.challenges == [True])
            assert entries() == ["Entry 1"]
            assert publisher.publish(2) == 202
            wait_until(lambda: entries() == ["Entry 1", "Entry 2"], 15.0)
            with urllib.request.urlopen(me + "/api/v1/resources/1/why", timeout=10) as answer:
                assert "its hub tells us of news" in json.load(answer)["summary"]
        finally:
            os.kill(daemon.pid, signal.SIGTERM)
            assert daemon.wait(30) == 0
