"""The gate every request passes before the app sees it: host, origin, token, content type, size."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from dataclasses import KW_ONLY, dataclass, field
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from afresh.base.errors import StoreError
from afresh.doors.listening import is_loopback
from afresh.doors.rest.auth import AuthSettings
from afresh.doors.rest.problems import STORE_AWAY, log_failure, problem
from afresh.doors.rest.who_asks import Doorkeeper, TooMany

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
JSON_TYPES = frozenset({"application/json", "application/merge-patch+json"})
#: One header line each: browsers do not find a scheme they know behind one they do not.
_CHALLENGES = ('Bearer realm="afresh"', 'Basic realm="afresh", charset="UTF-8"')


#: Where the scope of a request says who asks.
CALLER = "afresh.caller"
#: Where WebSub hubs call us.
PUSH_PATH = "/push/"
#: Where they fetch what they tell others of.
_FEEDS_PATH = "/feeds/q/"
_UNKNOWN_CALLER = "no or a wrong token; send the one you have as Authorization: Bearer TOKEN (Basic: as the password)"
#: What a hub hears at an address that nobody subscribed with.
NO_SUBSCRIPTION = "no subscription has this address"
_NOT_OUR_NAME = "this service is not known by that Host name; add it to service.names if it should be"


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyLimits:
    """How many bytes a request's body may have."""

    ordinary: int = 1_000_000
    pushed: int = 1_000_000  # by hubs, who show no token: whatever the path ends in
    seconds: float = 300.0  # until a body must be there
    imports: int = 10_000_000
    imports_end: str = "/import"  # how the paths of imports end

    def is_import(self, path: str) -> bool:
        return path.rstrip("/").endswith(self.imports_end)

    def of(self, path: str) -> int:
        return self.imports if self.is_import(path) else self.ordinary


