"""A Scrapy spider with afresh as its frontier, on a small web that this program serves itself.

Stop it in the middle and start it again with the same file, or start it twice at once: each page is fetched once.

    python examples/scrapy_spider.py [frontier.db]
"""

import sys
import tempfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response


class TitleSpider(scrapy.Spider):
    """Follows every link and tells the title of every page."""

    name = "titles"
    custom_settings = {  # noqa: RUF012  (as in settings.py)
        "SCHEDULER": "afresh.scrapy.Scheduler",
        "DOWNLOADER_MIDDLEWARES": {"afresh.scrapy.Politeness": 950},
        "AFRESH_DELAY": 0.1,  # seconds: the server is ours
    }

    def parse(self, response: Response) -> Iterator[scrapy.Request | dict[str, str]]:
        title = response.css("title::text").get(default="")
        print(f"{title} (depth {response.meta['depth']})", flush=True)
        yield {"url": response.url, "title": title}
        yield from response.follow_all(css="a")


class SmallWeb(BaseHTTPRequestHandler):
    """Page n links to pages 2n and 2n + 1, up to 7."""

    def do_GET(self) -> None:
        number = int(self.path.strip("/") or 1)
        links = "".join(f'<a href="/{child}">more</a>' for child in (2 * number, 2 * number + 1) if child <= 7)
        body = f"<title>Page {number}</title>{links}".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


def crawl(frontier: Path) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), SmallWeb)
    Thread(target=server.serve_forever, daemon=True).start()
    settings = {"AFRESH_FRONTIER": str(frontier), "LOG_LEVEL": "WARNING", "COOKIES_ENABLED": False}
    process = CrawlerProcess(settings)
    process.crawl(TitleSpider, start_urls=[f"http://127.0.0.1:{server.server_port}/"])
    process.start()
    server.shutdown()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        crawl(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            crawl(Path(folder) / "frontier.db")
