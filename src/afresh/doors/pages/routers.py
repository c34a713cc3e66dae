"""The routers of all pages, in one place for the app."""

from afresh.doors.pages import (
    catalogue,
    entries,
    fetchers,
    laboratory,
    learning,
    links,
    notices,
    overview,
    pictures,
    plots,
    queries,
    searching,
    small_pages,
)

PAGES = (
    overview.router,
    searching.router,
    entries.router,
    catalogue.router,
    small_pages.router,
    queries.router,
    fetchers.router,
    links.router,
    learning.router,
    notices.router,
    laboratory.router,
    pictures.router,
    plots.router,
)
