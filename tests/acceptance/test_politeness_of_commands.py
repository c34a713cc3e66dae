"""Politeness as the other side counts it, for every command that fetches.

Real processes ask a web that keeps account (``tests/fakes/counting_web``): a site with a Crawl-delay, a slow one, one
that answers 429 with Retry-After, one whose robots.txt cannot be read at first, one whose pages look alike whether
they exist or not, one that redirects; all with a path that robots.txt forbids. All commands run side by side, each on
sites of its own. Nothing may come closer than a site's pause, nothing forbidden may be asked for, and no page may be
given up because robots.txt could not be read.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import pytest

from tests.fakes.counting_web import CountingWeb
from tests.fakes.ending import ended
from tests.fakes.postgres import drop_database, postgres_url

DELAY = 0.5
MANNERS = ("plain", "patient", "slow", "busy", "unsure", "moving")
SETTINGS = {
    "fetch.allowed_networks": "127.0.0.0/8;::1/128",
    "politeness.delay": f"{DELAY}s",
    "politeness.trouble_wait": "1s",
    "errors.first_wait": "1s",
    "predict.shortest": "1s",
    "predict.standard": "1s",
    "predict.longest": "2s",
    "revisit.shortest": "1s",
    "revisit.second_look": "1s",
    "links.shortest": "1s",
    "links.longest": "2s",
}
PATIENCE = 400.0  # seconds until a daemon that has not seen all its pages is given up; a first start compiles long

#: All commands run while the first test waits for them; on one worker, so that they run once.
pytestmark = [pytest.mark.timeout(4 * PATIENCE), pytest.mark.xdist_group("politeness")]


@dataclass(repr=False)
class Told:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str


@dataclass(repr=False)
class Town:
    """The web, where commands leave their files, and what they said."""

    web: CountingWeb
    folder: Path
    told: dict[str, Told] = field(default_factory=dict)

    def sites(self, command: str, manners: Sequence[str] = MANNERS) -> list[str]:
        return [f"{manner}-{command}" for manner in manners]

    async def start(self, *arguments: str) -> asyncio.subprocess.Process:
        settings = [f"--set={name}={value}" for name, value in SETTINGS.items()]
        clean = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("AFRESH_") and not name.lower().endswith("_proxy")
        }
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", "afresh", *settings, *arguments,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, cwd=self.folder, env=clean,
        )  # fmt: skip

    async def run(self, *arguments: str) -> Told:
        process = await self.start(*arguments)
        out, err = await ended(process, None, within=2 * PATIENCE)
        assert process.returncode is not None
        return Told(process.returncode, out, err)

    async def watch(self, command: str, store: str, wanted: Sequence[tuple[str, str]], *, daemons: int = 1) -> None:
        """``afresh run`` until every page was seen twice over, or patience ends."""
        running = [await self.start("--store", store, "run", "--port", "0", "--json") for _ in range(daemons)]
        for process in running:
            assert process.stderr is not None
            while b"watches" not in (line := await process.stderr.readline()):  # a first start compiles
                assert line, "the daemon has ended"
        talking = [asyncio.create_task(ended(process, None, within=2 * PATIENCE)) for process in running]
        try:
            async with asyncio.timeout(PATIENCE):
                while not all(self.web.got(site, path) for site, path in wanted):
                    await asyncio.sleep(0.2)
                await asyncio.sleep(3.0)  # some visits more
        except TimeoutError:
            pass
        for process in running:
            if process.returncode is None:
                process.send_signal(signal.SIGTERM)
        said = await asyncio.gather(*talking)
        code = max(process.returncode or 0 for process in running)
        self.told[command] = Told(code, said[0][0], "".join(err for _, err in said))


# --- the commands ---------------------------------------------------------------------------------------------------


async def check(town: Town) -> None:
    paths = ("/p1", "/p2", "/secret/a", "/door")
    urls = [town.web.url(site, path) for site in town.sites("check") for path in paths]
    urls += [town.web.url("soft-check", path) for path in ("/one", "/two", "/three")]
    urls += [town.web.url("moving-check", path) for path in ("/away1", "/away2")]
    town.told["check"] = await town.run("check", "--json", "--all", *urls)


async def discover(town: Town) -> None:
    sites = [town.web.url(site) for site in town.sites("discover")]
    pages = [town.web.url("patient-discover", "/p1"), town.web.url("plain-discover", "/p1")]
    town.told["discover"] = await town.run("discover", "--json", *sites, *pages)


async def sitemaps(town: Town) -> None:
    store = str(town.folder / "sitemap.db")
    named = town.sites("sitemap")
    imported = town.sites("import", ("patient", "unsure"))
    arguments = [argument for site in named for argument in ("--sitemap", town.web.url(site))]
    assert (await town.run("--store", store, "add", *arguments)).code == 0
    for site in imported:
        assert (await town.run("--store", store, "import", town.web.url(site, "/sitemap.xml"))).code == 0
    await town.watch("sitemap", store, [(site, path) for site in (*named, *imported) for path in ("/p1", "/p2")])


async def links(town: Town) -> None:
    store = str(town.folder / "links.db")
    sites = town.sites("links")
    urls = [town.web.url(site, path) for site in sites for path in ("/p1", "/p2", "/secret/a", "/door")]
    urls += [town.web.url("soft-links", path) for path in ("/one", "/two")]
    urls += [town.web.url("moving-links", path) for path in ("/away1", "/away2")]
    assert (await town.run("--store", store, "link", "add", *urls)).code == 0
    await town.watch("links", store, [(site, path) for site in sites for path in ("/p1", "/p2")])


async def _add_everything(town: Town, command: str, store: str) -> list[tuple[str, str]]:
    sites = town.sites(command)
    feeds = [town.web.url(site, f"/feed{number}.xml") for site in sites for number in (1, 2)]
    pages = [town.web.url(site, path) for site in sites for path in ("/p1", "/p2", "/secret/a")]
    kept = [town.web.url(site, path) for site in sites for path in ("/p3", "/door")]
    away = [town.web.url(f"moving-{command}", path) for path in ("/away1", "/away2")]
    assert (await town.run("--store", store, "add", "--kind", "page", *pages, *away)).code == 0
    assert (await town.run("--store", store, "add", *feeds)).code == 0
    assert (await town.run("--store", store, "link", "add", *kept)).code == 0
    return [(site, path) for site in sites for path in ("/p1", "/p2", "/p3", "/feed1.xml", "/feed2.xml")]


async def everything(town: Town) -> None:
    store = str(town.folder / "everything.db")
    alone = (("plain-door-run", "/fdoor"), ("patient-hop-run", "/fhop1.xml"))  # a site with one feed that leads on
    assert (await town.run("--store", store, "add", *(town.web.url(site, path) for site, path in alone))).code == 0
    wanted = await _add_everything(town, "run", store)
    await town.watch("run", store, [*wanted, ("patient-hop-run", "/feed1.xml")])


async def two_daemons(town: Town) -> None:
    store = postgres_url()
    try:
        await town.watch("postgres", store, await _add_everything(town, "postgres", store), daemons=2)
    finally:
        drop_database(store)


async def learn(town: Town) -> None:
    store = str(town.folder / "learn.db")

    async def example(manner: str, *paths: str) -> None:
        pages = [town.web.url(f"{manner}-learn", path) for path in paths]
        town.told[f"learn {manner}"] = await town.run("--store", store, "learn", "example", *pages, "different")

    await example("plain", "/p1", "/secret/a")
    await asyncio.gather(example("patient", "/p1", "/p2"), example("unsure", "/p1", "/p2"))


async def fetchers(town: Town) -> None:
    serving = await town.start(
        "--set=frontier.allow_private=true", "--set=hygiene.retry=1s", "serve", "--port", "0",
        "--store", str(town.folder / "frontier.db"),
    )  # fmt: skip
    assert serving.stderr is not None
    address = (await serving.stderr.readline()).decode().split()[-1]
    seeds = [town.web.url(site, path) for site in town.sites("fetch") for path in ("/", "/p1", "/p2", "/secret/a")]
    seeds += [town.web.url("moving-fetch", path) for path in ("/away1", "/away2")]
    async with aiohttp.ClientSession() as session:
        await session.put(f"{address}api/v1/settings", json={"default_crawl_delay": DELAY})
        async with session.post(f"{address}api/v1/urls", json={"urls": seeds}) as answer:
            assert answer.status == 200, await answer.text()
    who = ("--email", "ops@example.org", "--idle", "20s", "--urls-per-site", "3", "--parallel", "4", "--json")
    said = await asyncio.gather(
        *(town.run("fetch", "--from", address, "--name", name, *who) for name in ("anna", "bert"))
    )
    await ended(serving)
    town.told["fetch"] = Told(max(one.code for one in said), said[0].out, "".join(one.err for one in said))


async def together(town: Town) -> None:
    """Commands that keep nothing, at once and beside each other's requests on one store."""
    store = f"--set=store.url={town.folder / 'together.db'}"
    sites = town.sites("together", ("plain", "patient"))
    assert (await town.run(store, "add", "--kind", "page", town.web.url("plain-together", "/p1"))).code == 0
    pages = [town.web.url(site, "/p1") for site in sites]
    looks = [
        ("check", *pages),
        ("check", "--status-only", *pages),
        ("discover", *pages),
        *(("parse", page) for page in pages),
        *(("page", "try", page) for page in pages),
    ]
    said = await asyncio.gather(*(town.run(store, *look) for look in looks))
    town.told["together"] = Told(max(one.code for one in said), "", "".join(one.err for one in said))


