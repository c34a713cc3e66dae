"""The revisit engine of the daemon on a real store: prices and paces of sites, signals, sitemaps, bad input."""

import asyncio
import gzip
import math
import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from afresh.base.lazy import WhenUsed
from afresh.base.models import Kind, Resource, ResourceFilter, Result, Site, SiteState
from afresh.base.protocols import Fetcher, Store
from afresh.base.records.pages import SitePages, Waiting
from afresh.base.settings import Settings
from afresh.base.settings.sections import LoopSettings, PolitenessSettings, PredictSettings, RevisitSettings
from afresh.engine.add import Wanted, add
from afresh.engine.kinds import make_kinds
from afresh.engine.loop import Loop
from afresh.engine.visit import Concluder
from afresh.pages.announcements import Heralds
from afresh.pages.planner import PagePlanner
from afresh.pages.revisiting import Revisiting
from afresh.pages.site_plans import Replanner
from afresh.pages.sitemaps import Sitemaps
from afresh.parse.url import Sites
from afresh.store import open_store
from tests.fakes.fake_web import FakeWeb, HandClock, SteadyExecutor
from tests.fakes.gates import gate_to

DAY = 86_400.0
SETTINGS = Settings(
    politeness=PolitenessSettings(delay=5.0),
    loop=LoopSettings(flush=0.0),
    predict=PredictSettings(rule="fix:interval=1m"),
    revisit=RevisitSettings(pages_per_site=50),
)


class Engine:
    """The loop with its revisit engine, a fake web and time by hand; closing and opening it is a restart."""

    def __init__(self, folder: Path, *, price: float = 1_000.0, respect_robots: bool = False) -> None:
        self.path, self.clock, self.price = folder / "engine.db", HandClock(), price
        self.web = FakeWeb(self.clock)
        self.respect_robots = respect_robots
        self.open()

    def open(self) -> None:
        self.store: Store = open_store(str(self.path))
        self.pages = PagePlanner(SETTINGS.revisit)
        self.pages.resume(self.store)
        heralds = Heralds(self.store, self.pages)
        self.revisiting = Revisiting(
            Replanner(self.store, self.pages, lambda: self.price, SETTINGS.politeness.delay),
            heralds,
            Sitemaps(self.store, heralds, Sites(SETTINGS.politeness), SETTINGS.revisit),
        )
        self.kinds = make_kinds(SETTINGS, price=lambda _: self.price, pages=lambda: self.pages)

    def close(self) -> None:
        self.store.close()

    def add(self, *urls: str, kind: Kind = Kind.PAGE, weight: float = 1.0) -> None:
        wanted = [Wanted(url=url, kind=kind, weight=weight) for url in urls]
        settings = Settings(politeness=SETTINGS.politeness)
        assert not any(item.error for item in add(self.store, wanted, settings, now=self.clock.now()))

    def page(self, url: str, text: str, **headers: str) -> None:
        self.web.document(url, f"<p>{text}</p>".encode(), content_type="text/html", **headers)

    def run(self, seconds: float) -> Loop:
        end = self.clock.now() + seconds

        async def go() -> Loop:
            executor = SteadyExecutor(self.clock)
            fetcher: Fetcher = self.web
            if self.respect_robots:
                fetcher = gate_to(self.web, self.clock, SETTINGS.politeness, store=self.store, executor=executor)
            concluder = Concluder(SETTINGS, self.kinds, Sites(SETTINGS.politeness))
            loop = Loop(
                self.store, fetcher, concluder, settings=SETTINGS, clock=self.clock, executor=executor,
                rng=random.Random(1),
            )  # fmt: skip
            loop.companions.revisiting = WhenUsed(lambda: self.revisiting, store=self.store, part="pages")

            async def watch() -> None:
                while self.clock.now() < end:
                    await asyncio.sleep(0.001)
                loop.stop()

            watching = asyncio.create_task(watch())
            await loop.run()
            await watching
            executor.close()
            return loop

        return asyncio.run(go())

    def replan(self) -> None:
        while self.revisiting.replanner.step(self.clock.now()):
            pass

    def site(self, name: str) -> Site:
        site = self.store.site(name)
        assert site is not None
        return site

    def requests(self, prefix: str = "") -> list[tuple[float, str]]:
        return [(at, request.url) for at, request in self.web.requests if request.url.startswith(prefix)]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    made = Engine(tmp_path)
    yield made
    made.close()


