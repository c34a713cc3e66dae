"""``afresh poll`` asks now: what was named and nothing else, at the pace of its site, alone or beside a daemon."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests.fakes.counting_web import CountingWeb
from tests.fakes.ending import ended

DELAY = 0.3
SETTINGS = ("fetch.allowed_networks=127.0.0.0/8", f"politeness.delay={DELAY}s", "predict.standard=6h")

pytestmark = pytest.mark.timeout(240)


async def start(folder: Path, *arguments: str) -> asyncio.subprocess.Process:
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    settings = [f"--set={one}" for one in SETTINGS]
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "afresh", *settings, *arguments,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, cwd=folder, env=environment,
    )  # fmt: skip


async def afresh(folder: Path, *arguments: str) -> tuple[int, Any]:
    """The code and what it printed, read as JSON where it can be."""
    process = await start(folder, *arguments)
    out, err = await ended(process, None, within=120.0)
    assert process.returncode is not None
    return process.returncode, json.loads(out) if "--json" in arguments else out + err


def asked(web: CountingWeb) -> list[str]:
    return [f"{one.site}{one.path}" for one in web.of("") if one.path != "/robots.txt"]


def test_alone(tmp_path: Path) -> None:
    asyncio.run(_alone(tmp_path))


async def _alone(folder: Path) -> None:
    async with CountingWeb(delay=DELAY) as web:
        pages = [web.url("plain-a", "/p1"), web.url("plain-a", "/p2"), web.url("plain-b", "/p1")]
        assert (await afresh(folder, "add", "--kind", "page", "--tag", "mine", *pages[:2]))[0] == 0
        assert (await afresh(folder, "add", "--kind", "page", pages[2]))[0] == 0
        code, told = await afresh(folder, "poll", "--tag", "mine", "--json")
        assert code == 0, told
        assert [(one["url"], one["visit"]["result"], one["waits"]) for one in told] == [
            (url, "new", "") for url in pages[:2]
        ]
        assert sorted(asked(web)) == ["plain-a/p1", "plain-a/p2"], "the third is due as well, and nobody asked for it"
        code, told = await afresh(folder, "poll", pages[0], "--json")
        assert (code, told[0]["visit"]["result"]) == (0, "same"), "once more, though it is not due"
        await afresh(folder, "set", pages[2], "--pause")
        code, said = await afresh(folder, "poll", "--all")
        assert code == 1
        assert "afresh set 3 --resume" in said
        assert len(asked(web)) == 5
        assert web.breaches() == []


def test_who_interrupts_it_twice_need_not_wait_for_a_slow_server(tmp_path: Path) -> None:
    asyncio.run(_interrupted(tmp_path))


async def _interrupted(folder: Path) -> None:
    is_asked = asyncio.Event()

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        if request.path == "/robots.txt":
            return web.Response(status=404)
        is_asked.set()
        await asyncio.sleep(3_600.0)
        return web.Response(text="late")

    runner = web.ServerRunner(web.Server(answer), shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://slow.localhost:{runner.addresses[0][1]}/page"
    try:
        assert (await afresh(folder, "add", "--kind", "page", url))[0] == 0
        process = await start(folder, "--set=fetch.total_timeout=1h", "--set=fetch.read_timeout=1h", "poll", url)
        await asyncio.wait_for(is_asked.wait(), 60.0)
        process.terminate()  # as Ctrl-C does, which a shell's background may ignore
        assert process.stderr is not None
        assert b"Ctrl-C again ends at once" in await asyncio.wait_for(process.stderr.readline(), 60.0)
        process.terminate()
        out, _ = await ended(process, None, within=60.0)
        assert process.returncode == 130
        assert "interrupted" in out
    finally:
        await runner.cleanup()


def test_what_a_site_does_not_allow_in_time_stays_due(tmp_path: Path) -> None:
    asyncio.run(_late(tmp_path))


async def _late(folder: Path) -> None:
    async with CountingWeb(delay=DELAY) as web:
        pages = [web.url("patient-a", f"/p{number}") for number in (1, 2)]  # 2 s between two requests
        assert (await afresh(folder, "add", "--kind", "page", *pages))[0] == 0
        code, told = await afresh(folder, "poll", "--all", "--wait", "3s", "--json")
        assert code == 1
        waits = [one["waits"] for one in told if one["visit"] is None]
        assert waits, "robots.txt and two pages take longer than three seconds"
        assert all(one.startswith("due; ") for one in waits), waits
        assert web.breaches() == []


def test_what_a_budget_does_not_allow_in_time_is_told(tmp_path: Path) -> None:
    asyncio.run(_beyond_the_budget(tmp_path))


async def _beyond_the_budget(folder: Path) -> None:
    async with CountingWeb(delay=DELAY) as web:
        pages = [web.url("plain-a", "/p1"), web.url("plain-b", "/p1")]
        budget = ("--set", "budget.requests_per_hour=10")
        assert (await afresh(folder, "add", "--kind", "page", *pages))[0] == 0
        code, said = await afresh(folder, *budget, "poll", "--all", "--wait", "2s")
        assert code == 1
        assert "a request every 6 min by the budget of 10 requests an hour: about 6 min, longer than --wait 2s" in said
        assert "due; waits for the budget of 10 requests an hour; the next request is free at " in said
        code, said = await afresh(folder, *budget, "poll", pages[1], "--wait", "1s")
        assert code == 1
        assert said.count("waits for the budget of 10 requests an hour; the next request is free at ") == 2


def test_beside_a_daemon(tmp_path: Path) -> None:
    asyncio.run(_beside(tmp_path))


def test_beside_a_daemon_that_was_killed(tmp_path: Path) -> None:
    asyncio.run(_killed(tmp_path))


def test_a_visit_that_was_under_way_is_told_and_is_not_the_one_that_is_asked_for(tmp_path: Path) -> None:
    asyncio.run(_under_way(tmp_path))


async def _under_way(folder: Path) -> None:
    pages, may_answer = [], asyncio.Event()

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        if request.path == "/robots.txt":
            return web.Response(status=404)
        pages.append(request)
        await may_answer.wait()
        return web.Response(text="<p>The ferry leaves at nine, and at ten on Sundays.</p>", content_type="text/html")

    runner = web.ServerRunner(web.Server(answer), shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://slow.localhost:{runner.addresses[0][1]}/page"
    assert (await afresh(folder, "add", "--kind", "page", url))[0] == 0
    daemon = await start(folder, "run", "--port", "0")
    try:
        async with asyncio.timeout(100):
            while not pages:
                await asyncio.sleep(0.05)
        polling = await start(folder, "poll", url, "--wait", "60s", "--json")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(polling.wait(), 4.0)
        code, said = await afresh(folder, "--set=budget.requests_per_hour=1800", "poll", url, "--wait", "1s")
        assert code == 1
        assert "no answer yet; the daemon waits for it" in said.partition("being asked")[2]
        assert "not asked" not in said
        may_answer.set()
        out, _ = await ended(polling, None, within=100.0)
        assert json.loads(out)[0]["visit"]["result"] == "same", "the first one found it new"
        assert len(pages) == 2
    finally:
        daemon.send_signal(signal.SIGTERM)
        await ended(daemon, None, within=60.0)
        await runner.cleanup()


async def _killed(folder: Path) -> None:
    """Its last word is a moment old: nobody waits for it all the same, neither before it was killed nor after."""
    async with CountingWeb(delay=DELAY) as web:
        pages = [web.url("plain-a", "/p1"), web.url("patient-a", "/p1")]
        assert (await afresh(folder, "add", "--kind", "page", *pages))[0] == 0
        daemon = await start(folder, "run", "--port", "0")
        try:
            async with asyncio.timeout(100):
                while len(asked(web)) < len(pages):
                    await asyncio.sleep(0.1)
            daemon.send_signal(signal.SIGSTOP)  # so that it asks nothing more
            polling = await start(folder, "poll", pages[0], "--wait", "100s")
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(polling.wait(), 4.0)
        finally:
            daemon.kill()
            await daemon.wait()
        out, err = await ended(polling, None, within=100.0)
        assert polling.returncode == 0, out + err
        assert "the daemon is not there any more: asking without it" in err
        code, told = await afresh(folder, "poll", pages[0], "--wait", "100s", "--json")
        assert (code, told[0]["visit"]["result"]) == (0, "same")


async def _beside(folder: Path) -> None:
    async with CountingWeb(delay=DELAY) as web:
        page = web.url("plain-a", "/p1")
        assert (await afresh(folder, "add", "--kind", "page", page))[0] == 0
        daemon = await start(folder, "run", "--port", "0")
        try:
            async with asyncio.timeout(100):
                while not asked(web):
                    await asyncio.sleep(0.1)
            code, told = await afresh(folder, "poll", page, "--wait", "60s", "--json")
            assert (code, told[0]["visit"]["result"]) == (0, "same")
            assert len(asked(web)) == 2
            assert web.breaches() == []
        finally:
            daemon.send_signal(signal.SIGTERM)
            await ended(daemon, None, within=60.0)
