"""Links in the loop: judged, recorded, told; revisited sooner in trouble and later in peace; probed politely."""

import asyncio
import random
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest

from afresh.base.errors import StoreBusy
from afresh.base.lazy import WhenUsed
from afresh.base.models import Failure, Kind, Outcome, Report
from afresh.base.protocols import Store
from afresh.base.records.links import CheckStatus, LinkEvent, Standing, Turned
from afresh.base.settings import Settings
from afresh.base.settings.sections import LinkSettings, LoopSettings, PolitenessSettings
from afresh.engine.add import Wanted, add
from afresh.engine.kinds import make_kinds
from afresh.engine.link_visits import LinkVisits
from afresh.engine.loop import Loop
from afresh.engine.visit import Concluder
from afresh.links.answers import Checked
from afresh.links.checker import PROBE_PATH
from afresh.links.judge import LinkJudge, Seen
from afresh.links.verdicts.model import default_model
from afresh.parse.url import Sites
from afresh.store import open_store
from tests.fakes.fake_web import FakeWeb, HandClock, SteadyExecutor
from tests.fakes.gates import gate_to

URL = "https://town.example/harbour"
PROSE = "The harbour was rebuilt in stone after the storm, and the council printed the plans for everybody to see. " * 6
GOOD = f"<title>Harbour plans</title><h1>Harbour plans</h1><p>{PROSE}</p>".encode()
PARKED = b"<title>town.example is for sale</title><h1>This domain is for sale</h1><p>Buy this domain now</p>"
SHOP = b"<title>Everything</title><h1>Our shop</h1><p>We could not find that. Have a look at these offers instead.</p>"
LINKS = LinkSettings(shortest=60.0, longest=600.0)
SETTINGS = Settings(politeness=PolitenessSettings(delay=5.0), loop=LoopSettings(flush=0.0), links=LINKS)


class Told(WhenUsed[Any]):
    """A courier that counts how often it is woken."""

    def __init__(self, store: Store) -> None:
        super().__init__(lambda: self, store=store, part="notices")
        self.made, self.pokes, self._stopped = self, 0, asyncio.Event()

    def poke(self) -> None:
        self.pokes += 1

    def stop(self) -> None:
        self._stopped.set()

    async def run(self) -> None:
        await self._stopped.wait()


class Watching:
    """A loop over one store with a fake web."""

    def __init__(self, folder: Path, *urls: str) -> None:
        self.clock = HandClock()
        self.web = FakeWeb(self.clock)
        self.store: Store = open_store(str(folder / "links.db"))
        self.pokes = 0
        self.events: list[LinkEvent] = []
        record = self.store.record

        def recording(reports: Sequence[Report]) -> list[bool]:
            self.events += [report.link.event for report in reports if report.link and report.link.event]
            return record(reports)

        self.store.record = recording  # type: ignore[method-assign]
        add(
            self.store,
            [Wanted(url=url, kind=Kind.LINK) for url in urls],
            Settings(politeness=SETTINGS.politeness),
            now=self.clock.now(),
        )

    def run(self, seconds: float) -> None:
        end = self.clock.now() + seconds

        async def go() -> None:
            executor = SteadyExecutor(self.clock)
            sites = Sites(SETTINGS.politeness)
            judge = LinkJudge(self.store.links, LINKS, model=lambda _: default_model())
            gate = gate_to(
                self.web, self.clock, SETTINGS.politeness, store=self.store, executor=executor, heeds_robots=False
            )
            visits = LinkVisits(judge, gate, links=self.store.links, clock=self.clock, site_of=sites.of)
            concluder = Concluder(SETTINGS, make_kinds(SETTINGS, checks=lambda: visits), sites)
            loop = Loop(
                self.store, gate, concluder, settings=SETTINGS, clock=self.clock, executor=executor,
                rng=random.Random(1),
            )  # fmt: skip
            loop.companions.courier = told = Told(self.store)

            async def watch() -> None:
                while self.clock.now() < end:
                    await asyncio.sleep(0.001)
                loop.stop()

            watching = asyncio.create_task(watch())
            await loop.run()
            await watching
            executor.close()
            self.pokes += told.pokes

        asyncio.run(go())

    def asked(self, url: str = URL) -> list[float]:
        return [at for at, request in self.web.requests if request.url == url]


