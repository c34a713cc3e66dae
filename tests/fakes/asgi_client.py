"""A client that calls an ASGI app directly: raw bytes in, status, headers and body out."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from starlette.types import ASGIApp, Message


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()


class AsgiClient:
    """Sends requests as a program on this machine would; headers given replace the usual ones."""

    def __init__(self, app: ASGIApp, **headers: str) -> None:
        self.app = app
        self.headers = {"host": "127.0.0.1:8000", **headers}

    def get(self, target: str, **headers: str) -> Answer:
        return self.request("GET", target, **headers)

    def send_json(self, method: str, target: str, content: Any, **headers: str) -> Answer:
        sent = {"content-type": "application/json", **headers}
        return self.request(method, target, body=[json.dumps(content).encode()], **sent)

    def request(self, method: str, target: str, *, body: Sequence[bytes] = (), **headers: str) -> Answer:
        """``body`` arrives in these pieces, without a length, as a chunked request does."""
        return asyncio.run(self._request(method, target, body, headers))

    async def _request(self, method: str, target: str, body: Sequence[bytes], headers: Mapping[str, str]) -> Answer:
        parts = urlsplit(target)
        named = {**self.headers, **{name.replace("_", "-").lower(): value for name, value in headers.items()}}
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(parts.path),
            "raw_path": parts.path.encode(),
            "query_string": parts.query.encode(),
            "root_path": "",
            "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in named.items()],
            "client": ("127.0.0.1", 50_000),
            "server": ("127.0.0.1", 8000),
        }
        pieces = list(body) or [b""]
        sent: list[Message] = []

        answered = asyncio.Event()

        async def receive() -> Message:
            if not pieces:
                await answered.wait()  # a client stays for its answer
                return {"type": "http.disconnect"}
            piece = pieces.pop(0)
            return {"type": "http.request", "body": piece, "more_body": bool(pieces)}

        async def send(message: Message) -> None:
            sent.append(message)
            if message["type"] == "http.response.body" and not message.get("more_body"):
                answered.set()

        await self.app(scope, receive, send)
        answer_headers = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
        return Answer(sent[0]["status"], answer_headers, b"".join(part.get("body", b"") for part in sent[1:]))