# --- prices and paces of sites ---


def busy_site(pages: int, *, rate: float, weight: float = 1.0, **more: float) -> SitePages:
    row = np.array([weight, 4.0, 4.0 / rate])
    state = SiteState(answer=more.get("answer", 0.0), crawl_delay=more.get("crawl_delay"))
    return SitePages(
        site=1,
        delay=more.get("delay"),
        other=more.get("other", 0.0),
        next_allowed=0.0,
        state=state,
        pages=Waiting(
            ids=np.arange(pages),
            turn=np.arange(float(pages)),
            last=np.zeros(pages),
            hastened=np.zeros(pages),
            weight=np.full(pages, weight),
            shortest=np.full(pages, math.nan),
            longest=np.full(pages, math.nan),
            state_of=("belief",) * pages,
            state=np.tile(row, (pages, 1)),
        ),
    )


def with_pages(site: SitePages, **more: object) -> SitePages:
    return replace(site, pages=replace(site.pages, **more))  # type: ignore[arg-type]


def test_a_site_that_bears_less_than_its_pages_ask_for_has_a_price_of_its_own() -> None:
    planner = PagePlanner(RevisitSettings(shortest=1.0))
    easy = planner.plan_site(busy_site(10, rate=1 / DAY), price=1_000.0, delay=5.0)
    assert easy.price == 0.0
    full = planner.plan_site(busy_site(5_000, rate=24 / DAY), price=1_000.0, delay=5.0)
    assert full.frequency == pytest.approx(0.2)
    assert full.price > 1_000.0
    same = planner.plan_site(busy_site(5_000, rate=24 / DAY), price=10.0, delay=5.0)
    assert same.price == pytest.approx(full.price, rel=1e-3), "it does not depend on the price of all"
    slower = planner.plan_site(busy_site(5_000, rate=24 / DAY, answer=5.0, crawl_delay=15.0), price=1_000.0, delay=5.0)
    assert slower.frequency == pytest.approx(1 / 20.0), "slow answers and a Crawl-delay stretch the tick"
    shared = planner.plan_site(busy_site(5_000, rate=24 / DAY, other=0.1), price=1_000.0, delay=5.0)
    assert shared.frequency == pytest.approx(0.1), "feeds have their part"


@pytest.mark.parametrize(
    "site",
    [
        busy_site(3, rate=1e-300),
        busy_site(3, rate=1e30),
        busy_site(3, rate=1 / DAY, weight=0.0),
        busy_site(3, rate=1 / DAY, weight=-1.0),
        busy_site(3, rate=1 / DAY, weight=math.nan),
        busy_site(1, rate=1 / DAY),
        busy_site(3, rate=1 / DAY, delay=1e12),
        busy_site(3, rate=1 / DAY, delay=0.0),
        busy_site(3, rate=1 / DAY, other=1e9),
        with_pages(busy_site(3, rate=1 / DAY), state=np.tile([1.0, math.nan, math.inf], (3, 1))),
        with_pages(busy_site(3, rate=1 / DAY), state_of=("mavsync",) * 3),
    ],
)
def test_every_site_gets_a_plan_that_can_be_kept(site: SitePages) -> None:
    for price in (1e-6, 1_000.0, 1e9):
        plan = PagePlanner().plan_site(site, price=price, delay=5.0)
        assert math.isfinite(plan.frequency)
        assert plan.frequency >= 0.0
        assert plan.price == 0.0 or plan.price >= price
        if not np.any(site.pages.weight > 0.0):
            assert plan.frequency == 0.0


