"""All hosts of a registrable domain share what its sitemaps may add."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from afresh.base.models import Kind, NewResource, Report, Resource, ResourceFilter, Result, Visit
from afresh.base.protocols import Store
from afresh.base.records.pages import ListedPage
from afresh.base.settings.sections import PolitenessSettings, RevisitSettings
from afresh.pages import sitemap_limits as sitemap_room
from afresh.pages.announcements import Heralds
from afresh.pages.planner import PagePlanner
from afresh.pages.sitemap_limits import Room
from afresh.pages.sitemaps import Sitemaps, new_sitemap
from afresh.parse.url import Sites
from afresh.store import open_store

SETTINGS = RevisitSettings(pages_per_site=20, pages_per_domain=50)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(str(tmp_path / "room.db"))
    yield opened
    opened.close()


def follow(store: Store, source: str, *, pages: list[str] | None = None, sitemaps: list[str] | None = None) -> int:
    sites = Sites(PolitenessSettings())
    store.add([new_sitemap(source, sites.of(source))], now=0.0)
    reader = Sitemaps(store, Heralds(store, PagePlanner(SETTINGS)), sites, SETTINGS)
    report = report_of(
        store.get(source),
        listed=tuple(ListedPage(url=url) for url in pages or ()),
        sitemaps=tuple(ListedPage(url=url) for url in sitemaps or ()),
    )
    return reader.follow(report, now=1.0)


def report_of(source: Resource, **what: tuple[ListedPage, ...]) -> Report:
    visit = Visit(resource=source.id, started=0.0, finished=1.0, result=Result.NEW)
    return Report(lease=0, resource=source, visit=visit, next_allowed=0.0, **what)  # type: ignore[arg-type]


def pages(store: Store) -> list[str]:
    return [resource.url for resource in store.iterate(ResourceFilter(kind=Kind.PAGE))]


def test_a_wildcard_domain_has_the_room_of_one_domain(store: Store) -> None:
    listed = [f"https://h{host}.wild.org/{page}" for host in range(100) for page in range(10)]
    assert follow(store, "https://h0.wild.org/s.xml", pages=listed) == SETTINGS.pages_per_domain - 1
    assert follow(store, "https://h77.wild.org/s.xml", pages=listed[500:]) == 0, "another host, the same domain"
    assert follow(store, "https://tame.org/s.xml", pages=["https://tame.org/1"]) == 1, "a stranger has its own"


def test_a_site_keeps_its_own_bound_within_the_domain(store: Store) -> None:
    many = [f"https://a.wild.org/{page}" for page in range(100)]
    assert follow(store, "https://b.wild.org/s.xml", pages=[*many, "https://c.wild.org/"]) == 21


def test_what_is_known_takes_no_room_twice(store: Store) -> None:
    listed = [f"https://h{host}.wild.org/" for host in range(30)]
    assert follow(store, "https://h0.wild.org/s.xml", pages=listed) == 30
    assert follow(store, "https://h0.wild.org/s.xml", pages=listed) == 0
    assert follow(store, "https://h0.wild.org/s.xml", pages=["https://new.wild.org/"]) == 1


def test_removed_pages_make_room_again(store: Store) -> None:
    follow(store, "https://h.wild.org/s.xml", pages=[f"https://h{n}.wild.org/" for n in range(80)])
    store.remove([resource.id for resource in store.iterate(ResourceFilter(kind=Kind.PAGE))])
    assert follow(store, "https://h.wild.org/s.xml", pages=["https://again.wild.org/"]) == 1


def test_sitemaps_are_counted_by_domain(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemap_room, "SITEMAPS", 8)
    monkeypatch.setattr("afresh.pages.sitemaps.SITEMAPS", 1_000)
    named = [f"https://h{n}.wild.org/s.xml" for n in range(40)]
    assert follow(store, "https://h.wild.org/robots.txt", sitemaps=named[:6]) == 6
    assert follow(store, "https://h1.wild.org/index.xml", sitemaps=named[6:]) == 0, "eight with the two that told"


def test_sites_are_counted_by_domain(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemap_room, "SITES", 4)
    listed = [f"https://h{n}.wild.org/" for n in range(40)]
    assert follow(store, "https://h.wild.org/s.xml", pages=listed) == 3
    named = [f"https://m{n}.wild.org/s.xml" for n in range(40)]
    assert follow(store, "https://h.wild.org/s.xml", sitemaps=named) == 0


def test_sites_that_are_gone_are_forgotten(store: Store) -> None:
    store.put_setting("sitemaps.sites/wild.org", json.dumps([f"gone{n}.wild.org" for n in range(1_000)]))
    store.add([NewResource(url="https://a.wild.org/", site="a.wild.org", kind=Kind.PAGE)], now=0.0)
    room = Room(store, "wild.org", "a.wild.org", SETTINGS)
    room.keep()
    assert json.loads(store.get_setting("sitemaps.sites/wild.org") or "") == ["a.wild.org"]
