"""The laws of subscriptions with hubs: one a resource, found by its token, gone with the resource."""

from dataclasses import replace

from afresh.base.records.push import PushState, Subscription
from tests.laws.store_material import NOW, Open, feeds, laws_of, opened


def subscription_of(resource: int, **changes: object) -> Subscription:
    made = Subscription(
        resource=resource,
        hub="https://hub.example/",
        topic=f"https://site{resource}.example/feed",
        token=f"token-{resource}",
        secret="shh",
        asked=NOW,
        next_try=NOW + 60,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def a_subscription_is_kept_as_it_was_put(open_store: Open) -> None:
    with opened(open_store) as store:
        [added] = store.add(feeds(1), now=NOW)
        assert store.push.subscription(added.id) is None
        assert store.in_use() == set()
        first = subscription_of(added.id)
        assert store.push.put_subscription(first)
        live = replace(
            first, state=PushState.LIVE, expires=NOW + 900, next_try=NOW + 700, pings=3, last_ping=NOW, misses=1
        )
        assert store.push.put_subscription(live)
    with opened(open_store) as store:
        assert store.push.subscription(added.id) == live
        assert store.push.subscription_by_token(live.token) == live
        assert store.push.subscription_by_token("another") is None
        assert store.push.subscriptions() == [live]
        assert store.in_use() == {"push"}


def those_whose_turn_has_come_are_asked_for_in_order(open_store: Open) -> None:
    with opened(open_store) as store:
        numbers = [added.id for added in store.add(feeds(3), now=NOW)]
        for place, number in enumerate(numbers):
            store.push.put_subscription(subscription_of(number, next_try=NOW - place))
        assert [item.resource for item in store.push.subscriptions_due(now=NOW)] == numbers[::-1]
        assert [item.resource for item in store.push.subscriptions_due(now=NOW - 2)] == numbers[2:]
        assert [item.resource for item in store.push.subscriptions(after=numbers[0], limit=1)] == numbers[1:2]


def a_subscription_goes_with_its_resource(open_store: Open) -> None:
    with opened(open_store) as store:
        first, second = (added.id for added in store.add(feeds(2), now=NOW))
        for number in (first, second):
            store.push.put_subscription(subscription_of(number))
        store.remove([first])
        store.push.drop_subscription(second)
        assert store.push.subscriptions() == []
        assert not store.push.put_subscription(subscription_of(first))
        assert store.push.subscriptions() == []


LAWS = laws_of(globals())
