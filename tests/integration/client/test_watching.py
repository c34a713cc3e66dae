"""``afresh.client`` asks a daemon by the names of ``afresh.open``, and gets the same."""

import asyncio
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

import afresh
from afresh import client as clients
from afresh.base.errors import AccessDenied, ResourceNotFound, ServiceAway, UsageError
from afresh.doors.python.frontier import LocalFrontier
from afresh.doors.rest import create_app
from afresh.doors.rest.auth import AuthSettings
from afresh.store import open_store
from tests.fakes.served import served
from tests.fakes.service_context import FakeContext
from tests.laws.store_material import entry, report

FEED = "https://example.org/feed.xml"
TOKEN = "a-long-random-token"


@pytest.fixture
def context(tmp_path: Path) -> Iterator[FakeContext]:
    url = str(tmp_path / "afresh.db")
    store = open_store(url)
    yield FakeContext(store, store_url=url)
    store.close()


@pytest.fixture
def base(context: FakeContext) -> Iterator[str]:
    with served(create_app(context)) as url:
        yield url


def found(context: FakeContext, count: int) -> None:
    now = context.now() + 1_000.0
    [lease] = context.store.lease(holder="t", now=now, until=now + 60.0, limit=1)
    entries = tuple(entry(f"title {number}", published=now) for number in range(count))
    context.store.record([report(lease, now, due=0.0, entries=entries)])


def test_what_is_watched_is_added_listed_explained_and_removed(base: str) -> None:
    with clients.Client(base) as a:
        added = a.add(FEED, tags=["news"], folder="Papers")
        assert added.is_new
        assert not a.add(FEED).is_new
        a.add("https://example.org/page", kind="page")
        assert [one.url for one in a.resources()] == [FEED, "https://example.org/page"]
        assert [one.url for one in a.resources(kind="page", failing=False)] == ["https://example.org/page"]
        assert a.resource(FEED).tags == ("news",)
        assert a.resource(added.id or 0) == a.resource(FEED)
        assert a.why(FEED).url == FEED
        a.poll(FEED)
        assert a.visits(FEED) == []
        assert a.remove(FEED) == 1
        with pytest.raises(ResourceNotFound, match="not watched"):
            a.why(FEED)


def test_entries_are_read_on_from_where_one_stopped_however_many(base: str, context: FakeContext) -> None:
    with clients.Client(base) as a:
        a.add(FEED)
        found(context, 1_203)
        seen = list(a.entries())
        assert [one.title for one in seen] == [f"title {number}" for number in range(1_203)]
        assert [one.seq for one in a.entries(after=seen[-3].seq)] == [one.seq for one in seen[-2:]]
        assert len(list(a.entries(of=FEED))) == 1_203
        assert list(a.entries(after=seen[-1].seq)) == []


def test_the_same_awaited(base: str, context: FakeContext) -> None:
    async def read() -> None:
        async with clients.AsyncClient(base) as a:
            added = await a.add(FEED)
            assert added.is_new
            found(context, 3)
            assert [one.title async for one in a.entries()] == ["title 0", "title 1", "title 2"]
            assert [one.url async for one in a.resources()] == [FEED]
            assert (await a.why(FEED)).url == FEED

    asyncio.run(read())


def test_what_cannot_be_is_refused_in_the_words_of_the_service(base: str) -> None:
    with clients.Client(base) as a:
        with pytest.raises(UsageError, match="no URL at all"):
            a.add("no URL at all")
        with pytest.raises(UsageError, match="kind"):
            a.add(FEED, kind="podcast")
        with pytest.raises(ResourceNotFound):
            a.resource(4711)


def test_tokens(context: FakeContext) -> None:
    with served(create_app(context, auth=AuthSettings(tokens=(TOKEN,)))) as url:
        with clients.Client(url, token=TOKEN) as a:
            a.add(FEED)
        with clients.Client(url, token="another") as a, pytest.raises(AccessDenied, match="401"):
            a.add(FEED)


def test_nobody_there() -> None:
    with clients.Client("http://127.0.0.1:9", patience=0.2) as a, pytest.raises(ServiceAway, match="no answer"):
        a.resource(1)
    with pytest.raises(UsageError, match="http://"):
        clients.Client("example.org")


#: Names that only make sense where the store is, or that a door has for itself.
_LOCAL = {"close", "frontier", "settings", "store"}
#: What that interface has no call for.
_NOT_OVER_GRPC = {"make_crawl", "stats"}


def public(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


def test_clients_have_the_names_of_open() -> None:
    assert public(afresh.Afresh) - public(clients.Client) <= _LOCAL
    assert public(LocalFrontier) <= public(clients.Frontier)
    assert public(LocalFrontier) - public(clients.GrpcFrontier) == _NOT_OVER_GRPC
    assert public(clients.AsyncGrpcFrontier) == public(clients.GrpcFrontier)


@pytest.mark.parametrize("remote", [clients.Frontier, clients.GrpcFrontier])
def test_clients_take_what_open_takes(remote: type) -> None:
    pairs = [(getattr(LocalFrontier, name), getattr(remote, name)) for name in public(LocalFrontier) & public(remote)]
    pairs += [
        (getattr(afresh.Afresh, name), getattr(clients.Client, name)) for name in public(clients.Client) - {"close"}
    ]
    for local, asked in pairs:
        wanted = inspect.signature(local).parameters
        given = inspect.signature(asked).parameters
        assert {name: (one.kind, one.default) for name, one in wanted.items()}.items() <= {
            name: (one.kind, one.default) for name, one in given.items()
        }.items(), local.__name__
