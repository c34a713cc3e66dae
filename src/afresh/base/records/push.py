"""Subscriptions with hubs as the store keeps them, and what it promises about them (WebSub, W3C Rec. 2018)."""

from dataclasses import dataclass
from enum import StrEnum


class PushState(StrEnum):
    """How a subscription stands."""

    ASKED = "asked"  # the hub has not yet verified it
    LIVE = "live"
    REFUSED = "refused"  # by the hub
    FAILED = "failed"  # the hub could not be asked; it is tried again


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """What a hub was asked to tell us, and whether it does."""

    resource: int
    hub: str
    topic: str  # as the feed calls itself
    token: str  # the secret part of our callback's address
    secret: str  # of the signature
    state: PushState = PushState.ASKED
    asked: float
    expires: float | None = None  # None: not verified yet
    next_try: float  # when the hub is asked (again): a renewal, or after a failure
    failures: int = 0  # in a row
    pings: int = 0  # contents told and rightly signed
    last_ping: float | None = None
    misses: int = 0  # polls since the last ping that found what had not been told
    error: str = ""

    def is_trusted(self, now: float) -> bool:
        """Whether polling may wait for the hub: it has told us before, and has not kept silent since."""
        return (
            self.state is PushState.LIVE
            and self.pings > 0
            and self.misses < 2
            and self.expires is not None
            and self.expires > now
        )
