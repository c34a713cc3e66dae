"""A client of the gRPC door with a few short ways to say things."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from afresh.lab.bench_grpc.client import FrontierClient
from afresh.lab.bench_grpc.server import PATIENCE


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
