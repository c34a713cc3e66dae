"""A spider whose first page asks for all kinds of requests; with ``stop`` it ends before the first of them."""

from collections.abc import Iterator
from typing import Any

from scrapy import FormRequest, Request
from scrapy.exceptions import CloseSpider
from scrapy.http import Response

from tests.fakes.scrapy_project.follow import FollowSpider

META = {
    "text": "grün",
    "bytes": b"\x00\xff",
    "pair": (1, 2.5),
    "set": {"a"},
    "keys": {1: None},
    "deep": [{"x": [True]}],
}


class KindsSpider(FollowSpider):
    """What is kept comes to ``kept`` with everything it had, whichever process asks for it."""

    name = "kinds"

    def __init__(self, stop: str = "", **more: Any) -> None:
        super().__init__(**more)
        self.stops = bool(stop)

    def parse(self, response: Response, **more: Any) -> Iterator[Any]:
        self.note("start")
        common: dict[str, Any] = {"callback": self.kept, "errback": self.failed}
        yield Request(response.urljoin("/page/1"), meta=META, cb_kwargs={"one": ("a", b"b")}, **common)
        yield Request(response.urljoin("/page/1"), method="POST", body=b"\x00\xff", headers={"X-One": "1"}, **common)
        yield FormRequest(response.urljoin("/page/2"), formdata={"q": "x"}, cookies={"c": "d"}, **common)
        for priority in (1, 9, -3):
            yield Request(response.urljoin(f"/page/3?b=1&a={priority}"), priority=priority, **common)
        for _ in range(2):
            yield Request(response.urljoin("/page/3?a=1&b=1"), **common)  # as one above, in another order
            yield Request(response.urljoin("/page/4"), dont_filter=True, **common)
        if self.stops:
            raise CloseSpider("stopped")
        yield Request(response.urljoin("/page/5"), callback=lambda answer: self.note(["memory", answer.url]))
        yield Request(response.urljoin("/page/6"), meta={"it": object()}, **common)

    def kept(self, response: Response, **more: Any) -> None:
        request = response.request
        assert request is not None
        was = {name: response.meta[name] for name in META if name in response.meta}
        had = [repr(request.headers.get("X-One")), str(request.cookies), request.priority]
        place = request.url.partition("/page/")[2]
        as_sent = was == META if was else ""
        self.note([request.method, place, repr(request.body), repr(more), response.meta["depth"], as_sent, *had])
