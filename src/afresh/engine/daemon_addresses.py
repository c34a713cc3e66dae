"""Where the doors of a daemon are, for commands beside it: of each machine, the daemon that began last."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from afresh.base.protocols import Store


def keep_address(store: Store, daemon: str, address: str) -> None:
    """``daemon``: its name, machine and process."""
    store.put_setting(_key(daemon), json.dumps([daemon, address]))


def kept_address(store: Store, daemon: str) -> str:
    """What it said; empty: nothing, or another one has begun there since."""
    name, address = json.loads(store.get_setting(_key(daemon)) or '["", ""]')
    return str(address) if name == daemon else ""


def _key(daemon: str) -> str:
    return f"address/{daemon.rpartition(':')[0]}"