def html(web: FakeWeb, url: str, body: bytes) -> None:
    web.document(url, body, content_type="text/html")


def test_a_parked_page_is_found_recorded_and_told_once(tmp_path: Path) -> None:
    watching = Watching(tmp_path, URL)
    html(watching.web, URL, GOOD)
    watching.run(30)
    [link] = watching.store.links.list_links()
    assert (link.state.standing, link.state.status, link.title) == (Standing.OK, CheckStatus.NEW, "Harbour plans")
    assert (watching.events, watching.pokes) == ([], 0)
    html(watching.web, URL, PARKED)
    watching.run(900)
    [link] = watching.store.links.list_links()
    assert (link.state.standing, link.state.turned) == (Standing.BROKEN, Turned.PARKED)
    [event] = watching.events
    assert watching.pokes == 1  # whoever tells of it is woken
    assert (event.url, event.before, event.after, event.turned) == (URL, Standing.OK, Standing.BROKEN, Turned.PARKED)
    checks = watching.store.links.link_checks(link.id)
    assert len(checks) == len(watching.asked()) >= 2
    assert {request.accept.partition(",")[0] for _, request in watching.web.requests} == {"text/html"}
    watching.store.close()


def test_links_to_parts_of_a_page_cost_one_request(tmp_path: Path) -> None:
    parts = [URL, URL + "#plans", URL + "#quay", URL + "#/route", URL + "#gid=0"]
    watching = Watching(tmp_path, *parts)
    html(watching.web, URL, GOOD.replace(b"<h1>", b"<h1 id=plans>"))
    watching.run(30)
    links = watching.store.links.list_links()
    assert [link.url for link in links] == parts
    assert [link.state.status for link in links] == [
        CheckStatus.NEW,
        CheckStatus.NEW,
        CheckStatus.FRAGMENT_MISSING,
        CheckStatus.NEW,  # a script's own business
        CheckStatus.NEW,
    ]
    assert len(watching.asked()) == 1 == len(watching.web.requests)
    assert all(link.state.reference and not link.state.is_candidate for link in links)
    html(watching.web, URL, PARKED)
    watching.run(900)
    links, checks = watching.store.links.list_links(), watching.store.links.link_checks
    assert {link.state.turned for link in links} == {Turned.PARKED}
    assert {len(checks(link.id)) for link in links} == {len(watching.asked())} == {2}
    watching.store.close()


def test_a_part_that_somebody_accepted_without_is_not_missed(tmp_path: Path) -> None:
    watching = Watching(tmp_path, URL + "#quay")
    html(watching.web, URL, GOOD)
    watching.run(30)
    [link] = watching.store.links.list_links()
    assert (link.state.standing, link.state.detail) == (Standing.BROKEN, "no part of it is called #quay")
    watching.store.links.accept_version(link.id, by="ada", now=watching.clock.now())
    watching.run(1800)
    [link] = watching.store.links.list_links()
    assert (len(watching.asked()) > 1, link.state.status) == (True, CheckStatus.EQUAL)
    watching.store.close()


def test_the_interval_grows_in_peace_and_shrinks_after_trouble(tmp_path: Path) -> None:
    watching = Watching(tmp_path, URL)
    link_rule = LINKS.bounds
    html(watching.web, URL, GOOD)
    watching.run(1800)
    gaps = [b - a for a, b in pairwise(watching.asked())]
    assert all(link_rule.shortest <= gap <= link_rule.longest + 5 for gap in gaps)
    assert gaps == sorted(gaps) or gaps[-1] == pytest.approx(link_rule.longest, abs=5)
    before = len(watching.asked())
    watching.web.failure(URL, Failure.TIMEOUT)
    watching.run(1000)
    assert len(watching.asked()) > before
    [link] = watching.store.links.list_links()
    assert (link.state.standing, link.state.status) == (Standing.SUSPECT, CheckStatus.NET_TIMEOUT)
    watching.store.close()


