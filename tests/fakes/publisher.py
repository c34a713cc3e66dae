"""A feed and its hub on loopback: takes subscriptions, verifies them, tells of news."""

import hmac
import threading
import urllib.request
from urllib.parse import parse_qs, urlencode

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

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
