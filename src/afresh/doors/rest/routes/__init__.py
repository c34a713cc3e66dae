"""The REST nouns, one router each."""

from afresh.doors.rest.routes import (
    batches,
    entries,
    laboratory,
    learning,
    learning_models,
    links,
    notices,
    pages,
    push,
    queries,
    refreshing,
    resources,
    search,
    signals,
    sites,
    system,
    trainings,
)

ROUTERS = (
    batches.router,
    pages.router,
    resources.router,
    entries.router,
    sites.router,
    signals.router,
    queries.router,
    refreshing.router,
    links.router,
    learning.router,
    trainings.router,
    learning_models.router,
    notices.router,
    laboratory.router,
    search.router,
    system.router,
)
#: Outside of the API: what readers subscribe to, and where hubs call.
PUBLIC_ROUTERS = (queries.published, entries.published, pages.published, push.router)

__all__ = ["PUBLIC_ROUTERS", "ROUTERS"]
