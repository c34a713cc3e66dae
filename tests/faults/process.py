"""``afresh`` as a real process with a log, asked over its port."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from afresh.base.protocols import Store
from afresh.base.settings import load_settings
from afresh.engine.add import Wanted, add
from afresh.store import opened_store

PATIENCE = 120.0  # seconds; a first start compiles for most of a minute
#: A rule without compiled code, feeds that are visited every second, and pauses to match.
SETTINGS: Mapping[str, object] = {
    "fetch.allowed_networks": "127.0.0.0/8;::1/128",
    "politeness.delay": 0.3,
    "politeness.trouble_wait": 0.5,
    "predict.rule": "fix:interval=1s",
    "predict.shortest": 0.5,
    "predict.standard": 1.0,
    "predict.longest": 20.0,
    "errors.first_wait": 1.0,
    "errors.longest_wait": 5.0,
    "fetch.total_timeout": 30.0,
    "loop.lease": 40.0,
    "budget.price": 1.0,
}
PINNED = 1.0  # seconds between two visits of a feed


class Answer:
    """What a door said, and how long it took."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes, seconds: float) -> None:
        self.status, self.headers, self.body, self.seconds = status, headers, body, seconds

    def json(self) -> Any:
        return json.loads(self.body)


class Process:
    """A command that serves, under way."""

    def __init__(
        self,
        arguments: Sequence[str],
        log: Path,
        *,
        starter: Sequence[str] = (sys.executable, "-m", "afresh"),
        before: Callable[[], None] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.log = log
        with log.open("wb") as out:
            self.process = subprocess.Popen(
                [*starter, *arguments],
                stdout=subprocess.DEVNULL,
                stderr=out,
                preexec_fn=before,  # noqa: PLW1509 (no other thread holds a lock that it takes)
                env={**os.environ, **(environment or {})},
            )
        self.base = ""

    def wait_for_door(self) -> None:
        """Until it has said where it listens."""
        until(lambda: self._address() or self.process.poll() is not None, "a door")
        self.base = self._address()
        assert self.base, self.said

    @property
    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def _address(self) -> str:
        found = re.search(r"http://127\.0\.0\.1:\d+", self.said)
        return found[0] if found else ""

    def ask(self, path: str, body: object = None, *, timeout: float = 30.0, **headers: str) -> Answer:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", **headers} if data else headers
        request = urllib.request.Request(self.base + path, data=data, headers=headers)
        began = time.monotonic()
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return Answer(answer.status, dict(answer.headers), answer.read(), time.monotonic() - began)
        except urllib.error.HTTPError as error:
            return Answer(error.code, dict(error.headers), error.read(), time.monotonic() - began)

    def health(self) -> Any:
        return self.ask("/api/v1/health").json()

    def wait_for(self, status: str, *, words: str = "") -> Any:
        """Until health says so, with these words among its reasons."""
        last: list[Any] = [None]

        def is_so() -> bool:
            last[0] = self.health()
            reasons = " ".join(one["why"] for one in last[0]["troubles"])
            return bool(last[0]["status"] == status) and words in reasons

        until(is_so, lambda: f"health {status} {words}: {last[0]}")
        return last[0]

    def end(self, *, code: int | None = 0) -> None:
        """In good order, and within bounds."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        found = self.process.wait(PATIENCE)
        assert code is None or found == code, (found, self.said)

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(PATIENCE)


@contextmanager
def daemon(
    folder: Path, store: str | Path, *, more: Mapping[str, object] | None = None, **options: Any
) -> Iterator[Process]:
    """``afresh run`` over a store, ready; killed at the end if it still lives."""
    overrides = {**SETTINGS, **(more or {}), "store.url": str(store)}
    words = [f"--set={name}={value}" for name, value in overrides.items()]
    running = Process([*words, "run", "--port", "0"], folder / f"{time.monotonic_ns()}.log", **options)
    try:
        running.wait_for_door()
        yield running
    finally:
        running.kill()


@contextmanager
def looking(store: str | Path) -> Iterator[Store]:
    """The store, beside its daemon."""
    settings = load_settings(overrides={**SETTINGS, "store.url": str(store)}).settings
    with opened_store(settings) as opened:
        yield opened


def fill(store: str | Path, urls: Sequence[str], *, pinned: float | None = PINNED) -> None:
    """Feeds to watch, each visited once a second."""
    settings = load_settings(overrides={**SETTINGS, "store.url": str(store)}).settings
    with opened_store(settings, makes=True) as opened:
        added = add(opened, [Wanted(url=url, pinned=pinned) for url in urls], settings, now=time.time())
        assert all(one.is_new for one in added), added


def until(is_so: Callable[[], object], what: str | Callable[[], str], *, patience: float = PATIENCE) -> None:
    """Waits, but not for ever."""
    end = time.monotonic() + patience
    while not is_so():
        assert time.monotonic() < end, f"waited in vain for {what() if callable(what) else what}"
        time.sleep(0.05)
