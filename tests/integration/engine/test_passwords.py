"""Feeds behind a name and a password: the settings' are sent to their host, and to nobody else."""

import asyncio
import json
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import web

from afresh.base.errors import ConfigError
from afresh.base.models import Request
from afresh.base.settings import load_settings
from afresh.doors.cli.main import run
from afresh.engine.fetching import make_gate
from afresh.http.access import Access, of_settings
from tests.fakes.every_status import answering

SECRET = "ada:open-sesame"
FEED = "<rss version='2.0'><channel><title>Board</title><item><title>One</title><guid>1</guid></item></channel></rss>"


class Board:
    """A feed for members; ``/away`` sends them to another host. Notes whom it was told of by which host."""

    def __init__(self) -> None:
        self.port = 0
        self.told: list[tuple[str, str | None]] = []

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.path == "/robots.txt":
            return web.Response(status=404)
        told = request.headers.get("Authorization")
        self.told.append((request.host.partition(":")[0], told))
        if request.path == "/away":
            return web.Response(status=302, headers={"Location": f"http://other.localhost:{self.port}/feed"})
        if told != "Basic " + b64encode(SECRET.encode()).decode():
            return web.Response(status=401)
        return web.Response(text=FEED, content_type="application/rss+xml")


@pytest.fixture
def board() -> Iterator[Board]:
    made = Board()
    with answering(made.answer) as address:
        made.port = int(address.rpartition(":")[2].rstrip("/"))
        yield made


def test_a_feed_for_members_is_read(board: Board, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    host = f"http://members.localhost:{board.port}"
    (tmp_path / "afresh.toml").write_text(
        f'[fetch]\nallowed_networks = ["127.0.0.0/8"]\npasswords = ["{host}={SECRET}"]\n'
        f'[store]\nurl = "{tmp_path / "s.db"}"\n'
    )
    words = ["--config", str(tmp_path / "afresh.toml")]
    assert run([*words, "add", f"{host}/feed"]) == 0
    assert run([*words, "poll", "1"]) == 0
    capsys.readouterr()
    assert run([*words, "entries", "--json"]) == 0
    assert [one["title"] for one in json.loads(capsys.readouterr().out)["entries"]] == ["One"]
    assert run([*words, "config", "show"]) == 0
    assert "sesame" not in capsys.readouterr().out


def test_nobody_else_is_sent_it(board: Board) -> None:
    host = f"http://members.localhost:{board.port}"
    loaded = load_settings(
        overrides={
            "fetch.allowed_networks": "127.0.0.0/8",
            "fetch.passwords": f"{host}={SECRET}",
            "politeness.delay": "0s",
        }
    )

    async def scenario() -> None:
        gate = make_gate(loaded.settings)
        try:
            await gate.fetch(Request(url=f"{host}/away"))
            await gate.fetch(Request(url=f"http://third.localhost:{board.port}/feed"))
        finally:
            await gate.close()

    asyncio.run(scenario())
    assert [(who, bool(told)) for who, told in board.told] == [
        ("members.localhost", True),
        ("other.localhost", False),
        ("third.localhost", False),
    ]


def test_what_a_command_is_given_counts_more() -> None:
    fetch = load_settings(
        overrides={"fetch.headers": ["a.example=X-Api-Key: 1", "a.example=X-Other: 2"]}
    ).settings.fetch
    origin = ("https", "a.example", 443)
    given = Access(headers={origin: [("x-api-key", "9")], None: [("Accept-Language", "en")]}, insecure=True)
    joined = of_settings(fetch, given)
    assert joined is not None
    assert joined.headers == {origin: [("X-Other", "2"), ("x-api-key", "9")], None: [("Accept-Language", "en")]}
    assert joined.insecure


@pytest.mark.parametrize("value", ["example.org", "example.org=sesame", "=ada:sesame"])
def test_a_form_that_is_not_understood_is_refused_without_the_secret(value: str) -> None:
    with pytest.raises(ConfigError, match=r"fetch\.passwords: number 1 is not of the form") as refusal:
        load_settings(overrides={"fetch.passwords": [value]})
    assert "sesame" not in str(refusal.value)