#: Asked before a body is read: hubs show no other token.
IsHub = Callable[[str], Awaitable[bool]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What one door does otherwise than another."""

    is_hub: IsHub | None = None  # whether a hub may call at this address, by its secret end; None: no hub calls here
    open_paths: tuple[str, ...] = ()  # what everybody may look at, by how the path begins
    import_types: frozenset[str] = JSON_TYPES  # media types of an import's body
    only_admins_import: bool = False


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request does not get in."""

    status: int
    detail: str
    challenge: bool = False
    wait: float | None = None  # seconds; None: waiting does not help


@dataclass(frozen=True, slots=True)
class Gate:
    """Refuses what must not reach the app; buffers the body of what may, so that its size is known."""

    app: ASGIApp
    _: KW_ONLY
    auth: AuthSettings
    limits: BodyLimits
    keeper: Doorkeeper | None = None  # None: nobody is asked who it is
    rules: Rules = field(default_factory=Rules)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        is_push = self.rules.is_hub is not None and scope["path"].startswith(PUSH_PATH)
        try:
            refusal = await (self._refuse_push if is_push else self._refuse)(scope, headers)
        except StoreError as error:
            log_failure(error, scope["path"])
            refusal = Refusal(503, STORE_AWAY, wait=1.0)
        most = self.limits.pushed if is_push else self.limits.of(scope["path"])
        refusal = refusal or _refuse_length(headers, most)
        if refusal is None and scope["method"] not in SAFE_METHODS:
            body = await self._body(receive, most)
            if isinstance(body, Refusal):
                refusal = body
            else:
                refusal = None if is_push else refuse_content_type(headers, body, self._types(scope["path"]))
                receive = _replay(body, receive)
        if refusal is None:
            await self.app(scope, receive, send)
        else:
            answer = problem(refusal.status, refusal.detail)
            for challenge in _CHALLENGES if refusal.challenge else ():
                answer.headers.append("WWW-Authenticate", challenge)
            if refusal.wait is not None:
                answer.headers["Retry-After"] = str(math.ceil(refusal.wait))
            await answer(scope, receive, send)

    async def _refuse(self, scope: Scope, headers: Headers) -> Refusal | None:
        also = self.auth.push_names if scope["path"].startswith(_FEEDS_PATH) else ()
        refusal = refuse(scope["method"], headers, self.auth, also=also)
        return refusal or await self._identify(scope, headers)

    async def _identify(self, scope: Scope, headers: Headers) -> Refusal | None:
        """Writes the caller's name into the scope, or says why nobody gets in."""
        if self.keeper is None or scope["path"].startswith(self.rules.open_paths):
            return None
        address = (scope.get("client") or ("",))[0]
        caller = await self.keeper.caller(headers.get("authorization", ""), address)
        if caller is None:
            return Refusal(401, _UNKNOWN_CALLER, challenge=True)
        if isinstance(caller, TooMany):
            return Refusal(
                429, "too many wrong tokens or passwords from this address; try again later", wait=caller.wait
            )
        # Bodies of imports are large: none is read of somebody who may not import.
        if self.rules.only_admins_import and self.limits.is_import(scope["path"]) and not caller.is_admin:
            return Refusal(403, "only an administrator imports URLs; ask with an administrator's token")
        scope[CALLER] = caller
        return None

    async def _refuse_push(self, scope: Scope, headers: Headers) -> Refusal | None:
        """A hub shows the secret in its path instead of a token, and sends whatever feeds are made of."""
        if refusal := _refuse_host(headers, self.auth, also=self.auth.push_names):
            return refusal
        assert self.rules.is_hub is not None
        if scope["method"] in SAFE_METHODS or await self.rules.is_hub(scope["path"].removeprefix(PUSH_PATH)):
            return None
        return Refusal(410, NO_SUBSCRIPTION)  # a hub that gets this ends the subscription

    def _types(self, path: str) -> frozenset[str]:
        return self.rules.import_types if self.limits.is_import(path) else JSON_TYPES

    async def _body(self, receive: Receive, most: int) -> bytes | Refusal:
        """What was sent; a trickle that keeps its memory for ever is refused as well."""
        try:
            async with asyncio.timeout(self.limits.seconds):
                body = await _read_body(receive, most)
        except TimeoutError:
            return Refusal(408, f"the body took longer than {self.limits.seconds:g} s to arrive; send it in parts")
        return _too_large(most) if body is None else body


def _refuse_length(headers: Headers, most: int) -> Refusal | None:
    declared = headers.get("content-length", "0")
    return _too_large(most) if declared.isdecimal() and int(declared[:20]) > most else None


def _too_large(most: int) -> Refusal:
    return Refusal(413, f"the body is larger than {most} bytes; send it in parts")


def refuse(method: str, headers: Headers, auth: AuthSettings, *, also: tuple[str, ...] = ()) -> Refusal | None:
    """Host and origin, in this order; None: let it in."""
    if refusal := _refuse_host(headers, auth, also=also):
        return refusal
    if method not in SAFE_METHODS and is_foreign(headers, headers.get("host", "")):
        return Refusal(403, "changes asked for by another site's page are refused")
    return None


def _refuse_host(headers: Headers, auth: AuthSettings, *, also: tuple[str, ...]) -> Refusal | None:
    named = headers.getlist("host")
    if len(named) > 1:  # RFC 9112 §3.2: whoever stands before us may have looked at the other one
        return Refusal(400, "a request names its host once")
    return None if is_our_name("".join(named), auth, also=also) else Refusal(421, _NOT_OUR_NAME)


def is_our_name(host: str, auth: AuthSettings, *, also: tuple[str, ...] = ()) -> bool:
    name = _without_port(host)
    if is_loopback(name) or name.lower() in (known.lower() for known in (*auth.names, *also)):
        return True
    # Behind a login a rebound name gains nothing: the attacker's page has no credentials for it.
    return auth.is_guarded and not auth.names


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0]


def is_foreign(headers: Headers, host: str) -> bool:
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


def refuse_content_type(headers: Headers, body: bytes, types: frozenset[str]) -> Refusal | None:
    """Only JSON as a rule: a form of another site can post text/plain or urlencoded data without asking first."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if (body or kind) and kind not in types:
        wanted = "JSON: Content-Type: application/json" if types is JSON_TYPES else f"of: {', '.join(sorted(types))}"
        return Refusal(415, f"the body must be {wanted}")
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
