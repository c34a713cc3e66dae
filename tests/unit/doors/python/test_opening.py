"""The door for programs: what REST and commands say, said to Python."""

import asyncio
import time
from pathlib import Path

import pytest

import afresh
from afresh.base.errors import ConfigError, ResourceNotFound, UsageError
from afresh.base.records.frontier import PageReport, SiteReport
from tests.laws.store_material import entry, report

FEED = "https://example.org/feed.xml"


def found(a: afresh.Afresh, *titles: str) -> None:
    now = time.time() + 1_000.0 * len(titles)  # each time later than the pause of the site
    [lease] = a.store.lease(holder="t", now=now, until=now + 60.0, limit=1)
    a.store.record([report(lease, now, due=0.0, entries=tuple(entry(title, published=now) for title in titles))])


def test_entries_are_read_on_from_where_one_stopped(tmp_path: Path) -> None:
    with afresh.open(tmp_path / "afresh.db") as a:
        a.add(FEED)
        found(a, "one", "two")
        seen = list(a.entries())
        assert [one.title for one in seen] == ["one", "two"]
        found(a, "three", "four", "five")
        assert [one.title for one in a.entries(after=seen[-1].seq)] == ["three", "four", "five"]
        assert [one.title for one in a.entries(of=FEED)] == ["one", "two", "three", "four", "five"]
        assert len(a.visits(FEED)) == 2


def test_what_is_watched_is_listed_explained_and_removed(tmp_path: Path) -> None:
    with afresh.open(tmp_path / "afresh.db") as a:
        first = a.add(FEED, tags=["news"], folder="Papers")
        a.add("https://example.org/page", kind="page")
        assert not a.add(FEED).is_new
        assert [one.url for one in a.resources(kind="page")] == ["https://example.org/page"]
        assert a.resource(FEED).tags == ("news",)
        assert a.why(first.id or 0).url == FEED
        a.poll(FEED)
        assert a.remove(FEED) == 1
        with pytest.raises(ResourceNotFound):
            a.why(FEED)


def test_what_cannot_be_is_refused_in_words(tmp_path: Path) -> None:
    with afresh.open(tmp_path / "afresh.db") as a:
        with pytest.raises(UsageError, match="no URL at all"):
            a.add("no URL at all")
        with pytest.raises(UsageError, match=r"fetch\.allowed_networks"):
            a.add("http://127.0.0.1/feed")
        with pytest.raises(UsageError, match="'podcast' is none of feed, page"):
            a.add(FEED, kind="podcast")
        assert list(a.resources()) == []
    with pytest.raises(ConfigError, match=r"politeness\.dely"):
        afresh.open(tmp_path / "afresh.db", politeness__dely="5s")


def test_a_frontier_is_opened_again_and_what_was_leased_is_reported(tmp_path: Path) -> None:
    settings = {"frontier__url": str(tmp_path / "frontier.db")}
    with afresh.open(tmp_path / "afresh.db", **settings) as a:
        a.frontier.add(["https://example.org/"])
        [site] = a.frontier.lease()
    with afresh.open(tmp_path / "afresh.db", **settings) as a:
        done = SiteReport(site.lease, site.name, [PageReport(page.url) for page in site.pages])
        assert a.frontier.report([done]).visited == 1


def test_a_frontier_works_where_an_event_loop_runs_already(tmp_path: Path) -> None:
    """As in a notebook."""

    async def crawl() -> None:
        with afresh.open(tmp_path / "afresh.db", frontier__url=str(tmp_path / "frontier.db")) as a:
            imported = a.frontier.add(["https://example.org/", "https://example.org/about", "mailto:a@example.org"])
            assert (imported.urls, imported.refused) == (2, 1)
            [site] = a.frontier.lease(pages=10)
            assert not a.frontier.lease()
            done = SiteReport(site.lease, site.name, [PageReport(page.url) for page in site.pages])
            assert a.frontier.report([done], key="k").visited == 2
            assert a.frontier.report([done], key="k").repeated
            assert a.frontier.stats().visited == 2

    asyncio.run(crawl())
