"""The REST nouns, one router each."""

from afresh.service.routes import entries, resources, sites, system

ROUTERS = (resources.router, entries.router, sites.router, system.router)

__all__ = ["ROUTERS"]
