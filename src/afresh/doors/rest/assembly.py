"""What stands around every app: the gate, problem documents, security headers, HEAD wherever there is GET."""

from starlette.applications import Starlette
from starlette.middleware import Middleware

from afresh.doors.listening import require_safe_bind
from afresh.doors.rest.auth import AuthSettings
from afresh.doors.rest.headers import HeadAsGet, PlainPaths, SecurityHeaders
from afresh.doors.rest.incoming_gate import BodyLimits, Gate, Rules
from afresh.doors.rest.problems import CatchBugs, install_handlers
from afresh.doors.rest.who_asks import Doorkeeper

API_PREFIX = "/api/v1"


def assemble(
    app: Starlette, *, auth: AuthSettings, keeper: Doorkeeper, limits: BodyLimits, rules: Rules | None = None
) -> None:
    """Guards the app as the settings say; raises ConfigError if they would leave it open to others."""
    require_safe_bind(auth.host, auth.tokens, auth.passwords)
    install_handlers(app)
    # The first is outermost: headers on everything, then the gate, then the net for our own errors, then HEAD.
    app.user_middleware[:0] = [
        Middleware(SecurityHeaders),
        Middleware(PlainPaths),
        Middleware(Gate, auth=auth, limits=limits, keeper=keeper, rules=rules or Rules()),
        Middleware(CatchBugs),
        Middleware(HeadAsGet),
    ]
