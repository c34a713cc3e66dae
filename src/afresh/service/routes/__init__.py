"""The REST nouns, one router each."""

from afresh.service.routes import (
    batches,
    entries,
    laboratory,
    learning,
    links,
    notices,
    push,
    queries,
    resources,
    signals,
    sites,
    system,
)

ROUTERS = (
    batches.router,
    resources.router,
    entries.router,
    sites.router,
    signals.router,
    queries.router,
    links.router,
    learning.labels,
    learning.models,
    notices.router,
    laboratory.router,
    system.router,
)
#: Outside of the API: what readers subscribe to, and where hubs call.
PUBLIC_ROUTERS = (queries.published, push.router)

__all__ = ["PUBLIC_ROUTERS", "ROUTERS"]
