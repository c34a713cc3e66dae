"""Fetchers that hold sites and are not heard of any more: told, since nobody else gets these sites meanwhile.

Some ask every few seconds what was blocked (``GET /sites/blocked``): of these two minutes of silence tell that they
are gone. One that works through a long list without a word is waited for longer.
"""

import json
from collections.abc import Mapping, Sequence

from afresh.base.durations import format_duration
from afresh.base.plain_numbers import counted
from afresh.base.records.frontier import FetcherAccount
from afresh.base.records.frontier_store import FrontierStore, Holding

ASKING = 120.0  # seconds of silence of a fetcher that asks every few seconds
OTHERS = 900.0  # … of one that has never asked
_SETTING = "frontier.asking"  # those that have, for every process
_APART = 20.0  # seconds between two notes of one fetcher
_SHOWN = 5


class Heard:
    """Who asks now and then while at work. Calls of the store."""

    def __init__(self, store: FrontierStore) -> None:
        self._store = store
        self._noted: dict[str, float] = {}

    def note(self, uuid: str, now: float) -> None:
        """A fetcher has asked; written now and then."""
        if 0.0 <= now - self._noted.get(uuid, -_APART) < _APART:
            return
        self._noted[uuid] = now
        self._store.note_seen(uuid, now=now)
        if uuid not in (known := self.asking()):
            self._store.put_setting(_SETTING, json.dumps(sorted({*known, uuid})))

    def asking(self) -> set[str]:
        """UUIDs of those that have ever asked."""
        return set(json.loads(self._store.get_setting(_SETTING) or "[]"))

    def silent(self, now: float) -> dict[str, float]:
        """Seconds of silence of those that are silent for too long, by UUID, whether they hold something or not."""
        asking = self.asking()
        silences = {one.uuid: now - (one.last_seen or one.registered) for one in self._store.fetchers()}
        return {uuid: since for uuid, since in silences.items() if since >= (ASKING if uuid in asking else OTHERS)}


def words(accounts: Sequence[FetcherAccount], held: Mapping[str, Holding], silent: Mapping[str, float]) -> str:
    """What is told of silent fetchers that hold sites; '': there is none."""
    found = [one for one in accounts if one.uuid in silent and one.uuid in held]
    told = [
        f"fetcher {one.name}: silent for {format_duration(60.0 * (silent[one.uuid] // 60.0))}, holds "
        f"{counted(held[one.uuid].sites, 'site')}; `afresh frontier free {one.name}` frees them"
        for one in found[:_SHOWN]
    ]
    return "; ".join([*told, *([f"and {len(found) - _SHOWN} more"] if len(found) > _SHOWN else [])])
