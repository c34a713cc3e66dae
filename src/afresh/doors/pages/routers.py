"""The routers of all pages, in one place for the app."""

from afresh.doors.pages import (
    catalogue,
    entries,
    fetchers,
    laboratory,
    learning,
    links,
    notices,
    pages,
    pictures,
    plots,
    queries,
    searching,
)
from afresh.doors.pages import small_pages as places

PAGES = (
    pages.router,
    searching.router,
    entries.router,
    catalogue.router,
    places.router,
    queries.router,
    fetchers.router,
    links.router,
    learning.router,
    notices.router,
    laboratory.router,
    pictures.router,
    plots.router,
)
