"""The process that judges pages beside the one that fetches them."""

import asyncio
import io
import marshal
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from afresh.base.child_process import SIZE
from afresh.base.models import Fetched, Trip
from afresh.base.records.links import KeptLink
from afresh.links import judging
from afresh.links.judging import JudgingProcess
from afresh.links.judging_child import serve_judge
from afresh.links.judging_start import Job, JudgingChild
from afresh.links.unsaved import UnsavedLinks

URL = "http://harbour.example/plans"
PAGE = b"<title>Plans</title><p>" + b"The harbour council prints its plans every spring. " * 20
GONE = b"<title>Page not found</title><h1>404</h1><p>The page you requested could not be found."


def job(body: bytes) -> Job:
    return (URL, URL, "text/html", 200, len(body), (), body, (False, None))


def framed(*bodies: bytes) -> bytes:
    content = marshal.dumps([job(body) for body in bodies])
    return len(content).to_bytes(SIZE, "big") + content


def answers(written: bytes) -> Iterator[list[object]]:
    while written:
        size = int.from_bytes(written[:SIZE], "big")
        yield orjson.loads(written[SIZE : SIZE + size])
        written = written[SIZE + size :]


def link() -> KeptLink:
    links = UnsavedLinks()
    return links.link(links.add(URL))


def outcome(body: bytes = PAGE) -> Fetched:
    trip = Trip(url=URL, final_url=URL, started=0.0, finished=0.0, headers={"content-type": "text/html"})
    return Fetched(trip=trip, status=200, body=body)


def test_a_greeting_then_one_answer_a_batch_in_the_order_of_the_pages() -> None:
    target = io.BytesIO()
    serve_judge(io.BytesIO(framed(PAGE, GONE) + framed(PAGE)), target)
    greeting, first, second = answers(target.getvalue())
    assert greeting == []
    assert first == [
        ["content_new", "Plans", "", None, ""],
        None,
    ]  # None: the site should be asked for a page that is not
    assert second == first[:1]


@pytest.mark.parametrize("cut", [1, SIZE - 1, SIZE, SIZE + 10, -1])
def test_a_caller_that_ends_within_a_batch_is_not_answered(cut: int) -> None:
    target = io.BytesIO()
    serve_judge(io.BytesIO(framed(PAGE)[:cut]), target)
    assert list(answers(target.getvalue())) == [[]]


def test_the_process_ends_with_its_input_and_closing_twice_is_harmless(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "orjson.py").write_text("raise SystemExit('a module of the folder one is in was loaded')")
    monkeypatch.chdir(tmp_path)
    with JudgingChild() as child:
        assert child.answers.read(SIZE + 2) == framed_greeting()
    child.close()
    assert child._process.returncode == 0


def framed_greeting() -> bytes:
    return (2).to_bytes(SIZE, "big") + b"[]"


def test_who_is_not_ready_or_has_too_much_to_do_judges_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async def check() -> None:
        with JudgingChild() as child:
            async with JudgingProcess(child) as process:
                assert await process.judge(link(), outcome()) is None
                await process.ready.wait()
                told = await process.judge(link(), outcome())
                assert told is not None
                assert (told.title, told.size) == ("Plans", len(PAGE))
                monkeypatch.setattr(judging, "_ROOM", len(PAGE) - 1)
                both = await asyncio.gather(process.judge(link(), outcome()), process.judge(link(), outcome()))
                assert [one is None for one in both] == [False, True]
                assert await process.judge(link(), outcome()) is not None  # there is room again

    asyncio.run(check())


def test_pages_that_wait_when_the_context_ends_are_left_to_the_caller() -> None:
    async def check() -> None:
        with JudgingChild() as child:
            async with JudgingProcess(child) as process:
                await process.ready.wait()
                waiting = asyncio.create_task(process.judge(link(), outcome()))
                await asyncio.sleep(0)
            assert await waiting is None

    asyncio.run(check())
