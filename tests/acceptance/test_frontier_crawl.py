"""Three fetcher processes and a frontier crawl a web that counts: each page once a round, no delay broken."""

import asyncio
import json
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from afresh.store.sqlite.lockfile import LockFile
from tests.fakes.crawl_web import CrawlWeb
from tests.fakes.ending import ended

DELAY = 0.2
PRIVATE = ["--set", "frontier.allow_private=true"]
PACE = ["--set", f"politeness.delay={DELAY}s"]
LOOPBACK = [*PACE, "--set", "fetch.allowed_networks=127.0.0.0/8"]


@asynccontextmanager
async def frontier(folder: Path, *options: str) -> AsyncIterator[str]:
    """The address of a running ``afresh serve``."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "afresh", *PRIVATE, *options,
        "serve", "--port", "0", "--store", str(folder / "frontier.db"),
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr is not None
    try:
        line = (await process.stderr.readline()).decode()
        assert "afresh fetch --from" in line, line + (await process.stderr.read()).decode()
        yield line.split()[-1]
    finally:
        _, rest = await ended(process)
        assert process.returncode == 0, rest
        assert "Traceback" not in rest, rest


async def call(address: str, method: str, path: str, body: object) -> dict[str, object]:
    url = f"{address}api/v1{path}"
    async with aiohttp.ClientSession() as session, session.request(method, url, json=body) as response:
        answer: dict[str, object] = await response.json()
        assert response.status == 200, answer
        return answer


async def fetcher(address: str, folder: Path, number: int, *ending: str) -> dict[str, int]:
    """Runs ``afresh fetch`` to its end; what it says it did."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "afresh", *LOOPBACK, "fetch", "--from", address, "--name", f"f{number}",
        "--email", "ops@example.org", "--state", str(folder / f"f{number}.json"), "--parallel", "2",
        "--urls-per-site", "4", *ending, "--json",
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await ended(process, None, within=280.0)
    assert process.returncode == 0, err
    assert "Traceback" not in err, err
    figures: dict[str, int] = json.loads(out)
    return figures


async def begin(address: str, web: CrawlWeb, revisit_after: float) -> None:
    settings = {"default_crawl_delay": DELAY, "revisit_after": revisit_after}
    await call(address, "PUT", "/settings", settings)
    assert (await call(address, "POST", "/urls", {"urls": [web.seed_url]}))["urls"] == 1


def check(web: CrawlWeb, times: int) -> None:
    summary = web.ledger.summary()
    assert summary["politeness_violations"] == 0, summary["violations"]
    assert summary["crawl_delay_ignored"] == 0
    assert not any("/private/" in url or "/hidden/" in url for url in web.visits)
    counts = Counter({url: web.visits[url] for url in web.reachable if "/missing" not in url})
    assert set(counts.values()) == {times}, {url: count for url, count in counts.items() if count != times}


def test_every_page_once_and_no_delay_broken(tmp_path: Path) -> None:
    async def crawl() -> None:
        async with CrawlWeb(polite_delay=DELAY) as web, frontier(tmp_path) as address:
            await begin(address, web, revisit_after=3_600.0)
            done = await asyncio.gather(*(fetcher(address, tmp_path, n, "--idle", "6s") for n in range(3)))
            check(web, 1)
            assert sum(item["pages"] for item in done) == sum(web.visits.values()) == len(web.reachable)
            assert sum(item["excluded"] for item in done) == len(web.names)  # /private/0 of each site
            stats = await call(address, "GET", "/stats", None)
            assert stats["fetcher_amount"] == 3
            assert stats["reserved_fqdn_amount"] == 0

    asyncio.run(crawl())


