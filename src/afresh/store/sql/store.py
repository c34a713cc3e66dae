"""The store: what every visit needs, and one small object a domain over the same database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from afresh.base.lazy import attribute
from afresh.store.sql.feeds import Feeds
from afresh.store.sql.leases import Leases
from afresh.store.sql.resources import Resources
from afresh.store.sql.sites import Sites
from afresh.store.sql.totals import Totals

if TYPE_CHECKING:
    from afresh.base import store_parts as parts
    from afresh.base.records.link_store import LinkStore

#: What domains keep, each loaded with the first question about it.
PARTS = {
    "pages": "afresh.store.sql.pages:Pages",
    "links": "afresh.store.sql.links:Links",
    "learning": "afresh.store.sql.labels:Labels",
    "queries": "afresh.store.sql.queries:Queries",
    "notices": "afresh.store.sql.notices:Notices",
    "push": "afresh.store.sql.push:Push",
    "damage": "afresh.store.sql.damage:Damage",
    "daemons": "afresh.store.sql.daemons:Daemons",
    "times": "afresh.store.sql.times:Times",
    "watches": "afresh.store.sql.watches:Watches",
    "search": "afresh.store.sql.search:Search",
    "robots": "afresh.store.sql.robots:RobotsTexts",
}


class SqlStore(Resources, Leases, Sites, Feeds, Totals):
    """``base.protocols.Store`` over a database that knows the named statements."""

    pages: parts.RevisitStore
    links: LinkStore
    learning: parts.LearningStore
    queries: parts.QueryStore
    notices: parts.NoticeStore
    push: parts.PushStore
    times: parts.TimeStore
    daemons: parts.DaemonStore
    damage: parts.DamageStore
    watches: parts.WatchStore
    search: parts.SearchStore
    robots: parts.RobotsStore

    def __getattr__(self, name: str) -> Any:
        """A part. Two threads that ask at once may make two: a part has no state of its own."""
        if name not in PARTS:
            raise AttributeError(name)
        part = attribute(PARTS[name])(self._database)
        setattr(self, name, part)
        return part

    def close(self) -> None:
        self._database.close()
