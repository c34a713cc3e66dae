"""Is it them, or is it us? When nobody can be reached, our own network is down and no feed is to blame."""

from __future__ import annotations

import socket
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlsplit

from afresh.base.models import Failed, Failure, Outcome
from afresh.http.resolver import is_local_name

_SUSPICIOUS = frozenset((Failure.DNS, Failure.CONNECT, Failure.TIMEOUT))
_MAX_SITES = 1_000


def has_route() -> bool:
    """Whether the system would know where to send a packet for the internet; sends none.

    Connecting a datagram socket only consults the routing table. The addresses are documentation addresses.
    """
    for family, address in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((address, 9))
        except OSError:
            continue
        return True
    return False


class NetworkHealth:
    """Re-labels failures as OFFLINE when the evidence says that our own network is down.

    Evidence: since the last answer from anybody, ``sites`` different sites have failed without a sign of life within
    ``window`` seconds; or the system has no route to the internet at all (asked only when something failed). The first
    failures of an outage cannot be told from a dead site and stay with their feeds, and with fewer sites than that an
    outage behind a working router goes unnoticed; back-off forgives both.

    Sites on this machine prove nothing either way and are left alone.
    """

    def __init__(self, *, sites: int = 8, window: float = 600.0, probe: Callable[[], bool] = has_route) -> None:
        self._sites = sites
        self._window = window
        self._probe = probe
        self._failing: OrderedDict[str, float] = OrderedDict()  # site to its latest failure, oldest first

    @property
    def is_offline(self) -> bool:
        """Whether the last failures amount to an outage."""
        return len(self._failing) >= self._sites

    def judge(self, outcome: Outcome, site: str, now: float) -> Outcome:
        """The outcome as it should be counted; an answer from anybody ends an outage."""
        is_answer = not isinstance(outcome, Failed) or bool(outcome.trip.headers)
        if is_answer and not self._failing:
            return outcome  # nearly always: there is nothing to end, and no address to take apart
        if _is_local(outcome.trip.final_url):
            return outcome
        if is_answer:
            self._failing.clear()
        if is_answer or not isinstance(outcome, Failed) or outcome.cause not in _SUSPICIOUS:
            return outcome
        self._note(site, now)
        if self.is_offline or not self._probe():
            return replace(outcome, cause=Failure.OFFLINE)
        return outcome

    def _note(self, site: str, now: float) -> None:
        self._failing[site] = now
        self._failing.move_to_end(site)
        while len(self._failing) > _MAX_SITES or next(iter(self._failing.values())) < now - self._window:
            self._failing.popitem(last=False)


def _is_local(url: str) -> bool:
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return False
    return is_local_name(host) or host.startswith("127.") or host == "::1"
