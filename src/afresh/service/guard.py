"""The gate every request passes before the app sees it: host, origin, token, content type, size."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from afresh.service.auth import AuthSettings, is_authorised, is_loopback
from afresh.service.problems import problem

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
JSON_TYPES = frozenset({"application/json", "application/merge-patch+json"})
#: One header line each: browsers do not find a scheme they know behind one they do not.
_CHALLENGES = ('Bearer realm="afresh"', 'Basic realm="afresh", charset="UTF-8"')


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyLimits:
    """How many bytes a request's body may have."""

    ordinary: int = 1_000_000
    imports: int = 10_000_000  # paths that end in /import

    def of(self, path: str) -> int:
        return self.imports if path.rstrip("/").endswith("/import") else self.ordinary


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request does not get in."""

    status: int
    detail: str
    challenge: bool = False


class Gate:
    """Refuses what must not reach the app; buffers the body of what may, so that its size is known."""

    def __init__(self, app: ASGIApp, *, auth: AuthSettings, limits: BodyLimits) -> None:
        self.app = app
        self.auth = auth
        self.limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = refuse(scope["method"], headers, self.auth) or self._refuse_length(scope, headers)
        if refusal is None and scope["method"] not in SAFE_METHODS:
            body = await _read_body(receive, self.limits.of(scope["path"]))
            if body is None:
                refusal = self._too_large(scope)
            else:
                refusal = _refuse_content_type(headers, body)
                receive = _replay(body, receive)
        if refusal is None:
            await self.app(scope, receive, send)
        else:
            answer = problem(refusal.status, refusal.detail)
            for challenge in _CHALLENGES if refusal.challenge else ():
                answer.headers.append("WWW-Authenticate", challenge)
            await answer(scope, receive, send)

    def _refuse_length(self, scope: Scope, headers: Headers) -> Refusal | None:
        declared = headers.get("content-length", "0")
        if declared.isdecimal() and int(declared[:20]) > self.limits.of(scope["path"]):
            return self._too_large(scope)
        return None

    def _too_large(self, scope: Scope) -> Refusal:
        return Refusal(413, f"the body is larger than {self.limits.of(scope['path'])} bytes; send it in parts")


def refuse(method: str, headers: Headers, auth: AuthSettings) -> Refusal | None:
    """Host, token and origin, in this order; None: let it in."""
    host = headers.get("host", "")
    if not _is_our_name(host, auth):
        return Refusal(421, "this service is not known by that Host name; add it to service.names if it should be")
    if auth.tokens and not is_authorised(headers.get("authorization", ""), auth.tokens):
        return Refusal(401, "a token is needed: Authorization: Bearer TOKEN", challenge=True)
    if method not in SAFE_METHODS and _is_foreign(headers, host):
        return Refusal(403, "changes asked for by another site's page are refused")
    return None


def _is_our_name(host: str, auth: AuthSettings) -> bool:
    name = _without_port(host)
    if is_loopback(name) or name.lower() in (known.lower() for known in auth.names):
        return True
    # Behind tokens a rebound name gains nothing: the attacker's page has no credentials for it.
    return bool(auth.tokens) and not auth.names


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0]


def _is_foreign(headers: Headers, host: str) -> bool:
    """Whether a browser says that another site's page is behind the request (programs send neither header)."""
    if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        return True
    origin = headers.get("origin")
    if origin is None:
        return False
    try:
        return urlsplit(origin).netloc.lower() != host.lower()
    except ValueError:
        return True


def _refuse_content_type(headers: Headers, body: bytes) -> Refusal | None:
    """Only JSON: a form of another site can post text/plain or urlencoded data without asking first."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if (body or kind) and kind not in JSON_TYPES:
        return Refusal(415, "the body must be JSON: Content-Type: application/json")
    return None


async def _read_body(receive: Receive, limit: int) -> bytes | None:
    """The whole body, or None when it passes the limit."""
    parts: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] != "http.request":  # the client has gone; the app will notice at its next receive
            break
        part: bytes = message.get("body", b"")
        size += len(part)
        if size > limit:
            return None
        parts.append(part)
        more = message.get("more_body", False)
    return b"".join(parts)


def _replay(body: bytes, receive: Receive) -> Receive:
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay
