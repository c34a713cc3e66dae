"""The clients: what is asked, joined with how, for callers who wait and callers who await."""

from afresh.doors.python.remote.asking import Awaiting, Waiting
from afresh.doors.python.remote.crawling import RestCrawling
from afresh.doors.python.remote.watching import Watching


class Client(Watching, Waiting):
    """A daemon (`afresh run`) with the names of ``afresh.open``.

    ``token``: one of `service.tokens`. ``timeout``: seconds for one answer. ``patience``: seconds to go on trying while
    the daemon is away or busy; what is asked is harmless twice.
    """


class AsyncClient(Watching, Awaiting):
    """The same, awaited."""


class Frontier(RestCrawling, Waiting):
    """A frontier (`afresh serve`) over REST, with the names of ``afresh.open(…).frontier``.

    Leasing takes an account: ``fetcher`` is one that was registered before; without it one is made for this session
    and removed at its end. ``token`` is an administrator's, or one that lets fetchers join.
    """


class AsyncFrontier(RestCrawling, Awaiting):
    """The same, awaited."""
