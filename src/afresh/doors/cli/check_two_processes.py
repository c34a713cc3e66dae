"""A long check divided between two processes by the sites of its links: two cores fetch and judge.

The other process is a copy of this one, made before there is an event loop or a thread, so it has nothing to load.
Every site is asked by one of the two (``engine.second_process`` says what happens where a link leads to the other's).
What the copy found comes back as it is found; what it did not get to because it ended, is checked here.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn

import orjson

from afresh.base.errors import AfreshError
from afresh.base.records.links import Check, CheckStatus, Turned
from afresh.doors.cli.event_loop import run_async
from afresh.engine.second_process import Neighbour
from afresh.parse.url import canonical

if TYPE_CHECKING:
    from afresh.base.records.links import LinkRef

_log = logging.getLogger(__name__)
_END = b""  # what is told when all links are checked
_BATCH = 50  # checks in one message
_LOOK, _LAST_WORDS = 0.002, 1_000  # seconds after which it is looked again whether it has ended; how often
_PATIENCE = 0.2  # seconds after which fewer are told, too: somebody may watch the progress


def may_divide() -> bool:
    """Whether there is a second core, and a copy of this process is safe: no thread works in it yet."""
    if sys.platform != "linux" or threading.active_count() > 1:
        return False
    return len(os.sched_getaffinity(0)) > 1


def divided(links: Iterable[LinkRef], site_of: Callable[[str], str]) -> tuple[list[LinkRef], frozenset[str]]:
    """The links that the other process is to check, and their sites: about half, and all of a site or none.

    >>> from afresh.base.records.links import LinkRef
    >>> links = [LinkRef(url=url) for url in ("http://a.example/1", "http://a.example/2", "http://b.example/", "http:")]
    >>> [link.url for link in divided(links, lambda url: url[7:8])[0]]
    ['http://b.example/']
    """
    sites: dict[str, list[LinkRef]] = {}
    for link in links:
        try:
            sites.setdefault(site_of(canonical(link.url)), []).append(link)
        except AfreshError:
            continue  # told to be none, by whoever told of it
    here = there = 0
    others: list[str] = []
    for site, count in Counter({site: len(group) for site, group in sites.items()}).most_common():
        if there < here:
            there += count
            others.append(site)
        else:
            here += count
    return [link for site in others for link in sites[site]], frozenset(others)


#: The anchors of a page that somebody wants to know, by its link; None: all are there.
Anchors = dict[str, frozenset[str] | None]
#: Some checks of the other process, and of their pages the anchors.
Found = tuple[list[Check], Anchors]

#: What travels of a check: what one that is not kept has.
_NAMES = ("url", "at", "status", "title", "final_url", "http", "size", "turned", "new_url", "detail")
_values_of = attrgetter(*_NAMES)


def packed(checks: Iterable[Check], anchors: Anchors) -> bytes:
    """As it travels: JSON, so nothing that comes back can run code."""
    told = [[*map(_values_of, checks)], {url: names and sorted(names) for url, names in anchors.items()}]
    try:
        return orjson.dumps(told)
    except orjson.JSONEncodeError:  # half a character in a title
        return orjson.dumps(_clean(told))


def _clean(told: Any) -> Any:
    if isinstance(told, str):
        return told.encode("utf-8", "replace").decode()
    if isinstance(told, list | tuple):
        return [_clean(part) for part in told]
    return {_clean(name): _clean(part) for name, part in told.items()} if isinstance(told, dict) else told


def unpacked(content: bytes) -> Found:
    rows, anchors = orjson.loads(content)
    return [_check(*row) for row in rows], {url: names and frozenset(names) for url, names in anchors.items()}


def _check(*values: Any) -> Check:
    named = dict(zip(_NAMES, values, strict=True))
    named["status"] = CheckStatus(named["status"])
    if named["turned"] is not None:
        named["turned"] = Turned(named["turned"])
    return Check(**named)


class OtherHalf:
    """The links that another process checks, here."""

    def __init__(self, links: Sequence[LinkRef], end: socket.socket, sites: frozenset[str], number: int) -> None:
        self.neighbour = Neighbour(end, is_ours=lambda site: site not in sites, hear=self._hear)
        self.left = {link.url: link for link in links}
        self.given = frozenset(self.left)  # all of them
        self._end, self._number = end, number
        self._done = asyncio.Event()
        self._early: list[Found] = []  # before anybody waited for it
        self._on_found: Callable[[Found], None] = self._early.append

    async def wait(self, on_found: Callable[[Found], None]) -> list[LinkRef]:
        """Until all are checked; those that are not, because the other process has ended."""
        self._on_found = on_found
        for found in self._early:
            on_found(found)
        ends = [asyncio.ensure_future(event.wait()) for event in (self._done, self.neighbour.gone)]
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for end in ends:
                end.cancel()
        return list(self.left.values())

    def close(self) -> None:
        """Ends it, kindly at first: there is nobody any more for whom it works."""
        self._end.close()
        with suppress(ChildProcessError):  # whoever started us may have told the system to forget children that end
            for _ in range(_LAST_WORDS):
                if os.waitpid(self._number, os.WNOHANG)[0]:
                    return
                time.sleep(_LOOK)
            os.kill(self._number, signal.SIGKILL)
            os.waitpid(self._number, 0)

    def _hear(self, content: bytes) -> None:
        if content == _END:
            self._done.set()
            return
        found = unpacked(content)
        for check in found[0]:
            self.left.pop(check.url, None)
        self._on_found(found)


class Telling:
    """The same, over there: what was found goes to the process that asked for it."""

    def __init__(self, end: socket.socket, sites: frozenset[str]) -> None:
        self.neighbour = Neighbour(end, is_ours=sites.__contains__, hear=lambda _: None)
        self._waiting: list[Check] = []
        self._anchors: Anchors = {}
        self._timer: asyncio.TimerHandle | None = None

    def add(self, check: Check, anchors: Anchors) -> None:
        self._waiting.append(check)
        if check.url in anchors:
            self._anchors[check.url] = anchors.pop(check.url)
        if len(self._waiting) >= _BATCH:
            self._send()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_PATIENCE, self._send)

    def end(self) -> None:
        self._send()
        self.neighbour.tell(_END)

    def _send(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self.neighbour.tell(packed(self._waiting, self._anchors))
        self._waiting, self._anchors = [], {}


def copied(work: Callable[[socket.socket], Coroutine[Any, Any, None]]) -> tuple[socket.socket, int] | None:
    """Our end of the socket, and the number of a copy of this process that works at the other end.

    None: the system grants no further process, or no socket; then one process has to do.
    """
    try:
        ours, theirs = socket.socketpair()
    except OSError:
        return None
    gc.freeze()  # what is loaded is no garbage, and to look for some would copy it
    try:
        number = os.fork()
    except OSError:
        ours.close()
        theirs.close()
        return None
    if not number:
        ours.close()
        _be_copy(work(theirs))
    theirs.close()
    return ours, number


def _be_copy(work: Coroutine[Any, Any, None]) -> NoReturn:
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt from the keyboard is for who made us
        run_async(work)
        code = 0
    except BaseException:  # whoever made us checks the rest, and ends as this did if that was due to a link
        _log.debug("the other half of a check ended early", exc_info=True)
    finally:
        os._exit(code)  # what is buffered, and what is open, is not ours