async def compile_once(town: Town) -> None:
    """What a first start compiles is there for the others: five that compile the same at once take long."""
    store, paths = str(town.folder / "first.db"), ("/p1", "/feed1.xml")
    for kind, path in zip(("page", "feed"), paths, strict=True):
        assert (await town.run("--store", store, "add", "--kind", kind, town.web.url("plain-first", path))).code == 0
    await town.watch("first", store, [("plain-first", path) for path in paths])


COMMANDS = (two_daemons, everything, links, sitemaps, fetchers, learn, check, discover, together)
#: what the sites of a command are called, after their manner
NAMES = ("check", "discover", "learn", "fetch", "sitemap", "import", "links", "run", "postgres", "together")


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Town:
    async def live() -> Town:
        async with CountingWeb(delay=DELAY) as web:
            town = Town(web, tmp_path_factory.mktemp("town"))
            await compile_once(town)
            async with asyncio.TaskGroup() as group:
                for command in COMMANDS:
                    group.create_task(command(town))
            return town

    return asyncio.run(live())


# --- what was seen --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_no_two_requests_are_closer_than_the_sites_pause(town: Town, name: str) -> None:
    assert town.web.of(f"-{name}"), "nothing was asked at all"
    assert town.web.breaches(f"-{name}") == []


@pytest.mark.parametrize("name", NAMES)
def test_nothing_forbidden_is_asked_for(town: Town, name: str) -> None:
    assert town.web.trespasses(f"-{name}") == []


