"""Who asks: an administrator, a fetcher, somebody who may register; and what each may do.

Without tokens only loopback is served, and whoever is on this machine may do everything, as everywhere in afresh; but a
token that is sent must be right. With tokens every request needs one: an administrator's, a fetcher's own, or one that
lets a fetcher register and nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Scope

from afresh.base.errors import AfreshError
from afresh.base.records.frontier import FetcherAccount
from afresh.doors.rest.auth import AuthSettings, is_authorised, require_long_tokens
from afresh.doors.rest.guard import SAFE_METHODS, BodyLimits, Gate, Refusal

UNKNOWN_CALLER = "no or a wrong token; send the one you got at registration: Authorization: Bearer TOKEN"
MOST_RESULTS = 8_000_000
MOST_IMPORT = 64_000_000
IMPORT_TYPES = frozenset({"application/json", "application/x-ndjson", "application/jsonl", "text/plain"})


class Need(IntEnum):
    """What an operation asks of its caller, from little to much."""

    MEMBER = 0  # any fetcher
    JOIN = 1  # may register
    OWNER = 2  # the fetcher that is spoken of
    ADMIN = 3


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks."""

    is_admin: bool = False
    may_join: bool = False
    account: FetcherAccount | None = None

    def may(self, need: Need, uuid: str = "") -> bool:
        """Whether this caller may do what needs so much; ``uuid``: the fetcher that is spoken of."""
        if self.is_admin:
            return True
        match need:
            case Need.MEMBER:
                return self.account is not None
            case Need.JOIN:
                return self.may_join
            case Need.OWNER:
                return self.account is not None and self.account.uuid == uuid
            case Need.ADMIN:
                return False


class Owners(Protocol):
    """Whose secret is it?"""

    async def owner(self, token: str) -> FetcherAccount | None: ...


class Access:
    """Tells callers by their token."""

    def __init__(self, auth: AuthSettings, owners: Owners, *, join_tokens: Sequence[str] = ()) -> None:
        require_long_tokens(join_tokens, option="frontier.join_tokens")
        self._auth, self._owners, self._join = auth, owners, tuple(join_tokens)

    async def caller(self, header: str) -> Caller | None:
        """The caller with this ``Authorization`` header; None: nobody known."""
        if not header:
            return None if self._auth.tokens else Caller(is_admin=True)
        if is_authorised(header, self._auth.tokens):
            return Caller(is_admin=True)
        if is_authorised(header, self._join):
            return Caller(may_join=True)
        scheme, _, token = header.partition(" ")
        account = await self._owners.owner(token.strip()) if scheme.lower() == "bearer" else None
        return None if account is None else Caller(account=account)


class FrontierGate(Gate):
    """Host, origin, size and type of everything that arrives; what its token allows is the operation's business."""

    hears_hubs = False

    def __init__(self, app: ASGIApp, *, auth: AuthSettings, limits: BodyLimits, access: Access) -> None:
        super().__init__(app, auth=auth, limits=limits)
        self._access = access

    async def _identify(self, scope: Scope, headers: Headers) -> Refusal | None:
        """Bodies are large: none is read of somebody nobody knows."""
        if scope["method"] in SAFE_METHODS:
            return None
        try:
            caller = await self._access.caller(headers.get("authorization", ""))
        except AfreshError:  # the store is away: the operation has the words for it
            return None
        if caller is None:
            return Refusal(401, UNKNOWN_CALLER, challenge=True)
        if _is_import(scope["path"]) and not caller.may(Need.ADMIN):
            return Refusal(403, "only an administrator imports URLs; ask with an administrator's token")
        return None

    def types(self, path: str) -> frozenset[str]:
        return IMPORT_TYPES if _is_import(path) else super().types(path)


def _is_import(path: str) -> bool:
    return path.endswith("/urls")
