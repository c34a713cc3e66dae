"""A large import: others are answered meanwhile, memory stays small, and a bad body leaves nothing behind."""

import asyncio
import gzip
import json
import tracemalloc
from collections.abc import Iterator, Sequence

import pytest

from afresh.base.records.frontier import Imported, Seed
from afresh.doors.rest.frontier import importing
from afresh.frontier.urls import CrawlUrls
from tests.fakes.asgi_client import Answer
from tests.fakes.frontier_door import FrontierDoor

KINDS = ("text/plain", "application/x-ndjson", "application/json")


@pytest.fixture
def door() -> Iterator[FrontierDoor]:
    made = FrontierDoor()
    yield made
    made.store.close()


def send(door: FrontierDoor, body: bytes, kind: str = "text/plain", **headers: str) -> Answer:
    return door.client.request("POST", "/api/v1/urls", body=[body], content_type=kind, **headers)


def body_of(urls: list[str], kind: str) -> bytes:
    if kind == "application/json":
        return json.dumps({"urls": urls}).encode()
    return "\n".join(urls if kind == "text/plain" else map(json.dumps, urls)).encode()


@pytest.mark.parametrize("kind", KINDS)
def test_a_small_request_is_answered_while_a_large_import_is_read(
    door: FrontierDoor, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    urls = [f"https://www.example.com/{n}" for n in range(60_000)]
    read = 0
    genuine = CrawlUrls.read

    def counted(self: CrawlUrls, url: str) -> tuple[str, str] | None:
        nonlocal read
        read += 1
        return genuine(self, url)

    monkeypatch.setattr(CrawlUrls, "read", counted)

    async def both() -> tuple[int, Answer, Answer]:
        headers = {"content-type": kind}
        large = asyncio.create_task(door.client._request("POST", "/api/v1/urls", [body_of(urls, kind)], headers))
        while read == 0 and not large.done():
            await asyncio.sleep(0)
        small = await door.client._request("GET", "/api/v1/stats", [], {})
        seen = read
        return seen, small, await large

    seen, small, large = asyncio.run(both())
    assert (small.status, large.status) == (200, 200), large.text
    assert seen < len(urls) / 2, "it did not have to wait for the import"
    assert (read, large.json()["urls"]) == (len(urls), len(urls))


def test_a_list_waits_for_one_small_step_of_any_number_of_imports(
    door: FrontierDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    uuid = door.register()["uuid"]
    door.add("https://first.example.com/")
    steps: list[int] = []
    genuine = door.store.add

    def counted(seeds: Sequence[Seed], *, now: float, crawl: str, revive: bool) -> Imported:
        steps.append(len(seeds))
        return genuine(seeds, now=now, crawl=crawl, revive=revive)

    monkeypatch.setattr(door.store, "add", counted)

    async def imports_and_a_list() -> tuple[list[int], Answer]:
        plain = {"content-type": "text/plain"}
        bodies = [[f"https://s{k}.example.com/{n}" for n in range(20_000)] for k in range(4)]
        large = [
            asyncio.create_task(door.client._request("POST", "/api/v1/urls", [body_of(urls, "text/plain")], plain))
            for urls in bodies
        ]
        while len(steps) < 5:
            await asyncio.sleep(0)
        before = len(steps)
        wish = json.dumps({"fetcher_uuid": uuid, "amount": 1, "length": 1}).encode()
        answer = await door.client._request("POST", "/api/v1/frontiers", [wish], {"content-type": "application/json"})
        meanwhile = steps[before:]
        await asyncio.gather(*large)
        return meanwhile, answer

    meanwhile, answer = asyncio.run(imports_and_a_list())
    assert answer.json()["urls_count"] == 1
    assert sum(meanwhile) <= 2_000, meanwhile
    assert sum(steps) == 80_000


def peak_of(door: FrontierDoor, body: bytes, kind: str) -> int:
    packed = gzip.compress(body, 1)
    tracemalloc.start()
    try:
        assert send(door, packed, kind, content_encoding="gzip").status in (200, 422)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("text/plain", b"\n"),
        ("application/x-ndjson", b'""\n'),
        ("text/plain", b"x\n"),
        ("text/plain", b"#" * 99 + b"\n"),
    ],
    ids=["nothing", "empty", "refused", "comments"],
)
def test_memory_does_not_grow_with_the_body(
    door: FrontierDoor, monkeypatch: pytest.MonkeyPatch, kind: str, line: bytes
) -> None:
    monkeypatch.setattr(importing, "_PIECE", 4_096)
    send(door, b"https://a.example.com/")  # what is made once is there
    few, many = (peak_of(door, line * count, kind) for count in (6_000, 30_000))
    assert many < 1.3 * few + 100_000, f"{few:,} then {many:,} bytes"


