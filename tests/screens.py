"""The pictures of terminals in how-tos, made again by one command: ``make pictures``.

What a person types is run, and what is shown is what came: on the small web of ``afresh demo``, with real daemons, a
real PostgreSQL and a real hub. Only addresses of this machine are written as those of the how-to.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fakes.postgres import postgres_url
from tests.fakes.publisher import Publisher
from tests.fakes.served import served
from tests.fakes.shop import SETTINGS, Shop, until
from tests.pictures import draw
from tests.tools import quiet_port
from tests.tour import program

COLUMNS = 100
SPIDER = Path(__file__).parents[1] / "examples" / "scrapy_spider.py"
READING = """from itertools import islice

import afresh

with afresh.open("afresh.db") as a:
    for entry in islice(a.entries(), 3):
        print(entry.seq, entry.title[:70])
    print(a.why("{address}").summary)
"""
REPOSITORY = {
    "README.md": "# Lamps\n\n[Build](docs/build.md), [test](docs/test.md), [the shop]({shop}/lamp).\n",
    "docs/build.md": "# Build\n\nFirst [install](#install); see the [readme](../README.md), [prices]({shop}/prices).\n",
}


class Screen:
    """A person at a terminal, in a folder of their own; ``shown`` is written in place of what nobody can visit."""

    def __init__(self, folder: Path, **settings: str) -> None:
        given = {**SETTINGS, "store.url": "afresh.db", **settings}
        self.folder, self.shown = folder, {f"{folder}/": ""}
        self._environment = {
            **os.environ,
            **{f"AFRESH_{name.replace('.', '_').upper()}": value for name, value in given.items()},
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "FORCE_COLOR": "1",
            "COLUMNS": str(COLUMNS),
        }
        self._lines: list[str] = []

    def type(self, line: str, *, rows: int | None = None, ends_with: int = 0) -> str:
        """A line for the shell; its output is on the screen, or so many rows of it."""
        done = subprocess.run(
            line, shell=True, cwd=self.folder, capture_output=True, text=True, check=False, env=self._environment
        )
        assert done.returncode == ends_with, done.stderr
        told = (done.stdout + done.stderr).rstrip().split("\n")
        self._lines += [f"$ {line}", *told[:rows], *(["…"] if rows and len(told) > rows else [])]
        return done.stdout

    def draw(self, name: str) -> None:
        """What is on the screen, as a picture; it is empty then."""
        text, self._lines = "\n".join(self._lines), []
        for ours, theirs in self.shown.items():
            text = text.replace(ours, theirs)
        draw(text, f"{name}.svg")

    def clear(self) -> None:
        self._lines = []

    @contextmanager
    def daemon(self, *words: str) -> Iterator[None]:
        """``afresh run`` beside it."""
        command = ["afresh", "run", "--port", "0", *words]
        with subprocess.Popen(
            command, cwd=self.folder, env=self._environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            try:
                yield
            finally:
                process.terminate()


@contextmanager
def screen(**settings: str) -> Iterator[Screen]:
    with TemporaryDirectory() as folder:
        yield Screen(Path(folder), **settings)


def feeds() -> None:
    """A budget, a target, a sink, the door of Python and a move to PostgreSQL, on the demo's feeds."""
    port = str(quiet_port())
    with program("demo", "--web-only", "--port", port, "--day", "2m", line="begin"), screen() as one:
        one.shown[f".localhost:{port}"] = ".example"
        one.type(f"afresh import http://127.0.0.1:{port}/subscriptions.opml")
        one.type("afresh poll --all")
        one.type("afresh refresh --folder sliced --mean-delay 1m")
        with one.daemon("--set", "budget.requests_per_hour=600", "--sink", "ndjson:entries"):
            until(lambda: "lately" in one.type("afresh refresh"))
            one.clear()
            one.type("afresh status")
            one.draw("budget")
            one.type("afresh refresh --folder sliced --mean-delay 1m")
            one.type("afresh refresh")
            one.draw("target")
            one.type("afresh sink list")
            one.type("head -n 1 entries/*.ndjson | cut -c 1-400")
            one.draw("sinks")
            (one.folder / "read.py").write_text(
                READING.format(address=f"http://herald.localhost:{port}/sport.xml"), encoding="utf-8"
            )
            one.type("cat read.py")
            one.type("python read.py")
            one.draw("python")
        one.shown[url := postgres_url()] = "postgresql://afresh@db.example.org/afresh"
        one.type(f"afresh store copy afresh.db {url}", rows=18)
        one.type(f"afresh --store {url} status", rows=4)
        one.draw("store-copy")


def page_and_repository() -> None:
    """Why a page is visited when it is; the links of a repository."""
    with Shop().served() as site, screen() as one:
        one.shown[site] = "http://shop.example"
        one.type(f"afresh add --kind page {site}/lamp")
        one.type(f"afresh poll {site}/lamp")
        one.clear()
        one.type(f"afresh why {site}/lamp")
        one.draw("page-why")
        for name, text in REPOSITORY.items():
            (one.folder / name).parent.mkdir(exist_ok=True)
            (one.folder / name).write_text(text.format(shop=site), encoding="utf-8")
        one.type("afresh check .", ends_with=1)
        one.draw("check-repository")


def pushed() -> None:
    """A feed whose hub has told of news."""
    port, publisher = quiet_port(), Publisher()
    with served(publisher.app) as site, screen(**{"push.callback": f"http://127.0.0.1:{port}"}) as one:
        one.shown[site] = "https://news.example"
        one.type(f"afresh add {site}/feed")
        with one.daemon("--port", str(port)):
            until(lambda: publisher.challenges)
            publisher.publish(2)
            until(lambda: "hub" in one.type(f"afresh why {site}/feed"))
            one.clear()
            one.type(f"afresh why {site}/feed")
            one.draw("push")


def spider() -> None:
    """A spider of Scrapy."""
    with screen() as one:
        one.shown[str(SPIDER)] = "examples/scrapy_spider.py"
        one.type(f"python {SPIDER}")
        one.draw("scrapy")


def replay() -> None:
    """Two rules on the commits of this repository."""
    with screen() as one:
        one.shown[str(SPIDER.parents[1])] = "~/afresh"
        one.type(f"afresh lab trace from-git {SPIDER.parents[1]} -o commits", rows=1)
        one.type("afresh lab replay --trace commits --rule fix:interval=3600 --rule mavsync")
        one.draw("replay")


if __name__ == "__main__":
    for scene in (feeds, page_and_repository, pushed, spider, replay):
        scene()
