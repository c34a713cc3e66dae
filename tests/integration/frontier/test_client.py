"""A fetcher's line to its frontier over real HTTP: registering, lists, reports, and a frontier that goes away."""

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from afresh.base.errors import AccessDenied, ConfigError, ServiceError, UsageError
from afresh.base.records.frontier import PageReport, PageResult, SiteReport
from afresh.doors.cli.main import run
from afresh.frontier.client import FrontierClient, Identity
from tests.fakes.frontier_door import FrontierDoor
from tests.fakes.served import served


def served_door(**options: object) -> FrontierDoor:
    return FrontierDoor(names=("127.0.0.1",), **options)  # type: ignore[arg-type]  # passed through


def test_a_fetcher_keeps_its_identity(tmp_path: Path) -> None:
    state = tmp_path / "deep" / "fetcher.json"

    async def register(base: str) -> Identity:
        client = FrontierClient(base)
        try:
            return await client.register(state, name="n", contact="ops@example.org")
        finally:
            await client.close()

    door = served_door()
    with served(door.app) as base:
        first = asyncio.run(register(base))
        assert asyncio.run(register(base + "/api/v1/")) == first
    assert [account.name for account in door.store.fetchers()] == ["n"]
    assert state.stat().st_mode & 0o077 == 0  # its secret is nobody else's
    door.store.close()


def test_a_process_that_begins_anew_gets_its_sites_again_after_a_pause(tmp_path: Path) -> None:
    """As after ``kill -9``: nothing was given back, and nobody shall wait an hour for it."""
    door = served_door()
    door.add("https://a.example.com/1", "https://b.example.com/1")

    async def taken(base: str, name: str) -> list[str]:
        client = FrontierClient(base)
        try:
            await client.register(tmp_path / f"{name}.json", name=name, contact="ops@example.org")
            return [site.name for site in (await client.lists(amount=1, length=1)).sites]
        finally:
            await client.close()

    with served(door.app) as base:
        assert asyncio.run(taken(base, "one")) == ["a.example.com"]
        assert asyncio.run(taken(base, "two")) == ["b.example.com"]
        assert asyncio.run(taken(base, "one")) == []
        door.clock.time += 10.0
        assert asyncio.run(taken(base, "one")) == ["a.example.com"]
    door.store.close()


def test_lists_come_and_reports_go(tmp_path: Path) -> None:
    door = served_door()
    door.add("https://a.example.com/1", "https://a.example.com/2")

    async def work(base: str) -> None:
        client = FrontierClient(base)
        await client.register(tmp_path / "f.json", name="n", contact="ops@example.org")
        given = await client.lists(amount=5, length=10)
        assert given.expires == door.clock.time + 3600
        site = given.sites[0]
        assert (site.name, site.crawl_delay, len(site.pages)) == ("a.example.com", 10.0, 2)
        pages = (
            PageReport(
                url=site.pages[0].url, number=site.pages[0].number, content_hash="abc", etag='"1"', bytes=5,
                links=("https://b.example.org/",), fetched=door.clock.time, seconds=0.1,
            ),
            PageReport(url=site.pages[1].url, number=site.pages[1].number, result=PageResult.SKIPPED),
        )  # fmt: skip
        report = SiteReport(lease=site.lease, name=site.name, pages=pages, crawl_delay=2.0, round_trip=0.05)
        await client.report([report], key="k1")
        await client.report([report], key="k1")
        door.clock.time += 100
        again = await client.lists(amount=5, length=10)
        assert {item.name: len(item.pages) for item in again.sites} == {"a.example.com": 1, "b.example.org": 1}
        await client.close()

    with served(door.app) as base:
        asyncio.run(work(base))
    assert door.store.stats().visits == 1
    site = door.store.site("a.example.com")
    assert site is not None
    assert site.crawl_delay == 2.0
    door.store.close()


def test_a_refusal_is_said_once_and_not_repeated(tmp_path: Path) -> None:
    door = served_door(tokens=("administrator-0123456789",), join_tokens=("join-token-0123456789",))

    async def register(base: str, token: str) -> Identity:
        client = FrontierClient(base, join_token=token)
        try:
            return await client.register(tmp_path / "f.json", name="n", contact="ops@example.org")
        finally:
            await client.close()

    with served(door.app) as base:
        with pytest.raises(AccessDenied, match="401"):
            asyncio.run(register(base, "wrong"))
        assert asyncio.run(register(base, "join-token-0123456789")).uuid
    door.store.close()


@pytest.mark.parametrize(("token", "words"), [("", "wants a token"), ("wrong", "does not take this token")])
def test_a_fetcher_that_is_not_let_in_hears_which_token_is_wanted(
    token: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AFRESH_JOIN_TOKEN", token)
    door = served_door(tokens=("administrator-0123456789",), join_tokens=("join-token-0123456789",))
    with served(door.app) as base:
        assert run(["fetch", "--from", base, "--name", "n", "--email", "ops@example.org"]) == 3
    said = capsys.readouterr().err
    assert f"{base} {words} to register with" in said
    assert "--token or AFRESH_JOIN_TOKEN" in said
    assert "Bearer" not in said
    door.store.close()


def test_a_frontier_that_is_away_is_waited_for(tmp_path: Path) -> None:
    async def wait(base: str) -> int:
        client = FrontierClient(base)
        task = asyncio.create_task(client.register(tmp_path / "f.json", name="n", contact="ops@example.org"))
        while client.retries < 2 and not task.done():
            await asyncio.sleep(0.01)
        task.cancel()
        await client.close()
        return client.retries

    with socket.socket() as held:  # bound and not listening: nobody answers, and nobody else gets the port
        held.bind(("127.0.0.1", 0))
        assert asyncio.run(wait(f"http://127.0.0.1:{held.getsockname()[1]}")) >= 2


def test_states_that_cannot_be_read(tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("{", encoding="utf-8")
    with pytest.raises(ConfigError, match="remove it"):
        Identity.read(broken)
    broken.write_text(json.dumps({"uuid": "u"}), encoding="utf-8")
    with pytest.raises(ConfigError):
        Identity.read(broken)
    assert Identity.read(tmp_path / "none.json") is None
    with pytest.raises(UsageError, match="http://"):
        FrontierClient("frontier.example.org")


@pytest.mark.parametrize(
    ("status", "body"), [(200, b"<p>Hello</p>"), (200, b'{"a": 1}'), (200, b"[]"), (404, b"<p>no</p>")]
)
def test_another_server_is_told_from_a_frontier(status: int, body: bytes, tmp_path: Path) -> None:
    async def app(scope: object, receive: object, send: Callable[..., Awaitable[None]]) -> None:
        await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", b"text/html")]})
        await send({"type": "http.response.body", "body": body})

    async def register(base: str) -> None:
        client = FrontierClient(base)
        try:
            await client.register(tmp_path / "fetcher.json", name="n", contact="ops@example.org")
        finally:
            await client.close()

    with (
        served(app) as base,
        pytest.raises(ServiceError, match=f"^{base} is no afresh frontier: it.* answer.*$") as refused,
    ):
        asyncio.run(register(base))
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "fetcher.json").exists()