def test_one_json_value_of_many_empty_texts_takes_a_multiple_of_its_bytes(door: FrontierDoor) -> None:
    body = b'{"urls":[' + b'"",' * 2_000_000 + b'""]}'
    assert peak_of(door, body, "application/json") < 8 * len(body)


def test_one_json_value_has_a_bound_of_its_own(door: FrontierDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "MOST_JSON", 1_000)
    body = json.dumps({"urls": ["https://a.example.com/"] * 100}).encode()
    refused = send(door, body, "application/json")
    assert refused.status == 413
    assert "application/x-ndjson" in refused.json()["detail"]
    assert send(door, gzip.compress(body), "application/json", content_encoding="gzip").status == 413


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_a_bad_body_is_taken(door: FrontierDoor, kind: str) -> None:
    urls = [f"https://www.example.com/{n}" for n in range(5_000)]
    bad = {"text/plain": b"\n\xff", "application/x-ndjson": b"\n\n{17}", "application/json": b"x"}[kind]
    answer = send(door, body_of(urls, kind) + bad, kind)
    assert answer.status == 400
    if kind != "application/json":
        assert f"line {5_001 if kind == 'text/plain' else 5_002}" in answer.json()["detail"]
    assert door.send("GET", "/stats").json()["url_amount"] == 0


def test_a_line_without_end_is_refused_soon(door: FrontierDoor) -> None:
    packed = gzip.compress(b"x" * 50_000_000, 1)
    answer = send(door, packed, content_encoding="gzip")
    assert answer.status == 422
    assert "one URL a line" in answer.json()["detail"]


def test_files_packed_one_behind_the_other_are_one_body(door: FrontierDoor) -> None:
    parts = [gzip.compress(f"https://a.example.com/{n}\n".encode()) for n in range(300)]
    answer = send(door, b"".join(parts) + b"\0" * 512, content_encoding="gzip")
    assert answer.json()["urls"] == 300
    assert send(door, b"".join(parts) + b"rubbish", content_encoding="gzip").status == 400
    assert send(door, b"".join(parts)[:-9], content_encoding="gzip").status == 400
    assert send(door, b"", content_encoding="gzip").status == 400


def test_a_mark_lines_and_comments(door: FrontierDoor) -> None:
    text = "\ufeffhttps://a.example.com/1\r\n\r\n  # nothing\nhttps://a.example.com/2"
    done = {"urls": 2, "sites": 1, "known": 0, "refused": 0, "refusals": [], "backlog": 0, "revived": 0}
    assert send(door, text.encode()).json() == done
    lines = ["# mine", "https://b.example.com/1", "https://b.example.com/2"]  # as the form of the page sends them
    assert door.send("POST", "/urls", {"urls": lines}).json() == done


def test_large_results_are_read_beside_the_loop(door: FrontierDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("afresh.doors.rest.frontier.handlers.LARGE_RESULTS", 100)
    uuid = door.register()["uuid"]
    door.add("https://a.example.com/")
    done = door.report(uuid, door.lists(uuid), links=[f"https://a.example.com/{n}" for n in range(50)]).json()
    assert done["discovered"] == 50
