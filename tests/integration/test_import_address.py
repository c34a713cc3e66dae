"""``afresh import ADDRESS``: a list is read at once, a sitemap is left to the daemon, what is neither is told."""

import json
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from afresh.doors.cli.main import cli, run
from afresh.store import open_store
from tests.fakes.served import served

ALLOWED = ("--set", "fetch.allowed_networks=127.0.0.0/8", "--set", "politeness.delay=500ms")
DOCUMENTS = {
    "/feeds.opml": b'<opml version="2.0"><body><outline text="A" xmlUrl="https://a.example/feed"/></body></opml>',
    "/sitemap.xml": b"<urlset><url><loc>https://a.example/1</loc></url></urlset>",
    "/feed.xml": b"<rss version='2.0'><channel><title>T</title></channel></rss>",
}


async def _answer(request: Request) -> Response:
    if request.url.path.startswith("/later"):
        return Response(status_code=429, headers={"Retry-After": "3600"})
    body = DOCUMENTS.get(request.url.path)
    return Response(body, media_type="application/xml") if body else Response(status_code=404)


@pytest.mark.parametrize(
    ("path", "code", "kept"),
    [
        ("/feeds.opml", 0, [("feed", "https://a.example/feed")]),
        ("/sitemap.xml", 0, [("sitemap", "BASE/sitemap.xml")]),
        ("/feed.xml", 2, []),
        ("/nothing", 2, []),
        ("/later/sitemap.xml", 0, [("sitemap", "BASE/later/sitemap.xml")]),
        ("/later/feeds.opml", 2, []),
    ],
)
def test_what_an_address_holds_decides(tmp_path: Path, path: str, code: int, kept: list[tuple[str, str]]) -> None:
    settings = ["--store", str(tmp_path / "a.db"), *ALLOWED]
    with served(Starlette(routes=[Route("/{rest:path}", _answer)])) as base:
        assert run([*settings, "import", base + path]) == code
    shown = json.loads(CliRunner().invoke(cli, [*settings, "list", "--json"]).output)
    assert [(item["kind"], item["url"]) for item in shown] == [(kind, url.replace("BASE", base)) for kind, url in kept]


def test_an_address_that_cannot_be_had_is_told_and_nothing_is_watched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = ["--store", str(tmp_path / "a.db"), *ALLOWED]
    with served(Starlette(routes=[Route("/{rest:path}", _answer)])) as base:
        assert run([*settings, "import", f"{base}/nothing"]) == 2
        told = capsys.readouterr().err
        assert f"nothing imported: {base}/nothing brought no document" in told
        assert "404" in told
    assert run([*settings, "import", f"{base}/gone"]) == 2  # nobody is there any more
    assert "nothing imported" in capsys.readouterr().err
    assert json.loads(CliRunner().invoke(cli, [*settings, "list", "--json"]).output) == []
    assert run([*settings, "import", "--kind", "sitemap", f"{base}/gone"]) == 0
    (item,) = json.loads(CliRunner().invoke(cli, [*settings, "list", "--json"]).output)
    assert (item["kind"], item["url"]) == ("sitemap", f"{base}/gone")


@pytest.mark.parametrize(("path", "pause"), [("/feeds.opml", 1.0), ("/later/feeds.opml", 3600.0)])
def test_the_pause_after_it_is_kept_for_the_daemon(tmp_path: Path, path: str, pause: float) -> None:
    """In a new store, too: a daemon that is started at once asks the same site. One pause is before it."""
    settings = ["--store", str(tmp_path / "a.db"), *ALLOWED]
    began = time.time()
    with served(Starlette(routes=[Route("/{rest:path}", _answer)])) as base:
        run([*settings, "import", base + path])
    store = open_store(str(tmp_path / "a.db"))
    site = store.site(base.removeprefix("http://"))
    store.close()
    assert site is not None
    assert site.next_allowed >= began + pause
