"""A web with every status a check of a link can have, which changes when told."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from aiohttp import web

Answer = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]

PROSE = (
    "The harbour was rebuilt in stone after the storm, and the council printed the plans for everybody to see. " * 12
)
OTHER = "Our garden club meets in the old greenhouse on every first Sunday to trade seeds and to tell stories. " * 12
PARKED = "<h1>This domain is for sale</h1><p>Buy this domain. Related searches: loans</p>"

#: standing, status and what it turned into, by path, of a link that is seen for the first time
FIRST = {
    "/good": ("ok", "content_new", None),
    "/edited": ("ok", "content_new", None),
    "/replaced": ("ok", "content_new", None),
    "/sold": ("ok", "content_new", None),
    "/binary": ("ok", "content_new", None),
    "/for-now": ("ok", "content_new", None),
    "/paper.pdf": ("ok", "content_new", None),
    "/moved": ("moved", "content_moved", None),
    "/refresh": ("moved", "content_moved", None),
    "/missing": ("broken", "content_missing", None),
    "/gone": ("broken", "content_missing", None),
    "/empty": ("broken", "content_missing", "empty"),
    "/odd": ("broken", "content_unsupported", None),
    "/private": ("broken", "access_denied", None),
    "/error": ("broken", "server_error", None),
    "/loop": ("broken", "server_error", None),
    "/slow": ("broken", "net_timeout", None),
    "/forbidden/page": ("unknown", "refused", None),
    "/busy": ("unknown", "throttled", None),
    "/parked": ("broken", "content_different", "parked"),
    "/soft": ("broken", "content_different", "soft_404"),
    "/login": ("ok", "content_new", None),  # which is what the link means
    "/members/plans": ("broken", "content_different", "login_wall"),
}
#: the same of those that were well at first, when the web has changed
SECOND = {
    "/good": ("ok", "content_equal", None),
    "/edited": ("ok", "content_similar", None),
    "/replaced": ("broken", "content_different", "taken_over"),
    "/sold": ("broken", "content_different", "parked"),
    "/binary": ("broken", "content_unsupported", None),
}


def html(title: str, body: str) -> web.Response:
    text = f"<html><head><title>{title}</title></head><body>{body}</body></html>"
    return web.Response(text=text, content_type="text/html")


class EveryStatus:
    """Answers by path; ``has_changed`` lets some years pass."""

    def __init__(self) -> None:
        self.has_changed = False
        self.accepted: set[str] = set()  # values of Accept it was asked with

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.path == "/robots.txt":
            return web.Response(text="User-agent: *\nDisallow: /forbidden/\n")
        self.accepted.add(request.headers.get("Accept", ""))
        if request.path == "/slow":
            await asyncio.sleep(30)
        return self._page(request.path) or _status(request.path)

    def _page(self, path: str) -> web.Response | None:
        harbour = f"<h1>Harbour plans</h1><p>{PROSE}</p>"
        if self.has_changed:
            now = {
                "/edited": html("Harbour plans", f"<h1>Harbour plans</h1><p>{PROSE}{OTHER[:300]}</p>"),
                "/replaced": html("Garden club", f"<h1>Garden club</h1><p>{OTHER}</p>"),
                "/sold": html("harbour.example is for sale", PARKED),
                "/binary": web.Response(body=b"\x89PNG\r\n\x1a\n" + bytes(400), content_type="image/png"),
            }
            if path in now:
                return now[path]
        match path:
            case "/good" | "/edited" | "/replaced" | "/sold" | "/binary":
                return html("Harbour plans", harbour)
            case "/parked":
                return html("example.com is for sale", PARKED)
            case "/soft":
                missing = "<h1>404 - Page not found</h1><p>The page you requested could not be found.</p>"
                return html("Page not found", missing)
            case "/login" | "/members/plans":
                form = "<form><input name=u><input type=password name=p></form>"
                return html("Log in", f"<h1>Please log in to continue</h1>{form}")
            case "/refresh":
                sent = "<meta http-equiv='refresh' content='0; url=/good'>"
                return web.Response(
                    text=f"<html><head>{sent}</head><body>Please wait</body></html>", content_type="text/html"
                )
            case _:
                return None


def _status(path: str) -> web.Response:
    match path:
        case "/moved":
            return web.Response(status=301, headers={"Location": "/good"})
        case "/for-now":
            return web.Response(status=302, headers={"Location": "/good"})
        case "/loop":
            return web.Response(status=302, headers={"Location": "/loop"})
        case "/busy":
            return web.Response(status=429, headers={"Retry-After": "1"})
        case "/paper.pdf":
            return web.Response(body=b"%PDF-1.7 ...", content_type="application/pdf")
        case "/empty":
            return web.Response(body=b"", content_type="text/html")
        case _:
            return web.Response(status={"/gone": 410, "/private": 403, "/error": 500, "/odd": 415}.get(path, 404))


@contextmanager
def answering(answer: Answer, *, host: str = "links.localhost") -> Iterator[str]:
    """The address of a server on this machine, in a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def serve() -> web.ServerRunner:
        runner = web.ServerRunner(web.Server(answer), shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return runner

    async def end(runner: web.ServerRunner) -> None:
        await runner.cleanup()
        pending = asyncio.all_tasks() - {asyncio.current_task()}
        for task in pending:  # answers that nobody waits for any more
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)

    runner = asyncio.run_coroutine_threadsafe(serve(), loop).result()
    try:
        yield f"http://{host}:{runner.addresses[0][1]}"
    finally:
        asyncio.run_coroutine_threadsafe(end(runner), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
