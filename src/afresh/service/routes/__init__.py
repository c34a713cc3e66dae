"""The REST nouns, one router each."""

from afresh.service.routes import entries, queries, resources, sites, system

ROUTERS = (resources.router, entries.router, sites.router, queries.router, system.router)
#: Outside of the API: what readers subscribe to.
PUBLIC_ROUTERS = (queries.published,)

__all__ = ["PUBLIC_ROUTERS", "ROUTERS"]
