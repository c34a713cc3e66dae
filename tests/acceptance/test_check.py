"""``afresh check`` against a server with every status, and pages that turned into something else behind a 200."""

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import web

from afresh.doors.cli.main import run

PROSE = (
    "The harbour was rebuilt in stone after the storm, and the council printed the plans for everybody to see. " * 12
)


def html(title: str, body: str) -> web.Response:
    return web.Response(
        text=f"<html><head><title>{title}</title></head><body>{body}</body></html>", content_type="text/html"
    )


async def answer(request: web.Request) -> web.StreamResponse:
    match request.path:
        case "/good":
            return html("Harbour plans", f"<h1>Harbour plans</h1><p>{PROSE}</p>")
        case "/gone":
            return web.Response(status=410)
        case "/private":
            return web.Response(status=403)
        case "/busy":
            return web.Response(status=429, headers={"Retry-After": "1"})
        case "/error":
            return web.Response(status=500)
        case "/moved":
            return web.Response(status=301, headers={"Location": "/good"})
        case "/for-now":
            return web.Response(status=302, headers={"Location": "/good"})
        case "/loop":
            return web.Response(status=302, headers={"Location": "/loop"})
        case "/refresh":
            text = (
                "<html><head><meta http-equiv='refresh' content='0; url=/good'></head><body>Please wait</body></html>"
            )
            return web.Response(text=text, content_type="text/html")
        case "/parked":
            return html(
                "example.com is for sale",
                "<h1>This domain is for sale</h1><p>Buy this domain. Related searches: loans</p>",
            )
        case "/soft":
            return html(
                "Page not found", "<h1>404 - Page not found</h1><p>The page you requested could not be found.</p>"
            )
        case "/login":
            return html(
                "Log in", "<h1>Please log in to continue</h1><form><input name=u><input type=password name=p></form>"
            )
        case "/paper.pdf":
            return web.Response(body=b"%PDF-1.7 ...", content_type="application/pdf")
        case _:
            return web.Response(status=404)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def serve() -> web.ServerRunner:
        runner = web.ServerRunner(web.Server(answer))
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return runner

    runner = asyncio.run_coroutine_threadsafe(serve(), loop).result()
    yield f"http://links.localhost:{runner.addresses[0][1]}"
    asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


EXPECTED = {
    "/good": ("ok", "content_new", None),
    "/for-now": ("ok", "content_new", None),
    "/paper.pdf": ("ok", "content_new", None),
    "/moved": ("moved", "content_moved", None),
    "/refresh": ("moved", "content_moved", None),
    "/missing": ("broken", "content_missing", None),
    "/gone": ("broken", "content_missing", None),
    "/private": ("broken", "access_denied", None),
    "/error": ("broken", "server_error", None),
    "/loop": ("broken", "server_error", None),
    "/busy": ("unknown", "throttled", None),
    "/parked": ("broken", "content_different", "parked"),
    "/soft": ("broken", "content_different", "soft_404"),
    "/login": ("broken", "content_different", "login_wall"),
}


def check(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = run(
        ["--set", "fetch.allowed_networks=127.0.0.0/8;::1/128", "--set", "politeness.delay=0", "check", *arguments]
    )
    return code, capsys.readouterr().out


def test_every_status_is_told(server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    others = ["mailto:a@b.example", "http://[bad", "http://nobody.invalid/"]
    lines = [server + path for path in EXPECTED] + others
    (tmp_path / "links.txt").write_text("\n".join(lines))
    code, out = check(capsys, "--json", str(tmp_path / "links.txt"))
    assert code == 1
    found = {row["url"]: row for row in json.loads(out)}
    for path, (standing, status, turned) in EXPECTED.items():
        row = found[server + path]
        assert (row["standing"], row["status"], row["turned"]) == (standing, status, turned), row
    assert found[server + "/moved"]["new_url"] == server + "/good"
    assert found["mailto:a@b.example"]["status"] == "protocol_unsupported"
    assert found["http://[bad"]["status"] == "syntax_url"
    assert found["http://nobody.invalid/"]["standing"] != "ok"


def test_exit_code_and_reports(server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(capsys, server + "/good")[0] == 0
    code, out = check(capsys, "--junit", server + "/good", server + "/gone")
    assert (code, 'failures="1"' in out) == (1, True)
    code, out = check(capsys, "--markdown", server + "/soft")
    assert "soft 404" in out
    (tmp_path / "empty.md").write_text("nothing here")
    assert check(capsys, str(tmp_path / "empty.md"))[0] in (1, 2)
    assert check(capsys, str(tmp_path / "missing.html"))[0] == 2