def test_requests_to_a_saturated_site_keep_their_distance_and_all_pages_get_their_turn(engine: Engine) -> None:
    urls = [f"https://full.example/{n}" for n in range(20)]
    engine.price = 1e-9
    engine.add(*urls)
    for url in urls:
        engine.page(url, "x")
    engine.run(105)
    engine.replan()
    assert engine.site("full.example").state.price > engine.price
    engine.run(180)
    times = [at for at, _ in engine.requests()]
    assert all(later - earlier >= 5.0 for earlier, later in pairwise(times))
    assert len(times) > 35
    visits = [engine.store.get(url).counters.ok for url in urls]
    assert min(visits) >= 2
    assert max(visits) - min(visits) <= 3, visits


def test_a_change_of_the_price_moves_every_page_without_writing_one(engine: Engine) -> None:
    urls = [f"https://calm.example/{n}" for n in range(10)]
    engine.add(*urls)
    for url in urls:
        engine.page(url, "x")
    engine.run(60)
    engine.replan()
    before = {url: engine.store.get(url) for url in urls}
    pace = engine.site("calm.example").state.frequency
    engine.price *= 100.0
    assert engine.revisiting.replanner.is_due(engine.clock.now())
    engine.replan()
    assert engine.site("calm.example").state.frequency < pace / 5
    for url, page in before.items():
        assert (engine.store.get(url).turn, engine.store.get(url).due) == (page.turn, page.due)
    assert not engine.revisiting.replanner.is_due(engine.clock.now())
    assert engine.revisiting.replanner.is_due(engine.clock.now() - 10.0), "a clock that went back"


def test_what_all_pages_have_shown_survives_a_restart(engine: Engine) -> None:
    engine.add("https://a.example/")
    for turn in range(4):
        engine.page("https://a.example/", f"version {turn}")
        engine.clock.advance(2 * DAY)
        engine.run(60)
    before = engine.pages.rate(np.zeros(6))
    assert before > 2 * PagePlanner().rate(np.zeros(6)), "new pages start from what the others do"
    engine.close()
    engine.open()
    assert engine.pages.rate(np.zeros(6)) == before
    engine.store.put_setting("revisit.world", '["nonsense", NaN]')
    engine.close()
    engine.open()
    assert engine.pages.rate(np.zeros(6)) == PagePlanner().rate(np.zeros(6))


def test_a_crawl_delay_holds_across_a_restart(tmp_path: Path) -> None:
    engine = Engine(tmp_path, price=1e-9, respect_robots=True)
    urls = [f"https://slow.example/{n}" for n in range(3)]
    engine.add(*urls)
    engine.web.document(
        "https://slow.example/robots.txt", b"User-agent: *\nCrawl-delay: 20\n", content_type="text/plain"
    )
    for url in urls:
        engine.page(url, "x")
    engine.run(90)
    assert engine.site("slow.example").state.crawl_delay == 20.0
    engine.close()
    engine.open()
    engine.run(180)
    times = [at for at, url in engine.requests() if not url.endswith("robots.txt")]
    assert len(times) >= 6
    assert all(later - earlier >= 20.0 for earlier, later in pairwise(times))
    engine.close()


def test_a_crawl_delay_too_long_to_wait_for_goes_through_the_queue(tmp_path: Path) -> None:
    engine = Engine(tmp_path, respect_robots=True)
    engine.add("https://slow.example/a")
    engine.web.document(
        "https://slow.example/robots.txt", b"User-agent: *\nCrawl-delay: 3600\n", content_type="text/plain"
    )
    engine.page("https://slow.example/a", "x")
    engine.run(60)
    assert engine.store.get("https://slow.example/a").last_result is Result.THROTTLED
    assert engine.site("slow.example").next_allowed >= engine.clock.now() + 3_000
    engine.close()


def test_pages_that_robots_forbids_are_not_asked_for(tmp_path: Path) -> None:
    engine = Engine(tmp_path, respect_robots=True)
    engine.add("https://shy.example/private")
    engine.web.document(
        "https://shy.example/robots.txt", b"User-agent: *\nDisallow: /private\n", content_type="text/plain"
    )
    engine.run(60)
    assert engine.store.get("https://shy.example/private").last_result is Result.REFUSED
    assert [url for _, url in engine.requests()] == ["https://shy.example/robots.txt"]
    engine.close()


