"""Subscriptions with hubs: asked, verified, renewed, trusted only as long as they tell."""

import asyncio
import hmac
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from afresh.base.executor import Executor, InPlace
from afresh.base.models import Failure, FeedFacts, NewResource, Report, Request, Result, Visit
from afresh.base.protocols import Store
from afresh.base.records.push import PushState, Subscription
from afresh.base.settings.sections import PolitenessSettings, PushSettings
from afresh.http.failures import HopRefused
from afresh.notices.websub import HubClient, Pushes
from afresh.store import open_store
from tests.fakes.clocks import StillClock, VirtualClock
from tests.fakes.fake_web import FakeWeb
from tests.fakes.gates import gate_to

NOW = 1_800_000_000.0
HUB = "https://hub.example/"
FEED = "https://a.example/feed"


class FakeHub:
    """Takes notes of what it is asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.answer = ""
        self.later: HopRefused | None = None

    @asynccontextmanager
    async def turn(self, hub: str) -> AsyncIterator[None]:
        if self.later is not None:
            raise self.later
        yield

    async def ask(self, hub: str, fields: Mapping[str, str]) -> str:
        self.asked.append((hub, dict(fields)))
        return self.answer

    async def close(self) -> None:
        pass


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with_store = open_store(str(tmp_path / "afresh.db"))
    with_store.add([NewResource(url=FEED, site="a.example", due=NOW)], now=NOW)
    yield with_store
    with_store.close()


@pytest.fixture
def hub() -> FakeHub:
    return FakeHub()


@pytest.fixture
def pushes(store: Store, hub: FakeHub) -> Pushes:
    settings = PushSettings(callback="https://me.example/")
    return Pushes(store, hub, settings, clock=StillClock(NOW), executor=Executor(), poke=lambda: None)


def visited(store: Store, *, hub: str = HUB, new: int = 0, at: float = NOW) -> Report:
    resource = replace(store.get(FEED), facts=FeedFacts(format="atom10", hub=hub, self_url=FEED + ".atom"))
    visit = Visit(
        resource=resource.id,
        started=at,
        finished=at,
        result=Result.NEW,
        status=200,
        new=new,
        next_due=at + 60,
        reason="",
    )
    return Report(lease=1, visit=visit, resource=resource, next_allowed=at)


def asked(pushes: Pushes, store: Store) -> Subscription:
    """Subscribes, and asks the hub."""
    pushes.follow([visited(store)], now=NOW)
    [due] = store.push.subscriptions_due(now=NOW)
    asyncio.run(pushes._ask(due))
    found = store.push.subscription(due.resource)
    assert found is not None
    return found


def live(pushes: Pushes, store: Store) -> Subscription:
    subscription = asked(pushes, store)
    assert pushes.verify(subscription.token, mode="subscribe", topic=subscription.topic, lease=1000.0, now=NOW)
    found = store.push.subscription(subscription.resource)
    assert found is not None
    return found


def ping(pushes: Pushes, subscription: Subscription, *, now: float = NOW) -> bool | None:
    signature = "sha256=" + hmac.new(subscription.secret.encode(), b"news", "sha256").hexdigest()
    return pushes.receive(subscription.token, signature=signature, body=b"news", now=now)


def test_a_feed_that_names_a_hub_is_subscribed_once(pushes: Pushes, store: Store, hub: FakeHub) -> None:
    subscription = asked(pushes, store)
    [(address, fields)] = hub.asked
    assert address == HUB
    assert fields["hub.mode"] == "subscribe"
    assert fields["hub.topic"] == FEED + ".atom"
    assert fields["hub.callback"] == f"https://me.example/push/{subscription.token}"
    assert fields["hub.secret"] == subscription.secret
    pushes.follow([visited(store)], now=NOW)
    assert store.push.subscriptions_due(now=NOW) == []


def test_without_an_address_of_our_own_nothing_is_asked(store: Store, hub: FakeHub) -> None:
    silent = Pushes(store, hub, PushSettings(), clock=StillClock(NOW), executor=Executor(), poke=lambda: None)
    silent.follow([visited(store)], now=NOW)
    assert store.push.subscriptions() == []


def test_only_what_we_asked_for_is_verified(pushes: Pushes, store: Store) -> None:
    subscription = asked(pushes, store)
    topic = subscription.topic
    assert not pushes.verify("a-token-nobody-has", mode="subscribe", topic=topic, lease=None, now=NOW)
    assert not pushes.verify(subscription.token, mode="subscribe", topic="https://other.example/", lease=None, now=NOW)
    assert not pushes.verify(subscription.token, mode="unsubscribe", topic=topic, lease=None, now=NOW)
    assert pushes.verify(subscription.token, mode="subscribe", topic=topic, lease=1000.0, now=NOW)
    found = store.push.subscription(subscription.resource)
    assert found is not None
    assert (found.state, found.expires, found.next_try) == (PushState.LIVE, NOW + 1000.0, NOW + 800.0)


def test_a_ping_makes_the_feed_due_and_polling_slow(pushes: Pushes, store: Store) -> None:
    subscription = live(pushes, store)
    store.update(subscription.resource, due=NOW + 9000)
    assert pushes.slowest(subscription.resource, NOW) is None  # it has told us nothing yet
    assert ping(pushes, subscription, now=NOW + 5) is True
    assert store.get(FEED).due == NOW + 5
    assert pushes.slowest(subscription.resource, NOW + 5) == 6 * 3600.0
    assert pushes.slowest(subscription.resource, NOW + 1001) is None  # run out


def test_wrongly_signed_news_are_ignored(pushes: Pushes, store: Store) -> None:
    subscription = live(pushes, store)
    store.update(subscription.resource, due=NOW + 9000)
    for signature in ("", "sha256=", "sha256=" + "0" * 64, "md5=abc", "sha256=" + "é"):
        assert pushes.receive(subscription.token, signature=signature, body=b"news", now=NOW) is False
    assert pushes.receive("a-token-nobody-has", signature="", body=b"", now=NOW) is None
    assert store.get(FEED).due == NOW + 9000


def test_a_hub_that_keeps_silent_loses_our_trust(pushes: Pushes, store: Store) -> None:
    subscription = live(pushes, store)
    ping(pushes, subscription)
    pushes.follow([visited(store, new=1, at=NOW + 30)], now=NOW + 30)  # the ping's own visit
    assert pushes.slowest(subscription.resource, NOW + 30) is not None
    for step in (1, 2):
        at = NOW + step * 7200
        pushes.follow([visited(store, new=1, at=at)], now=at)
    live_again = store.push.subscription(subscription.resource)
    assert live_again is not None
    assert live_again.misses == 2
    assert pushes.slowest(subscription.resource, NOW + 100) is None
    ping(pushes, subscription, now=NOW + 200)
    assert pushes.slowest(subscription.resource, NOW + 200) is not None


def test_a_hub_that_fails_is_asked_again_later(pushes: Pushes, store: Store, hub: FakeHub) -> None:
    hub.answer = "the hub answered 503"
    subscription = asked(pushes, store)
    assert (subscription.state, subscription.error) == (PushState.FAILED, "the hub answered 503")
    assert subscription.next_try == NOW + 3600.0
    assert pushes.verify(subscription.token, mode="denied", topic=subscription.topic, lease=None, now=NOW)
    refused = store.push.subscription(subscription.resource)
    assert refused is not None
    assert refused.state is PushState.REFUSED


def test_a_hub_whose_site_may_not_be_asked_now_is_asked_then(pushes: Pushes, store: Store, hub: FakeHub) -> None:
    hub.later = HopRefused("hub.example may not be asked", cause=Failure.LATER, retry_after=900.0)
    subscription = asked(pushes, store)
    assert hub.asked == []
    assert (subscription.next_try, subscription.failures, subscription.error) == (NOW + 900.0, 0, "")


class Post:
    """A poster that notes when it was used; each use takes half a second."""

    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self.posts: list[tuple[str, float, float]] = []

    async def tell(self, _: str, target: str, __: bytes, ___: Mapping[str, str]) -> str:
        start = self.clock.now()
        await self.clock.sleep(0.5)
        self.posts.append((target, start, self.clock.now()))
        return ""


def test_hubs_are_asked_in_the_turns_of_their_sites(tmp_path: Path) -> None:
    """Three feeds of a site that is its own hub, beside a visit of it; the hub of a fourth waits for nobody."""
    clock = VirtualClock()
    web, store = FakeWeb(clock), open_store(str(tmp_path / "afresh.db"))  # type: ignore[arg-type]
    web.document("https://a.example/page", b"page")
    gate = gate_to(web, clock, PolitenessSettings(delay=5.0), store=store, heeds_robots=False)
    post = Post(clock)
    hub = HubClient(post, gate.turn)  # type: ignore[arg-type]
    settings = PushSettings(callback="https://me.example/")
    pushes = Pushes(store, hub, settings, clock=clock, executor=InPlace(), poke=lambda: None)  # type: ignore[arg-type]
    hubs = ["https://a.example/hub"] * 3 + ["https://hub.example/"]
    feeds = [f"https://a.example/feed{number}" for number in range(4)]
    store.add([NewResource(url=url, site="a.example") for url in feeds], now=clock.now())
    for url, named in zip(feeds, hubs, strict=True):
        one = Subscription(resource=store.get(url).id, hub=named, topic=url, token=url, secret="x", asked=0, next_try=0)
        store.push.put_subscription(one)

    async def scene() -> None:
        began = clock.now()
        await gate.fetch(Request(url="https://a.example/page"))
        asking = asyncio.create_task(pushes.run())
        await clock.sleep(60.0)
        asking.cancel()
        own = [(start - began, end - began) for target, start, end in post.posts if target == hubs[0]]
        assert len(own) == 3
        assert all(later[0] - before[1] >= 5.0 for before, later in pairwise([(0.0, 0.0), *own]))
        assert next(start for target, start, _ in post.posts if target == hubs[3]) - began < 5.0

    clock.run(scene())
    store.close()


def test_a_feed_without_its_hub_is_let_go(pushes: Pushes, store: Store) -> None:
    live(pushes, store)
    pushes.follow([visited(store, hub="")], now=NOW)
    assert store.push.subscriptions() == []
