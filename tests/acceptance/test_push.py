"""A real daemon and a real hub on loopback: subscribed, verified, told, and found within seconds instead of an hour."""

import hmac
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlencode

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.fakes.served import served
from tests.tools import quiet_port

ENTRY = "<entry><id>urn:x:{0}</id><title>Entry {0}</title><updated>2026-01-0{0}T00:00:00Z</updated></entry>"
FEED = (
    '<feed xmlns="http://www.w3.org/2005/Atom"><id>urn:x</id><title>T</title><updated>2026-01-01T00:00:00Z</updated>'
    '<link rel="self" href="{base}/feed"/><link rel="hub" href="{base}/hub"/>{entries}</feed>'
)


class Publisher:
    """A feed and its hub in one."""

    def __init__(self) -> None:
        self.entries = [1]
        self.subscriptions: list[dict[str, str]] = []
        self.challenges: list[bool] = []
        self.app = Starlette(routes=[Route("/feed", self.feed), Route("/hub", self.hub, methods=["POST"])])

    async def feed(self, request: Request) -> Response:
        entries = "".join(ENTRY.format(number) for number in reversed(self.entries))
        text = FEED.format(base=str(request.base_url).rstrip("/"), entries=entries)
        return Response(text, media_type="application/atom+xml")

    async def hub(self, request: Request) -> Response:
        fields = {name: values[0] for name, values in parse_qs((await request.body()).decode()).items()}
        self.subscriptions.append(fields)
        threading.Thread(target=self.verify, args=(fields,), daemon=True).start()
        return Response(status_code=202)

    def verify(self, fields: dict[str, str]) -> None:
        asked = {"hub.mode": "subscribe", "hub.topic": fields["hub.topic"], "hub.challenge": "c-17"}
        asked["hub.lease_seconds"] = fields["hub.lease_seconds"]
        with urllib.request.urlopen(fields["hub.callback"] + "?" + urlencode(asked), timeout=10) as answer:
            self.challenges.append(answer.read() == b"c-17")

    def publish(self, number: int) -> int:
        self.entries.append(number)
        fields, body = self.subscriptions[-1], b"<feed/>"
        signature = "sha256=" + hmac.new(fields["hub.secret"].encode(), body, "sha256").hexdigest()
        headers = {"X-Hub-Signature": signature, "Content-Type": "application/atom+xml"}
        request = urllib.request.Request(fields["hub.callback"], body, headers)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return int(answer.status)


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
