"""The routers of all pages, in one place for the app."""

from afresh.web import catalogue, fetchers, laboratory, learning, links, notices, pages, pictures, places, plots

PAGES = (
    pages.router,
    catalogue.router,
    places.router,
    fetchers.router,
    links.router,
    learning.router,
    notices.router,
    laboratory.router,
    pictures.router,
    plots.router,
)
