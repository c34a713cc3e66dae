"""A receiver of webhooks on loopback: keeps what came, answers as it is told."""

import asyncio
import json
from typing import Any, Self

from aiohttp import web


class Receiver:
    """Answers 204 unless ``answers`` holds other statuses to give first; ``hold`` makes it wait before it answers."""

    def __init__(self) -> None:
        self.requests: list[tuple[dict[str, str], bytes]] = []
        self.answers: list[int] = []
        self.location = "/elsewhere"  # where a redirect leads
        self.hold: asyncio.Event | None = None
        self.arrived = asyncio.Event()
        self.url = ""
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_route("*", "/{tail:.*}", self._take)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}/hook"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    async def _take(self, request: web.Request) -> web.Response:
        self.requests.append((dict(request.headers), await request.read()))
        self.arrived.set()
        if self.hold is not None:
            await self.hold.wait()
        status = self.answers.pop(0) if self.answers else 204
        return web.Response(status=status, headers={"Location": self.location} if 300 <= status < 400 else None)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _, body in self.requests]

    @property
    def events(self) -> list[str]:
        """Titles told, in order; those of a delivery that came twice once, as a receiver would do it."""
        seen: dict[str, list[str]] = {}
        for body in self.bodies:
            seen.setdefault(body["id"], [event["title"] for event in body["events"]])
        return [title for titles in seen.values() for title in titles]
