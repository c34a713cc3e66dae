"""A long check is divided between two processes by sites: it says what one would say, and is as polite."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from afresh.doors.cli.check_run import _MANY
from afresh.store import open_store
from tests.fakes.every_status import PROSE, answering, html

SITES, PAGES = 40, 6
#: Where the suite runs in the background of a shell its children inherit that interrupts are ignored.
INTERRUPT = signal.SIGINT  # a shell's background ignores it, so the program begins with listening to it
PROGRAM = """
import signal
from afresh.doors.cli.main import main
signal.signal(signal.SIGINT, signal.default_int_handler)
main()
"""
pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2, reason="needs two processors, and Linux"
)


class Towns:
    """Sites ``t0`` to ``t39`` below localhost, each with some pages; asks for one site must not overlap."""

    def __init__(self) -> None:
        self.port = ""
        self.asked: Counter[str] = Counter()
        self.overlaps: list[str] = []
        self._under_way: Counter[str] = Counter()
        self.is_held = False

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        site = (request.host or "").partition(".")[0]
        self.asked[f"{site}{request.path}"] += 1
        self._under_way[site] += 1
        if self._under_way[site] > 1:
            self.overlaps.append(f"{site}{request.path}")
        try:
            await asyncio.sleep(0.002)
            while self.is_held and request.path == "/0":
                await asyncio.sleep(0.01)
            return self._page(int(site.removeprefix("t")), request.path)
        finally:
            self._under_way[site] -= 1

    def _page(self, site: int, path: str) -> web.StreamResponse:
        match path:
            case "/1":
                return web.Response(
                    status=301, headers={"Location": f"http://t{(site + 1) % SITES}.localhost:{self.port}/0"}
                )
            case "/2":
                return web.Response(status=404)
            case "/3":
                return html("Page not found", "<h1>404 - Page not found</h1><p>This page could not be found.</p>")
            case "/0" | "/4" | "/5":
                return html(f"Plans {site}{path}", f"<h1 id=plans>Plans of {site}</h1><p>{PROSE}</p>")
        return web.Response(status=404)

    def let_go(self) -> None:
        """Answers whoever waits; those who were killed meanwhile are not there to hear it."""
        self.is_held = False
        while self._under_way.total():
            time.sleep(0.01)
        time.sleep(0.05)  # the server closes what they left open

    def links(self) -> list[str]:
        pages = [f"/{number}" for number in range(PAGES - 1)] + ["/5#plans", "/5#none"]
        return [f"http://t{site}.localhost:{self.port}{path}" for site in range(SITES) for path in pages]


@pytest.fixture
def towns(tmp_path: Path) -> Iterator[Towns]:
    made = Towns()
    with answering(made.answer) as address:
        made.port = address.rpartition(":")[2]
        (tmp_path / "links.txt").write_text("\n".join([*made.links(), "http://"]))
        yield made


def start(folder: Path, *options: str) -> "subprocess.Popen[str]":
    settings = ("--set", "fetch.allowed_networks=127.0.0.0/8;::1/128", "--set", "store.url=none.db")
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *settings, "check", "--json", "--delay", "0s", *options, "links.txt"],
        cwd=folder,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def checked(folder: Path, *options: str) -> list[dict[str, Any]]:
    program = start(folder, *options)
    out, err = program.communicate(timeout=120)
    assert (program.returncode, err) == (1, "")
    return [{name: value for name, value in row.items() if name != "at"} for row in json.loads(out)]


def copies_of(program: "subprocess.Popen[str]") -> list[int]:
    return [int(number) for number in Path(f"/proc/{program.pid}/task/{program.pid}/children").read_text().split()]


def copy_of(program: "subprocess.Popen[str]", towns: Towns) -> int:
    """The other process, once both are at work."""
    while len([path for path in towns.asked if path.endswith("/0")]) < 2 or not copies_of(program):
        assert program.poll() is None
        time.sleep(0.01)
    [number] = copies_of(program)
    return number


@pytest.mark.parametrize("options", [(), ("--status-only",)], ids=["verdicts", "status"])
def test_two_processes_say_what_one_says_and_ask_no_site_twice_at_a_time(
    towns: Towns, tmp_path: Path, options: tuple[str, ...]
) -> None:
    assert SITES * PAGES >= _MANY
    divided = checked(tmp_path, *options)
    assert towns.overlaps == []
    pages = [towns.asked[f"t{site}/{number}"] for site in range(SITES) for number in range(PAGES)]
    assert {*pages[::PAGES]} == {2}  # the page, and what is sent to it
    assert {count for number, count in enumerate(pages) if number % PAGES} == {1}  # fragments of one page: one request
    one = checked(tmp_path, *options, "--parallel", "1")
    assert divided == one
    assert Counter(row["status"] for row in one)["fragment_missing"] == SITES
    assert Counter(row["status"] for row in one)["content_moved"] == SITES


def test_what_the_other_process_leaves_behind_is_checked_all_the_same(towns: Towns, tmp_path: Path) -> None:
    expected = checked(tmp_path, "--status-only", "--parallel", "1")
    towns.asked.clear()
    towns.is_held = True
    program = start(tmp_path, "--status-only")
    os.kill(copy_of(program, towns), signal.SIGKILL)
    towns.is_held = False
    out, err = program.communicate(timeout=120)
    assert (program.returncode, err) == (1, "")
    assert [row["status"] for row in json.loads(out)] == [row["status"] for row in expected]
    towns.let_go()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["interrupted", "killed"])
def test_both_end_together(towns: Towns, tmp_path: Path, number: signal.Signals) -> None:
    towns.is_held = True
    program = start(tmp_path, "--resume", "seen.jsonl")
    other = copy_of(program, towns)
    program.send_signal(number)
    _, err = program.communicate(timeout=120)
    assert program.returncode == (130 if number is signal.SIGINT else -number)
    if number is signal.SIGINT:
        told = r"afresh: ended after \d+ of 281 links; there is no report; the same command goes on\n"
        assert re.fullmatch(told, err.lstrip()), err
    while Path(f"/proc/{other}/stat").exists() and ") Z " not in Path(f"/proc/{other}/stat").read_text():
        time.sleep(0.01)
    towns.let_go()


def test_who_interrupts_a_check_sees_what_it_has_found(towns: Towns, tmp_path: Path) -> None:
    towns.is_held = True
    wanted = [url for url in towns.links() if url.startswith(("http://t0.", "http://t1.")) and "#" not in url]
    (tmp_path / "links.txt").write_text("\n".join(reversed(wanted)))  # those that are held come last
    program = start(tmp_path, "--format", "terminal")
    while not {"t0/0", "t1/0"} <= towns.asked.keys():
        assert program.poll() is None
        time.sleep(0.01)
    program.send_signal(INTERRUPT)
    out, err = program.communicate(timeout=120)
    assert program.returncode == 130
    assert "t0.localhost" in out
    assert re.search(r"of [1-9] links?$", out.strip()), out
    told = r"afresh: ended after [1-9] of 10 links; a check with --resume FILE could go on"
    assert re.fullmatch(told, err.strip()), err
    towns.let_go()


def test_few_links_one_at_a_time_and_a_store_that_others_use_stay_in_one_process(towns: Towns, tmp_path: Path) -> None:
    towns.is_held = True
    open_store(str(tmp_path / "links.db")).close()
    links = towns.links()
    for listed, options in ((links[:60], ()), (links, ("--parallel", "1")), (links, ("--store", "links.db"))):
        (tmp_path / "links.txt").write_text("\n".join(listed))
        towns.asked.clear()
        program = start(tmp_path, *options)
        while not towns.asked:
            time.sleep(0.01)
        assert copies_of(program) == []
        program.kill()
        program.communicate()
    towns.let_go()


#: What the loop itself needs later, it gets.
NO_SOCKET = """
import socket
given = socket.socketpair
def none_left(*_):
    socket.socketpair = given
    raise OSError(24, "no further socket")