# --- signals ---


def entries(*links: str) -> bytes:
    items = "".join(f"<item><title>{link}</title><link>{link}</link><guid>{link}</guid></item>" for link in links)
    return f"<rss version='2.0'><channel><title>T</title>{items}</channel></rss>".encode()


def test_a_new_entry_brings_the_page_it_links_to_forward(engine: Engine) -> None:
    engine.add("https://blog.example/a", "https://blog.example/b")
    engine.add("https://feeds.example/feed", kind=Kind.FEED)
    for name in ("a", "b"):
        engine.page(f"https://blog.example/{name}", "x")
    engine.web.document("https://feeds.example/feed", entries("https://blog.example/old"))
    engine.run(60)
    assert [url for _, url in engine.requests("https://blog.example/")].count("https://blog.example/a") == 1
    engine.web.document("https://feeds.example/feed", entries("https://blog.example/a", "https://blog.example/old"))
    engine.page("https://blog.example/a", "changed")
    engine.run(80)
    asked = [url for _, url in engine.requests("https://blog.example/")]
    assert asked.count("https://blog.example/a") == 2, "visited at once"
    assert asked.count("https://blog.example/b") == 1
    counts = engine.store.pages.signals("blog.example")["feed"]
    assert (counts.announced_changes, counts.false_alarms) == (1.0, 0.0)


def test_a_signal_is_believed_as_far_as_it_proved_true(engine: Engine) -> None:
    engine.add("https://a.example/")
    engine.page("https://a.example/", "x")
    engine.run(30)
    page = engine.store.get("https://a.example/")
    heralds = engine.revisiting.heralds
    worths = []
    for _ in range(6):
        assert heralds.announce(["https://A.example:443/"], signal="ping", now=engine.clock.now()) == 1
        engine.run(30)  # visited, and nothing had changed
        worths.append(heralds.worth(page, engine.store.pages.signals("a.example")["ping"]))
        engine.store.update(page.id, due=engine.clock.now())
    assert engine.store.pages.signals("a.example")["ping"].false_alarms >= 1.0
    assert worths[-1] < worths[0]
    assert heralds.announce(["no url at all", "https://unknown.example/"], signal="ping", now=0.0) == 0


def test_an_announced_change_says_when_and_not_only_that(engine: Engine) -> None:
    now = engine.clock.now()
    page = Resource(id=1, url="u", site="s", kind=Kind.PAGE, last_ok=now - 300 * DAY)
    by_chance, told = PagePlanner(), PagePlanner()
    rate = by_chance.rate(by_chance.learn(page, now=now, changed=True))
    announced = told.rate(told.learn(replace(page, announced={"feed": 1}), now=now, changed=True))
    assert announced < rate, "three hundred quiet days went before it"


# --- sitemaps ---


def urlset(*pages: str) -> bytes:
    listed = "".join(f"<url>{page}</url>" for page in pages)
    return (
        f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</urlset>'.encode()
    )


def index(*sitemaps: str) -> bytes:
    listed = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in sitemaps)
    return f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</sitemapindex>'.encode()


def watched(engine: Engine, kind: Kind = Kind.PAGE) -> set[str]:
    return {resource.url for resource in engine.store.iterate(ResourceFilter(kind=kind))}


def test_a_site_is_read_from_robots_through_an_index_to_packed_sitemaps(engine: Engine) -> None:
    root = "https://docs.example"
    engine.web.document(f"{root}/robots.txt", b"User-agent: *\nSitemap: /index.xml\n", content_type="text/plain")
    engine.web.document(f"{root}/index.xml", index(f"{root}/a.xml.gz", f"{root}/b.xml", "https://victim.example/c.xml"))
    packed = urlset(
        f"<loc>{root}/1</loc><changefreq>hourly</changefreq>", f"<loc>{root}/2</loc><priority>0.1</priority>"
    )
    engine.web.document(f"{root}/a.xml.gz", gzip.compress(packed))
    engine.web.document(f"{root}/b.xml", urlset(f"<loc>{root}/3</loc>", "<loc>https://victim.example/x</loc>"))
    engine.add(root, kind=Kind.SITEMAP)
    engine.run(60)
    assert watched(engine) == {f"{root}/{n}" for n in (1, 2, 3)}
    assert watched(engine, Kind.SITEMAP) == {f"{root}/{n}" for n in ("robots.txt", "index.xml", "a.xml.gz", "b.xml")}
    rates = {n: engine.pages.rate(engine.pages.row(engine.store.get(f"{root}/{n}"))) for n in (1, 2, 3)}
    assert rates[1] > rates[3] > rates[2], "what the owner says is a weak prior"
    times = [at for at, _ in engine.requests()]
    assert all(later - earlier >= 5.0 for earlier, later in pairwise(times))


