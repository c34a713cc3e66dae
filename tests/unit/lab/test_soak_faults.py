"""What a soak does to a daemon's database from beside: it is done, it is seen, and it is over afterwards."""

import asyncio
import random
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from afresh.base.errors import StoreError
from afresh.base.models import Status
from afresh.lab.soak.faults import DAMAGES, Fault, Shift, Victim, possible_faults
from afresh.store import open_store
from tests.laws.store_material import NOW, feeds, report


class _Server:
    def __init__(self) -> None:
        self.calls: list[str] = []

    def stop(self) -> None:
        self.calls.append("stop")

    def start(self) -> None:
        self.calls.append("start")


class _Scene:
    """A fault at a store that nobody serves."""

    def __init__(self, folder: Path, server: _Server | None = None) -> None:
        self.place, self.begun_again = str(folder / "afresh.db"), 0
        self._faults = possible_faults(self.place if server is None else "postgresql://", server)
        self._given: dict[str, Any] = {"shift": Shift(folder), "server": server, "store": self.place}
        with self._opened() as store:
            store.add(feeds(3), now=NOW)
            leases = store.lease(holder="a", now=NOW, until=NOW + 60.0, limit=3)
            store.record([report(lease, NOW) for lease in leases])

    def _opened(self) -> Any:
        return closing(open_store(self.place))

    async def _begin_again(self) -> None:
        self.begun_again += 1

    def during(self, name: str, seen: Any, seed: int = 0) -> tuple[Any, Any]:
        """What is seen of the store while the fault lasts, and afterwards."""
        fault: Fault = self._faults[name]
        victim = Victim(process=None, rng=random.Random(seed), begin_again=self._begin_again, **self._given)  # type: ignore[arg-type]

        async def scene() -> tuple[Any, Any]:
            async with fault(victim):
                while_it_lasts = self._seen(seen)
            return while_it_lasts, self._seen(seen)

        return asyncio.run(scene())

    def _seen(self, seen: Any) -> Any:
        with self._opened() as store:
            try:
                return seen(store)
            except StoreError as error:
                return str(error)


@pytest.mark.parametrize("seed", range(6))
def test_a_row_is_damaged_and_mended(tmp_path: Path, seed: int) -> None:
    def broken(store: Any) -> tuple[int, set[Status]]:
        rows = [item for item in store.damage.find_damage() if item.table == "resource"]
        return len(rows), {store.get(number).status for number in (1, 2, 3)}

    during, after = _Scene(tmp_path).during("damaged row", broken, seed)
    assert during == (1, {Status.ACTIVE, Status.DAMAGED})
    assert after == (0, {Status.ACTIVE})


def test_windows_of_feeds_are_left_alone() -> None:
    assert "window" not in dict(DAMAGES)


def test_housekeeping_fails_from_the_next_start_on(tmp_path: Path) -> None:
    scene = _Scene(tmp_path)
    during, after = scene.during("companion", lambda store: store.prune(visits_before=NOW + 1.0))
    assert (scene.begun_again, "a fault" in during, after) == (1, True, 3)


def test_a_server_that_is_ours_is_stopped_and_started_again(tmp_path: Path) -> None:
    server = _Server()
    during, after = _Scene(tmp_path, server).during("server away", lambda _: list(server.calls))
    assert (during, after) == (["stop"], ["stop", "start"])
    assert "server away" not in possible_faults("postgresql://")
