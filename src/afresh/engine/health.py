"""What a daemon says of its health in its store: for whoever looks from outside, and to see whether it can write."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from afresh.base.troubles import Trouble

if TYPE_CHECKING:
    from afresh.base.protocols import Store

STANDS_STILL = 120.0  # seconds without a turn of the loop
HEARTBEAT = 15.0  # seconds between two words of a daemon in its store
_KEPT = "daemon.health"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptHealth:
    """What a daemon last said of itself in its store."""

    at: float
    status: str  # a ``Standing``, or "stopped" after an end in good order
    troubles: tuple[Trouble, ...] = ()

    @property
    def is_stopped(self) -> bool:
        return self.status == "stopped"

    def is_silent(self, now: float) -> bool:
        """Whether it should have said something since: it was killed, or cannot write."""
        return not self.is_stopped and now - self.at > 4 * HEARTBEAT


def keep_health(store: Store, health: KeptHealth) -> None:
    """For whoever looks at the store from outside. Also how a daemon finds out that nothing can be written."""
    store.put_setting(_KEPT, json.dumps(asdict(health)))


def kept_health(store: Store) -> KeptHealth | None:
    """None: no daemon has said anything yet, or nothing that this version understands."""
    try:
        kept: Mapping[str, object] = json.loads(store.get_setting(_KEPT) or "{}")
        troubles = kept.get("troubles")
        assert isinstance(troubles, list)
        return KeptHealth(
            at=float(str(kept["at"])), status=str(kept["status"]), troubles=tuple(Trouble(**one) for one in troubles)
        )
    except (ValueError, KeyError, TypeError, AssertionError):
        return None