def test_lastmod_announces_changes(engine: Engine) -> None:
    page, sitemap = "https://docs.example/1", "https://docs.example/sitemap.xml"
    engine.web.document(sitemap, urlset(f"<loc>{page}</loc><lastmod>1970-01-10</lastmod>"))
    engine.page(page, "x")
    engine.add(sitemap, kind=Kind.SITEMAP)
    engine.run(60)
    assert len(engine.requests(page)) == 1
    engine.clock.advance(2 * 3600)
    engine.page(page, "y")
    stamp = "1970-01-12T15:46:40Z"  # just before the hand clock's present
    engine.web.document(sitemap, urlset(f"<loc>{page}</loc><lastmod>{stamp}</lastmod>"))
    engine.store.update(engine.store.get(sitemap).id, due=engine.clock.now())
    engine.run(60)
    assert len(engine.requests(page)) == 2
    assert engine.store.pages.signals("docs.example")["sitemap"].announced_changes == 1.0


def test_a_hostile_sitemap_is_bounded(engine: Engine) -> None:
    root = "https://many.example"
    engine.web.document(f"{root}/s.xml", urlset(*(f"<loc>{root}/{n}</loc>" for n in range(2_000))))
    engine.web.document(f"{root}/0.xml", index(*(f"{root}/{n}.xml" for n in range(1, 9))))
    for n in range(1, 9):
        engine.web.document(f"{root}/{n}.xml", index(f"{root}/{n + 10}.xml", f"{root}/0.xml"))
        engine.web.document(f"{root}/{n + 10}.xml", index(f"{root}/{n + 100}.xml"))
    engine.add(f"{root}/s.xml", f"{root}/0.xml", kind=Kind.SITEMAP)
    engine.run(150)
    assert len(watched(engine)) <= SETTINGS.revisit.pages_per_site
    assert f"{root}/101.xml" not in watched(engine, Kind.SITEMAP), "three levels are enough"
    engine.web.document(f"{root}/s.xml", b"<urlset>" + b"<url>" * 1000)
    engine.store.update(engine.store.get(f"{root}/s.xml").id, due=engine.clock.now())
    engine.run(30)
    assert engine.store.get(f"{root}/s.xml").last_result in (Result.UNPARSABLE, Result.NEW)


# --- odd pages through the loop ---


def test_a_page_of_no_weight_and_a_jumping_clock(engine: Engine) -> None:
    engine.add("https://a.example/1", "https://a.example/2")
    for n in (1, 2):
        engine.page(f"https://a.example/{n}", "x")
    engine.store.update(engine.store.get("https://a.example/1").id, weight=0.0)
    engine.run(30)
    idle = engine.store.get("https://a.example/1")
    assert (idle.due, idle.turn) == (math.inf, None), "one visit, then never again"
    engine.clock.advance(-DAY)
    engine.store.update(engine.store.get("https://a.example/2").id, due=engine.clock.now())
    engine.clock.advance(2 * DAY)
    engine.run(30)
    page = engine.store.get("https://a.example/2")
    assert page.counters.failures == 0
    assert np.all(np.isfinite(page.state))
    told = engine.kinds[page.kind].explain(page, now=engine.clock.now(), site=engine.site("a.example"), signals={})
    wanted = {"rate_per_day", "evidence", "price", "site_price", "expected_freshness", "fresh_now", "turns_ahead"}
    assert wanted <= set(told.numbers)