def test_a_feed_is_followed_where_it_leads_unless_that_is_forbidden(town: Town) -> None:
    assert {one.path for one in town.web.of("plain-door-run")} == {"/fdoor", "/robots.txt"}
    assert {one.path for one in town.web.of("patient-hop-run")} == {"/fhop1.xml", "/robots.txt", "/feed1.xml"}


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("discover", "together")])
def test_no_page_is_given_up_because_robots_could_not_be_read(town: Town, name: str) -> None:
    assert town.web.got(f"unsure-{name}", "/p1")
    assert town.web.got(f"unsure-{name}", "/p2")


def test_discovery_waits_for_a_robots_file_that_cannot_be_read(town: Town) -> None:
    assert town.web.got("unsure-discover", "/")


@pytest.mark.parametrize("name", NAMES)
def test_everybody_says_who_asks(town: Town, name: str) -> None:
    assert all(one.agent.startswith("afresh/") for one in town.web.of(f"-{name}"))


@pytest.mark.parametrize("name", ["check", "fetch", "links", "run", "postgres"])
def test_the_busy_site_is_asked_again_after_its_wish(town: Town, name: str) -> None:
    asked = [one for one in town.web.of(f"busy-{name}") if one.path != "/robots.txt"]
    assert asked[0].status == 429
    assert len(asked) > 1


def test_every_command_ended_well(town: Town) -> None:
    failed = {name: told.err for name, told in town.told.items() if "Traceback" in told.err or told.code > 1}
    failed.pop("learn plain")
    assert failed == {}


def test_a_check_says_what_robots_forbids(town: Town) -> None:
    rows = {row["url"]: row for row in json.loads(town.told["check"].out)}
    for path in ("/secret/a", "/door"):
        assert "robots" in json.dumps(rows[town.web.url("plain-check", path)])
    assert rows[town.web.url("unsure-check", "/p1")]["standing"] == "ok"


def test_a_forbidden_example_is_refused_in_words(town: Town) -> None:
    assert town.told["learn plain"].code != 0
    assert "robots.txt" in town.told["learn plain"].err
