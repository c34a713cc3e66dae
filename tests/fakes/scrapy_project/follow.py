"""A spider that follows every link and writes down what it was given."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import scrapy
from scrapy.http import Response


class FollowSpider(scrapy.Spider):
    """``start``: URLs; ``notes``: a file with a line for each page that a callback got; ``stats``: what it counted."""

    name = "follow"
    handle_httpstatus_list = [404]  # noqa: RUF012

    def __init__(self, start: str = "", notes: str = "", stats: str = "", **more: Any) -> None:
        super().__init__(**more)
        self.start_urls = start.split()
        self.notes, self.stats = notes, stats

    def parse(self, response: Response, **more: Any) -> Iterator[Any]:
        self.note(response.url)
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link, self.parse_linked, errback=self.failed, cb_kwargs={"found_on": response.url})

    def parse_linked(self, response: Response, found_on: str) -> Iterator[Any]:
        assert found_on
        yield from self.parse(response)

    def failed(self, failure: Any) -> None:
        """A page that cannot be had is no reason to stop."""

    def note(self, line: object) -> None:
        if self.notes:
            with Path(self.notes).open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")

    def closed(self, reason: str) -> None:
        if self.stats:
            counts = {"reason": reason, **self.crawler.stats.get_stats()}
            Path(self.stats).write_text(json.dumps(counts, default=str), encoding="utf-8")