def test_what_is_archived_is_whole(tmp_path: Path) -> None:
    """Requests beside answers, errors with their body, and files that others find in order."""
    iterator = pytest.importorskip("warcio.archiveiterator", reason="left out: needs warcio")

    async def crawl() -> int:
        async with CrawlWeb(sites=3, polite_delay=DELAY) as web, frontier(tmp_path) as address:
            await begin(address, web, revisit_after=3_600.0)
            figures = await fetcher(address, tmp_path, 1, "--idle", "3s", "--warc", str(tmp_path / "warc"))
            assert len(web.reachable) == sum(web.visits.values())
            assert figures["archived"] == len(web.reachable) + len(web.names)  # and robots.txt of each site
            return len(web.names)

    sites = asyncio.run(crawl())
    files = sorted((tmp_path / "warc").glob("*.warc.gz"))
    done = subprocess.run(
        [sys.executable, "-m", "warcio.cli", "check", "-v", *map(str, files)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    answers, requests, missing = {}, {}, []
    for file in files:
        with file.open("rb") as stream:
            for record in iterator.ArchiveIterator(stream):
                headers = record.rec_headers
                if record.rec_type == "response":
                    assert headers.get_header("WARC-Truncated") is None
                    assert headers.get_header("WARC-IP-Address") == "127.0.0.1"
                    answers[headers.get_header("WARC-Record-ID")] = headers.get_header("WARC-Target-URI")
                    if record.http_headers.get_statuscode() == "404":
                        missing.append(record.content_stream().read())
                elif record.rec_type == "request":
                    requests[headers.get_header("WARC-Concurrent-To")] = headers.get_header("WARC-Target-URI")
                    assert "ops@example.org" in record.http_headers.get_header("User-Agent")
    assert requests == answers
    assert sum(url.endswith("/robots.txt") for url in answers.values()) == sites
    assert missing == [b"<title>404</title>"] * sites


@pytest.mark.slow
def test_a_second_round_is_a_second_visit(tmp_path: Path) -> None:
    async def crawl() -> None:
        async with CrawlWeb(sites=4, pages=5, polite_delay=DELAY) as web, frontier(tmp_path) as address:
            await begin(address, web, revisit_after=20.0)
            working = [asyncio.create_task(fetcher(address, tmp_path, n, "--for", "34s")) for n in range(3)]
            await asyncio.gather(*working)
            check(web, 2)

    asyncio.run(crawl())


def test_a_fetcher_that_is_told_to_end_gives_back_what_it_holds(tmp_path: Path) -> None:
    async def crawl() -> None:
        async with CrawlWeb(polite_delay=DELAY) as web, frontier(tmp_path) as address:
            await begin(address, web, revisit_after=3_600.0)
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "afresh", *LOOPBACK, "fetch", "--from", address, "--name", "a",
                "--email", "ops@example.org", "--state", str(tmp_path / "a.json"), "--json",
                stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            )  # fmt: skip
            assert await web.complete(times=0, within=5)
            while sum(web.visits.values()) < 5:
                await asyncio.sleep(0.05)
            out, err = await ended(process)
            assert process.returncode == 0, err
            stats = await call(address, "GET", "/stats", None)
            assert stats["reserved_fqdn_amount"] == 0
            assert stats["visits"] == json.loads(out)["pages"] == sum(web.visits.values())

    asyncio.run(crawl())


async def told_by_a_fetcher(address: str, folder: Path, name: str, *options: str) -> str:
    """What ``afresh fetch`` of one list says to a person."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "afresh", *options, "fetch", "--from", address, "--name", name,
        "--email", "ops@example.org", "--state", str(folder / f"{name}.json"), "--once",
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await ended(process, None, within=60.0)
    assert process.returncode == 0, err
    return err + out


def test_what_one_fetcher_may_not_ask_is_told_and_left_to_others(tmp_path: Path) -> None:
    async def crawl() -> None:
        async with CrawlWeb(polite_delay=DELAY) as web, frontier(tmp_path) as address:
            await begin(address, web, revisit_after=3_600.0)
            told = await told_by_a_fetcher(address, tmp_path, "guarded", *PACE)
            assert "1 page not asked: " in told
            assert "not a public address; fetch.allowed_networks = [" in told
            state = await call(address, "GET", f"/urls?url={web.seed_url}", None)
            assert state["status"] == "refused"
            assert state["due"] is not None
            assert "it knows 1 URL, but" in await told_by_a_fetcher(address, tmp_path, "late", *LOOPBACK)
            again = await call(address, "POST", "/urls", {"urls": [web.seed_url]})
            assert (again["known"], again["revived"]) == (1, 1)
            assert "not asked" not in await told_by_a_fetcher(address, tmp_path, "open", *LOOPBACK)
            assert web.visits[web.seed_url] == 1

    asyncio.run(crawl())


def test_a_pause_of_the_frontier_and_a_longer_one_of_the_fetcher_are_told(tmp_path: Path) -> None:
    async def crawl() -> None:
        async with CrawlWeb(polite_delay=DELAY) as web, frontier(tmp_path) as address:
            await begin(address, web, revisit_after=3_600.0)
            await call(address, "PUT", "/active", {"active": False})
            told = await told_by_a_fetcher(address, tmp_path, "early", *LOOPBACK)
            assert "the frontier is paused and hands out nothing: PUT /api/v1/active" in told
            assert "rest after a request" not in told
            await call(address, "PUT", "/active", {"active": True})
            slow = ["--set", "politeness.delay=1s", "--set", "fetch.allowed_networks=127.0.0.0/8"]
            told = await told_by_a_fetcher(address, tmp_path, "slow", *slow)
            assert told.count("own pause 1s is longer than the frontier's 200ms and is kept; politeness.delay in") == 1

    asyncio.run(crawl())


def test_where_nobody_answers_it_shows(tmp_path: Path) -> None:
    async def crawl() -> None:
        with socket.create_server(("127.0.0.1", 0)) as nobody:
            url = f"http://dead.localhost:{nobody.getsockname()[1]}/"
        async with frontier(tmp_path) as address:
            await call(address, "POST", "/urls", {"urls": [url, f"{url}2"]})
            told = await told_by_a_fetcher(address, tmp_path, "one", *LOOPBACK)
            assert "2 pages not asked: dead.localhost: Connection refused (" in told
            assert "failed 1, left out 0, given back 1" in told
            [site] = (await call(address, "GET", "/sites?fqdn=dead.localhost", None))["items"]  # type: ignore[misc]
            assert site["errors"] == 1

    asyncio.run(crawl())


def test_a_state_file_has_one_process(tmp_path: Path) -> None:
    words = ["fetch", "--from", "http://127.0.0.1:9", "--name", "a", "--email", "a@example.org", "--for", "1s"]
    lock = LockFile(tmp_path / "fetcher-a.json")
    lock.acquire()
    done = subprocess.run(
        [sys.executable, "-m", "afresh", *words], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    lock.release()
    assert done.returncode != 0
    assert "fetcher-a.json is in use by another afresh (process " in done.stderr
    assert "give this one another --name or --state" in done.stderr


def test_a_fetcher_whose_frontier_is_not_there_ends_in_time(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    words = ["fetch", "--from", f"http://127.0.0.1:{port}", "--name", "a", "--email", "a@example.org", "--for", "1s"]
    done = subprocess.run(
        [sys.executable, "-m", "afresh", *words], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 3
    assert "does not answer /fetchers (connection refused); again in 100ms" in done.stderr
    assert done.stderr.splitlines()[-1] == f"afresh: the frontier at http://127.0.0.1:{port} could not be reached"


def test_a_trap_gets_no_more_than_its_budget(tmp_path: Path) -> None:
    async def serve() -> None:
        async with frontier(tmp_path, "--set", "hygiene.budget=2", "--set", "frontier.links=true") as address:
            calendar = [f"http://www.calendar.example/{day}" for day in range(5)]
            answer = await call(address, "POST", "/urls", {"urls": calendar})
            assert (answer["urls"], answer["backlog"]) == (5, 3)

    asyncio.run(serve())
