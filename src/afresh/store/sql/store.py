"""The store: one small object a noun over one database."""

from afresh.store.session import Database
from afresh.store.sql.damage import Damage
from afresh.store.sql.feeds import Feeds
from afresh.store.sql.labels import Labels
from afresh.store.sql.leases import Leases
from afresh.store.sql.links import Links
from afresh.store.sql.notices import Notices
from afresh.store.sql.pages import Pages
from afresh.store.sql.push import Push
from afresh.store.sql.queries import Queries
from afresh.store.sql.recording import DocumentLimits
from afresh.store.sql.resources import Resources
from afresh.store.sql.sites import Sites
from afresh.store.sql.totals import Totals


class SqlStore(Resources, Leases, Sites, Feeds, Pages, Links, Labels, Queries, Notices, Push, Totals, Damage):
    """``base.protocols.Store`` over a database that knows the named statements.

    ``store.links`` is the part that keeps links, and so on. What its parts can do the store can do itself as well
    (``store.list_links()``): for that it derives from them, and for nothing else.
    """

    def __init__(self, database: Database, limits: DocumentLimits) -> None:
        super().__init__(database, limits)
        self.resources = Resources(database)
        self.leases = Leases(database, limits)
        self.sites = Sites(database)
        self.feeds = Feeds(database)
        self.pages = Pages(database)
        self.links = Links(database)
        self.learning = Labels(database)
        self.queries = Queries(database)
        self.notices = Notices(database)
        self.push = Push(database)
        self.totals = Totals(database)
        self.damage = Damage(database)

    def close(self) -> None:
        self._database.close()
