"""What strangers send before anybody could ask who they are: bounded in bytes and in time, on a real socket."""

import asyncio
import socket
from collections.abc import Awaitable, Callable

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from afresh.doors.cli.quiet_server import QuietServer
from afresh.doors.rest import http_bounds as wire
from afresh.doors.rest.auth import AuthSettings
from afresh.doors.rest.http_bounds import MAX_HEAD, BoundedHttp
from afresh.doors.rest.incoming_gate import BodyLimits, Gate, Rules
from tests.fakes.asgi_client import AsgiClient
from tests.fakes.frontier_door import FrontierDoor

HOST = b"Host: 127.0.0.1\r\n"
Scenario = Callable[[int], Awaitable[None]]


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with the length of the body."""
    size, more = 0, True
    while more:
        message = await receive()
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
    body = str(size).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def serve(scenario: Scenario) -> None:
    async def go() -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            config = uvicorn.Config(
                echo, http=BoundedHttp, ws="none", lifespan="off", log_level="critical", timeout_graceful_shutdown=1
            )
            server = QuietServer(config)
            task = asyncio.create_task(server.serve(sockets=[listener]))
            try:
                async with asyncio.timeout(60):
                    await scenario(listener.getsockname()[1])
            finally:
                server.should_exit = True
                await task

    asyncio.run(go())


async def exchange(port: int, *sent: bytes, wanted: int = 1) -> bytes:
    """What comes back until the server hangs up or so many answers are there."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    got = b""
    try:
        for piece in sent:
            writer.write(piece)
            await writer.drain()
        while got.count(b"HTTP/1.1") < wanted or b"\r\n\r\n" not in got:
            piece = await reader.read(65_536)
            if not piece:
                break
            got += piece
    except ConnectionError:
        pass  # hung up while we were still sending
    finally:
        writer.close()
    return got


@pytest.mark.parametrize(
    "pieces",
    [
        [b"GET / HTTP/1.1\r\n" + HOST, *[b"X-%d: y\r\n" % number * 1_000 for number in range(200)]],
        [b"GET /", *[b"a" * 65_536] * 40],
        [b"GET / HTTP/1.1\r\n" + HOST + b"X: ", *[b"a" * 65_536] * 40],
    ],
    ids=["headers", "path", "one header"],
)
def test_a_head_without_end_is_not_gathered(pieces: list[bytes]) -> None:
    async def scenario(port: int) -> None:
        got = await exchange(port, *pieces)
        assert not got or got.startswith((b"HTTP/1.1 431", b"HTTP/1.1 400")), got[:100]
        assert b"200 OK" in await exchange(port, b"GET / HTTP/1.1\r\n" + HOST + b"\r\n"), "others are served"

    serve(scenario)


def test_whoever_never_finishes_a_head_is_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "PATIENCE", 0.2)

    async def scenario(port: int) -> None:
        assert (await exchange(port)).startswith(b"HTTP/1.1 408")
        assert (await exchange(port, b"GET / HTTP/1.1\r\nHost: ")).startswith(b"HTTP/1.1 408")

    serve(scenario)


def test_large_bodies_long_heads_and_many_requests_on_one_connection_pass() -> None:
    async def scenario(port: int) -> None:
        body = b"x" * 3_000_000
        head = b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: %d\r\n\r\n" % len(body)
        assert (await exchange(port, head + body)).endswith(b"3000000")
        long = b"X: " + b"a" * (MAX_HEAD - 1_000) + b"\r\n"
        assert b"200 OK" in await exchange(port, b"GET / HTTP/1.1\r\n" + HOST + long + b"\r\n")
        one = b"GET / HTTP/1.1\r\n" + HOST + b"X: " + b"a" * 40_000 + b"\r\n\r\n"
        assert (await exchange(port, one, one, one, wanted=3)).count(b"200 OK") == 3, "each head counts by itself"

    serve(scenario)


TOKEN = "t" * 20


async def is_hub(path: str) -> bool:
    return path.startswith("x")


def gate(limits: BodyLimits) -> AsgiClient:
    return AsgiClient(Gate(echo, auth=AuthSettings(tokens=(TOKEN,)), limits=limits, rules=Rules(is_hub=is_hub)))


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_nothing_is_read_of_somebody_who_calls_at_an_address_no_hub_was_given(method: str) -> None:
    async def call() -> int:
        statuses: list[int] = []

        async def receive() -> dict[str, object]:
            raise AssertionError("the body was read")

        async def send(message: dict[str, object]) -> None:
            if message["type"] == "http.response.start":
                statuses.append(int(str(message["status"])))

        scope = {"type": "http", "method": method, "path": "/push/guess", "headers": [(b"host", b"127.0.0.1")]}
        made = Gate(echo, auth=AuthSettings(tokens=(TOKEN,)), limits=BodyLimits(), rules=Rules(is_hub=is_hub))
        await made(scope, receive, send)  # type: ignore[arg-type]
        return statuses[0]

    assert asyncio.run(call()) == 410


@pytest.mark.parametrize("path", ["/push/x", "/push/x/import", "/push/x/urls"])
def test_the_path_of_hubs_has_one_bound_whatever_it_ends_in(path: str) -> None:
    asked = gate(BodyLimits(ordinary=100, imports=10_000, pushed=50))
    assert asked.request("POST", path, body=[b"x" * 50]).status == 200
    assert asked.request("POST", path, body=[b"x" * 51]).status == 413
    assert asked.request("POST", path, body=[b""], content_length="51").status == 413


@pytest.mark.parametrize("path", ["/push/x", "/push/x/urls", "/push/api/v1/urls"])
def test_no_hub_calls_a_frontier(path: str) -> None:
    door = FrontierDoor(tokens=[TOKEN])
    try:
        assert door.client.request("POST", path, body=[b"x"], content_type="text/plain").status == 401
    finally:
        door.store.close()


def test_a_fetcher_cannot_make_a_frontier_read_an_import() -> None:
    door = FrontierDoor(tokens=[TOKEN])
    try:
        fetcher = door.register(token=TOKEN)["token"]
        sent = {"content_type": "text/plain", "content_length": "60000000", "authorization": f"Bearer {fetcher}"}
        assert door.client.request("POST", "/api/v1/urls", body=[b"x"], **sent).status == 403
    finally:
        door.store.close()


def test_a_body_that_trickles_is_given_up() -> None:
    async def trickle() -> list[int]:
        statuses: list[int] = []

        async def receive() -> dict[str, object]:
            await asyncio.sleep(0.01)
            return {"type": "http.request", "body": b"x", "more_body": True}

        async def send(message: dict[str, object]) -> None:
            if message["type"] == "http.response.start":
                statuses.append(int(str(message["status"])))

        scope = {"type": "http", "method": "POST", "path": "/push/x", "headers": [(b"host", b"127.0.0.1")]}
        limits, rules = BodyLimits(seconds=0.1), Rules(is_hub=is_hub)
        made = Gate(echo, auth=AuthSettings(tokens=(TOKEN,)), limits=limits, rules=rules)
        await made(scope, receive, send)  # type: ignore[arg-type]
        return statuses

    assert asyncio.run(trickle()) == [408]