socket.socketpair = none_left
"""
#: The other process has found something before this one begins to wait for it.
LATE = """
import asyncio, os
from afresh.engine.second_process import Neighbour
first, meet, mind, heard = os.getpid(), Neighbour.meet, Neighbour._mind, asyncio.Event()
def note(self, message):
    mind(self, message)
    if message.startswith(b"="):
        heard.set()
async def come_late(self, gate):
    await meet(self, gate)
    if os.getpid() == first:
        await heard.wait()
Neighbour.meet, Neighbour._mind = come_late, note
"""
BROKEN = """
from afresh.doors.cli.check_two_processes import Telling
Telling.add = None
"""


@pytest.mark.parametrize(
    "adversity",
    [
        "import os; os.fork = lambda: (_ for _ in ()).throw(BlockingIOError(11, 'no further process'))",
        NO_SOCKET,
        "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
        BROKEN,
    ],
    ids=["no process", "no socket", "children are forgotten", "broken"],
)
def test_where_the_second_process_is_missing_or_broken_the_report_is_the_same(
    towns: Towns, tmp_path: Path, adversity: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = checked(tmp_path, "--status-only", "--parallel", "1")
    monkeypatch.setitem(globals(), "PROGRAM", f"{adversity}\n{PROGRAM}")
    assert checked(tmp_path, "--status-only") == expected
    assert towns.overlaps == []


def test_what_the_second_process_finds_at_once_is_neither_lost_nor_asked_for_again(
    towns: Towns, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = checked(tmp_path, "--status-only", "--parallel", "1")
    asked = towns.asked.copy()
    towns.asked.clear()
    monkeypatch.setitem(globals(), "PROGRAM", f"{LATE}\n{PROGRAM}")
    assert checked(tmp_path, "--status-only") == expected
    towns.asked.subtract({path: towns.asked[path] - 1 for path in towns.asked if path.endswith("/robots.txt")})
    assert towns.asked == asked
