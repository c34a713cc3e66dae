"""Real Scrapy processes with afresh as their scheduler, on a web that counts: nothing lost or twice, nobody pressed."""

import asyncio
import json
import signal
from collections import Counter
from pathlib import Path

import psutil
import pytest

from tests.fakes.counting_web import CountingWeb
from tests.fakes.crawl_web import CrawlWeb
from tests.fakes.ending import ended
from tests.fakes.scrapy_project.killing import AT_ONCE, DELAY, Seen, crawl_with_a_kill, notes, scrapy, until, wrongs

pytestmark = pytest.mark.slow


async def finished(process: asyncio.subprocess.Process, number: signal.Signals | None = None) -> str:
    """Its log; it has ended well."""
    _, log = await ended(process, number, within=280.0)
    assert process.returncode == 0, log
    assert "Traceback" not in log, log
    return log


def check_manners(web: CrawlWeb) -> None:
    assert wrongs(web) == 0, web.ledger.summary()


def check_kill(seen: Seen) -> None:
    assert (seen.missed, seen.unprocessed, seen.more, seen.violations) == (0, 0, 0, 0), seen
    assert seen.twice <= AT_ONCE, seen  # what was under way
    assert 0 < seen.by_killed < seen.pages, seen


def test_two_processes_one_killed(tmp_path: Path) -> None:
    check_kill(asyncio.run(crawl_with_a_kill(tmp_path, str(tmp_path / "frontier.db"), sites=24, pages=25)))


@pytest.mark.postgres
def test_two_processes_one_killed_on_postgresql(tmp_path: Path, postgres: str) -> None:
    check_kill(asyncio.run(crawl_with_a_kill(tmp_path, postgres, sites=8, pages=12)))


def test_a_restart_goes_on_where_it_was(tmp_path: Path) -> None:
    async def crawl() -> None:
        async with CrawlWeb(sites=8, pages=12, polite_delay=DELAY, crawl_delay=2 * DELAY) as web:
            settings = {"AFRESH_FRONTIER": tmp_path / "frontier.db", "ROBOTSTXT_OBEY": True}
            file = tmp_path / "notes"
            first = await scrapy("follow", settings, start=web.seed_url, notes=file)
            await until(lambda: len(web.visits) > len(web.reachable) / 3)
            await finished(first, signal.SIGTERM)
            assert web.unvisited()
            stats = tmp_path / "stats"
            await finished(await scrapy("follow", settings, start=web.seed_url, notes=file, stats=stats))
            assert not web.unvisited()
            assert set(web.visits.values()) == {1}
            assert set(Counter(notes(file)).values()) == {1}
            check_manners(web)
            counts = json.loads(stats.read_text())
            assert counts["dupefilter/filtered"] > 0
            assert counts["request_depth_max"] > 3
            # Nothing is left: a third one has nothing to do, and sees it.
            asked = web.ledger.requests
            log = await finished(await scrapy("follow", settings, start=web.seed_url, stats=stats))
            assert "nothing was left of the crawl 'follow'" in log
            assert web.ledger.requests == asked
            assert json.loads(stats.read_text())["dupefilter/filtered"] == 1

    asyncio.run(crawl())


def test_every_kind_of_request_survives_a_restart(tmp_path: Path) -> None:
    async def crawl() -> None:
        async with CrawlWeb(sites=1, pages=8, polite_delay=DELAY) as web:
            settings = {"AFRESH_FRONTIER": tmp_path / "frontier.db", "CONCURRENT_REQUESTS": 1}
            file, stats = tmp_path / "notes", tmp_path / "stats"
            await finished(await scrapy("kinds", settings, start=web.seed_url, notes=file, stats=stats, stop=1))
            assert notes(file) == ["start"]
            assert json.loads(stats.read_text())["reason"] == "stopped"
            await finished(await scrapy("kinds", settings, start=web.seed_url, notes=file, stats=stats))
            kept = notes(file)[1:]
            assert [one[1:2] + one[-1:] for one in kept[:2]] == [["3?b=1&a=9", 9], ["3?b=1&a=1", 1]]
            assert kept[-1][-1] == -3
            came = sorted(kept, key=str)
            assert came == sorted(
                [
                    ["GET", "1", "b''", "{'one': ('a', b'b')}", 1, True, "None", "{}", 0],
                    ["POST", "1", "b'\\x00\\xff'", "{}", 1, "", "b'1'", "{}", 0],
                    ["POST", "2", "b'q=x'", "{}", 1, "", "None", "{'c': 'd'}", 0],
                    *(["GET", f"3?b=1&a={one}", "b''", "{}", 1, "", "None", "{}", one] for one in (1, 9, -3)),
                    *[["GET", "4", "b''", "{}", 1, "", "None", "{}", 0]] * 2,
                ],
                key=str,
            )
            assert web.ledger.summary()["politeness_violations"] == 0

    asyncio.run(crawl())


