"""``afresh serve --grpc`` as a real process, and a client of it with a few short ways to say things."""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from afresh.lab.bench_grpc.client import FrontierClient

PATIENCE = 120.0  # seconds
_LISTENS = re.compile(r"URLFrontier clients: (\S+)")


class GrpcServer:
    """A server that can be killed and started again on the same port and store."""

    def __init__(self, store: str, folder: Path, *, listen: str = "127.0.0.1:0", more: Sequence[str] = ()) -> None:
        self._store, self._log, self._listen, self._more = store, folder / "serve.log", listen, more
        self.address = ""
        self.start()

    def start(self) -> None:
        settings = [part for text in self._more for part in ("--set", text)]
        command = [sys.executable, "-m", "afresh", *settings, "serve", "--port", "0", "--store", self._store]
        with self._log.open("wb") as log:
            self.process = subprocess.Popen([*command, "--grpc", self.address or self._listen], stderr=log, stdout=log)
        wait_for(lambda: _LISTENS.search(self.log) or self.process.poll() is not None)
        found = _LISTENS.search(self.log)
        assert found is not None, self.log
        self.address = found[1]

    @property
    def log(self) -> str:
        return self._log.read_text(encoding="utf-8")

    def client(self, **more: Any) -> "Client":
        return Client(self.address, **more)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)


@contextmanager
def serving(store: str, folder: Path, **more: Any) -> Iterator[GrpcServer]:
    server = GrpcServer(store, folder, **more)
    try:
        yield server
    finally:
        server.kill()


class Client(FrontierClient):
    """A client that speaks of one crawl unless told otherwise."""

    def __init__(self, address: str, *, crawl: str = "", **more: Any) -> None:
        super().__init__(address, **more)
        self.crawl = crawl

    def of(self, crawl: str) -> "Client":
        """The same client, for another crawl."""
        other = object.__new__(Client)
        other.__dict__ = self.__dict__ | {"crawl": crawl}
        return other

    def info(self, url: str, key: str = "", *, crawl: str | None = None, **metadata: Sequence[str]) -> Any:
        kept = {name: self.messages["StringList"](values=values) for name, values in metadata.items()}
        crawl = self.crawl if crawl is None else crawl
        return self.messages["URLInfo"](url=url, key=key, crawlID=crawl, metadata=kept)

    def found(self, url: str, key: str = "", *, mark: str = "", **more: Any) -> Any:
        item = self.messages["DiscoveredURLItem"](info=self.info(url, key, **more))
        return self.messages["URLItem"](discovered=item, ID=mark)

    def known(self, url: str, key: str = "", *, again: int = 0, mark: str = "", **more: Any) -> Any:
        item = self.messages["KnownURLItem"](info=self.info(url, key, **more), refetchable_from_date=again)
        return self.messages["URLItem"](known=item, ID=mark)

    def put(self, *items: Any) -> list[tuple[str, int]]:
        return [(ack.ID, ack.status) for ack in self.call("PutURLs", items, timeout=PATIENCE)]

    def get(self, *, any_crawl: bool = False, **wanted: Any) -> list[Any]:
        crawl = {"anyCrawlID": self.messages["AnyCrawlID"]()} if any_crawl else {"crawlID": self.crawl}
        return list(self.call("GetURLs", timeout=PATIENCE, **crawl, **wanted))

    def urls(self, **wanted: Any) -> list[str]:
        return [one.url for one in self.get(**wanted)]

    def ask(self, name: str, **fields: Any) -> Any:
        return self.call(name, timeout=PATIENCE, crawlID=self.crawl, **fields)


def wait_for(condition: Callable[[], object]) -> None:
    """Until it holds; the net is wide because CI's machine may be busy."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)
