"""Where buckets are in a PostgreSQL of several servers: which lie together, and which of the servers answer.

A statement with ``{here_site}`` (or another table) in its text is run once for every *place*, buckets that lie
together, that it concerns. All others the coordinator answers by itself.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeVar

from afresh.base.errors import ServerAway
from afresh.store.named_sql import HERE
from afresh.store.postgres.citus import Layout, is_divided, shards
from afresh.store.postgres.connection import Connection

T = TypeVar("T")

#: Plans know which bucket is meant, so they are made anew for every call.
SETTINGS: Final = {
    "plan_cache_mode": "force_custom_plan",
    "citus.propagate_set_commands": "none",
    "citus.node_connection_timeout": "5000",  # milliseconds until a server counts as away
}
_LEFT_ALONE = 2.0  # seconds for which a server that did not answer is not asked again


@dataclass(frozen=True)
class Places:
    """Which buckets lie together, and on which server."""

    together: tuple[tuple[int, ...], ...]
    servers: tuple[str, ...] = ()  # host and port of each

    @cached_property
    def of_bucket(self) -> Mapping[int, int]:
        return {bucket: place for place, some in enumerate(self.together) for bucket in some}

    def divide(self, members: Iterable[T], bucket: Callable[[T], int]) -> dict[int, list[T]]:
        """Members by place, in the order of places."""
        found: defaultdict[int, list[T]] = defaultdict(list)
        for member in members:
            found[self.of_bucket[bucket(member)]].append(member)
        return dict(sorted(found.items()))

    def pieces(self, names: Iterable[str]) -> Sequence[Mapping[str, str]]:
        """What the texts say for each place."""
        return [{name: one_of(name.removeprefix("here_"), some) for name in names} for some in self.together]

    def told(self, text: str, place: int) -> str:
        """The text of a statement for one place."""
        return HERE.sub(lambda found: " " + one_of(found[1].removeprefix("here_"), self.together[place]), text)

    def at(self, server: str) -> str:
        """The buckets on a server, in words."""
        return ", ".join(
            str(bucket) for bucket, place in sorted(self.of_bucket.items()) if self.servers[place] == server
        )


def one_of(table: str, buckets: Sequence[int]) -> str:
    """One comparison after the other: of a list of buckets a worker would look each one up for every row.

    >>> one_of("site", [3, 5])
    'AND (site.bucket = 3 OR site.bucket = 5)'
    """
    return f"AND ({' OR '.join(f'{table}.bucket = {bucket}' for bucket in buckets)})"


def find_places(connection: Connection, layout: Layout, buckets: int) -> Places | None:
    """Where the buckets are; None: all on one server."""
    if not is_divided(connection, layout):
        return None
    together: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for bucket, shard, node, port in shards(connection, layout, buckets):
        together[shard, f"{node}:{port}"].append(bucket)
    ordered = sorted(together.items())
    return Places(tuple(tuple(some) for _, some in ordered), tuple(server for (_, server), _ in ordered))


class Attendance:
    """Which servers answer. One that did not is left alone, and looked for from time to time by one caller alone.

    ``look`` asks a place for anything; it raises ``ServerAway`` where there is no answer.
    """

    def __init__(
        self, places: Places, look: Callable[[int], object], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.places, self._look, self._clock = places, look, clock
        self._missing: dict[str, float] = {}  # by server: when it was last asked in vain
        self._looking = threading.Lock()

    @property
    def present(self) -> list[int]:
        """The places whose servers answer, as far as is known."""
        if self._missing:
            self._look_again()
        return [place for place, server in enumerate(self.places.servers) if server not in self._missing]

    def note(self, error: ServerAway) -> bool:
        """A server did not answer; whether that is news."""
        is_news = error.server not in self._missing
        self._missing.setdefault(error.server, self._clock())  # who asks for it often does not put the next look off
        return is_news

    def missing(self, place: int) -> ServerAway:
        """What to raise for something that belongs to a place whose server does not answer."""
        server = self.places.servers[place]
        return ServerAway(self._words(server), server=server)

    def away(self) -> list[str]:
        """Servers that do not answer, with the buckets that wait."""
        if self._missing:
            self._look_again()
        return [self._words(server) for server in sorted(self._missing)]

    def _words(self, server: str) -> str:
        return f"{server} does not answer; buckets {self.places.at(server)} wait"

    def _look_again(self) -> None:
        if not self._looking.acquire(blocking=False):
            return
        try:
            for server, at in list(self._missing.items()):
                if self._clock() - at < _LEFT_ALONE:
                    continue
                try:
                    self._look(self.places.servers.index(server))
                except ServerAway:
                    self._missing[server] = self._clock()
                else:
                    self._missing.pop(server, None)
        finally:
            self._looking.release()
