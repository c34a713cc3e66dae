"""What robots.txt said, for all processes on a store and for the next run; as much as a day brings."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from afresh.base.records.robots import KeptRobots
from afresh.store.sql import rows
from afresh.store.sql.statements import SQL
from afresh.store.sql.store_part import StorePart

if TYPE_CHECKING:
    from afresh.store.session import Record

_MOST = 20_000  # addresses
_LONGEST = 32 * 1024  # packed bytes of one; who has more is asked by each process


class RobotsTexts(StorePart):
    """Implements ``base.store_parts.RobotsStore``."""

    def kept(self, address: str, *, since: float) -> KeptRobots | None:
        return self._first("kept_robots", {"address": rows.clean(address), "since": since}, _to_robots)

    def keep(self, robots: KeptRobots, *, forget: float) -> None:
        packed = zlib.compress(robots.body, 6)
        values: dict[str, object] = {
            "address": rows.clean(robots.address),
            "read": float(robots.read),
            "status": robots.status,
            "body": packed,
            "most": _MOST,
        }
        with self._database.writing() as session:
            session.execute(SQL["forget_robots"], {"before": forget})
            if len(packed) <= _LONGEST:
                session.execute(SQL["keep_robots"], values)


def _to_robots(row: Record) -> KeptRobots:
    return KeptRobots(
        address=row["address"], read=row["read"], status=row["status"], body=zlib.decompress(bytes(row["body"]))
    )