def test_a_site_that_answers_anything_is_probed_once_with_a_pause(tmp_path: Path) -> None:
    other = "https://town.example/mill"
    watching = Watching(tmp_path, URL, other)
    missing = SHOP.replace(b"Everything", b"Page not found")
    for url in (URL, other, "https://town.example" + PROBE_PATH):
        html(watching.web, url, missing)
    watching.run(120)
    probes = watching.asked("https://town.example" + PROBE_PATH)
    assert len(probes) == 1
    times = sorted(at for at, _ in watching.web.requests)
    assert all(b - a >= 5.0 for a, b in pairwise(times))
    assert {link.state.turned for link in watching.store.links.list_links()} == {Turned.SOFT_404}
    assert all(link.state.is_candidate for link in watching.store.links.list_links())
    watching.store.close()


def test_a_permanent_redirect_is_offered_not_followed(tmp_path: Path) -> None:
    watching = Watching(tmp_path, URL)
    target = "https://town.example/port"
    watching.web.moved(URL, target, GOOD)
    watching.run(600)
    [link] = watching.store.links.list_links()
    assert (link.url, link.state.standing, link.state.new_url) == (URL, Standing.MOVED, target)
    assert link.state.reference is not None
    watching.store.close()


def test_a_busy_store_does_not_cost_the_answer_of_the_probe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watching = Watching(tmp_path, URL)
    html(watching.web, URL, SHOP)
    html(watching.web, urljoin(URL, PROBE_PATH), SHOP)
    judged: list[Seen | None] = []
    usual = LinkJudge.judge

    def busy_once(self: LinkJudge, resource: int, outcome: Outcome, seen: Seen | None = None) -> Checked:
        judged.append(seen)
        if len(judged) == 1:
            raise StoreBusy("links.db is locked by another process")
        return usual(self, resource, outcome, seen)

    monkeypatch.setattr(LinkJudge, "judge", busy_once)
    watching.run(30)
    assert judged[0] is not None
    assert judged[1] is judged[0]
    watching.store.close()


def test_a_page_that_went_elsewhere_stays_moved_while_it_says_the_same(tmp_path: Path) -> None:
    """Its server says 304 from then on, and what stands at the new address is not asked for again."""
    watching = Watching(tmp_path, URL)
    html(watching.web, URL, GOOD)
    watching.run(400.0)
    html(watching.web, URL, b"<title>Harbour</title><p>We have moved! New address: <a href='/plans'>the plans</a></p>")
    html(watching.web, urljoin(URL, "/plans"), GOOD)
    watching.web.status(urljoin(URL, PROBE_PATH), 404)
    watching.run(700.0)
    before = watching.store.links.link(1).state
    assert (before.standing, before.new_url) == (Standing.MOVED, urljoin(URL, "/plans"))
    looks = len(watching.asked(urljoin(URL, "/plans")))
    watching.web.not_modified(URL)
    watching.run(1_500.0)
    after = watching.store.links.link(1).state
    assert watching.store.links.link_checks(1)[0].http == 304
    assert (after.standing, after.new_url, after.failures) == (Standing.MOVED, before.new_url, 0)
    assert len(watching.asked(urljoin(URL, "/plans"))) == looks
    assert [event.after for event in watching.events] == [Standing.MOVED]
    watching.store.close()


def test_a_site_that_is_back_after_maintenance_is_well_again(tmp_path: Path) -> None:
    """Its page has the ETag that it had before; "as it was" must not be said of the excuse that was kept meanwhile."""
    watching = Watching(tmp_path, URL)
    good = {"content_type": "text/html", "etag": '"1"'}
    watching.web.document(URL, GOOD, **good)
    watching.run(400.0)
    assert watching.store.get(1).validators.etag == '"1"'
    down = b"<title>Maintenance</title><h1>Down for maintenance</h1><p>We will be back shortly.</p>"
    watching.web.document(URL, down, content_type="text/html", etag='"2"')
    watching.run(700.0)
    assert watching.store.links.link(1).state.turned is Turned.MAINTENANCE
    assert watching.store.get(1).validators.etag == '"2"'
    watching.web.document(URL, GOOD, **good)
    watching.run(8_000.0)
    assert watching.store.links.link(1).state.standing is Standing.OK
    watching.store.close()