def test_what_cannot_be_kept_stays_in_memory(tmp_path: Path) -> None:
    async def crawl() -> None:
        async with CrawlWeb(sites=1, pages=8, polite_delay=DELAY) as web:
            file, stats = tmp_path / "notes", tmp_path / "stats"
            settings = {"AFRESH_FRONTIER": tmp_path / "frontier.db"}
            log = await finished(await scrapy("kinds", settings, start=web.seed_url, notes=file, stats=stats))
            assert ["memory", web.url(0, "/page/5")] in notes(file)
            assert any(one[1] == "6" for one in notes(file))
            counts = json.loads(stats.read_text())
            assert counts["scheduler/unserializable"] == 2
            assert counts["scheduler/enqueued/memory"] == counts["scheduler/dequeued/memory"] == 2
            assert counts["dupefilter/filtered"] == 2
            assert log.count("cannot be kept and stays in memory") == 1
            assert web.ledger.summary()["politeness_violations"] == 0

    asyncio.run(crawl())


def test_retry_after_and_crawl_delay_are_heeded(tmp_path: Path) -> None:
    async def crawl() -> None:
        async with CountingWeb(delay=DELAY) as web:
            starts = " ".join(web.url(f"{manner}-s") for manner in ("plain", "patient", "busy", "slow"))
            settings = {"AFRESH_FRONTIER": tmp_path / "frontier.db", "ROBOTSTXT_OBEY": True}
            both = [await scrapy("follow", settings, start=starts) for _ in range(2)]
            for process in both:
                await finished(process)
            assert web.breaches() == []
            assert web.trespasses() == []
            for site in ("plain-s", "patient-s", "busy-s", "slow-s"):
                assert web.got(site, "/p1"), site
                assert web.got(site, "/p2"), site

    asyncio.run(crawl())


def test_revisits_learn_how_often_pages_change(tmp_path: Path) -> None:
    async def crawl() -> None:
        async with CrawlWeb(sites=2, pages=3, polite_delay=DELAY, crawl_delay=DELAY) as web:
            learning = {"hygiene.shortest_revisit": "1s", "hygiene.longest_revisit": "1s"}
            settings: dict[str, object] = {"AFRESH_FRONTIER": tmp_path / "frontier.db", "ROBOTSTXT_OBEY": True}
            settings |= {"AFRESH_REVISIT": True, "AFRESH_SETTINGS": json.dumps(learning)}
            process = await scrapy("follow", settings, start=web.seed_url)
            pages = [web.url(site, f"/page/{page}") for site in range(2) for page in range(3)]
            await until(lambda: all(web.visits[page] >= 3 for page in pages))
            await finished(process, signal.SIGTERM)
            check_manners(web)
        from afresh.store.frontier import open_frontier

        store = open_frontier(tmp_path / "frontier.db")
        facts = store.page_facts("follow", "s0.localhost", pages[0])
        store.close()
        assert facts is not None
        assert facts.looks >= 1
        assert facts.changes == 0
        assert facts.content_hash

    asyncio.run(crawl())


def test_the_process_that_keeps_the_frontier_is_started_again(tmp_path: Path) -> None:
    async def crawl() -> None:
        async with CrawlWeb(sites=6, pages=8, polite_delay=DELAY, crawl_delay=DELAY) as web:
            settings = {"AFRESH_FRONTIER": tmp_path / "frontier.db", "ROBOTSTXT_OBEY": True}
            process = await scrapy("follow", settings, start=web.seed_url)
            await until(lambda: len(web.visits) > len(web.reachable) / 3)
            [child] = psutil.Process(process.pid).children()
            child.kill()
            log = await finished(process)
            assert "it is started again" in log
            assert not web.unvisited()
            check_manners(web)

    asyncio.run(crawl())


def test_a_frontier_that_cannot_be_opened_is_told(tmp_path: Path) -> None:
    async def crawl() -> None:
        (tmp_path / "frontier.db").write_text("this is no database, but a letter to a friend" * 100)
        settings = {"AFRESH_FRONTIER": tmp_path / "frontier.db"}
        _, log = await ended(await scrapy("follow", settings, start="http://s0.localhost/"), None)
        assert "is not a database; choose another file" in log

    asyncio.run(crawl())
