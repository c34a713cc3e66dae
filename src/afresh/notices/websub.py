"""Push: hubs that feeds name are asked to tell us of news; polling then goes on slowly, as a safety net.

What a hub sends is taken as a hint that there is something to fetch, never as the news itself: the feed is visited as
always, so that whoever guesses or steals an address of ours can at most cause a polite request.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import math
import re
import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlencode

from afresh.base.executor import Executor
from afresh.base.models import Kind, Report, Resource
from afresh.base.politeness import backoff
from afresh.base.records.push import PushState, Subscription
from afresh.base.settings.sections import PushSettings
from afresh.http.failures import HopRefused

if TYPE_CHECKING:
    from afresh.base.protocols import Clock, Store
    from afresh.http.posting import Poster

log = logging.getLogger("afresh.push")

_EVERY = 5.0  # seconds between two looks for hubs to ask
_IN_SIGHT = 1_000  # subscriptions that are due and looked at …
_OF_A_HUB = 20  # … of which each hub is asked for so many before the next look: those of others do not wait for all
_ASKING = 60.0  # seconds an answer of a hub may take
_VERIFIED_WITHIN = 3600.0  # a hub that has not called back by then is asked again
_LONGEST_WAIT = 86_400.0
_REFUSED_WAIT = 7 * 86_400.0
_TOLD = 900.0  # a visit this soon after a ping is its doing
_RENEW = 0.8  # of the lease
_SHORTEST_LEASE, _LONGEST_LEASE = 300.0, 90 * 86_400.0
_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,100}", re.ASCII)  # the form of those we make; others need no look into the store
_METHODS = {"sha1": hashlib.sha1, "sha256": hashlib.sha256, "sha384": hashlib.sha384, "sha512": hashlib.sha512}


class Hub(Protocol):
    """The way to a hub. Never raises for what the other side does."""

    def turn(self, hub: str) -> AbstractAsyncContextManager[None]:
        """Entered when the hub's site may be asked once; raises HopRefused if that is not soon."""
        ...

    async def ask(self, hub: str, fields: Mapping[str, str]) -> str:
        """Empty: it was accepted; else what went wrong."""
        ...

    async def close(self) -> None: ...


class HubClient:
    """Asks hubs over the web, held to the same address guard as every fetch, in the turns that the gate gives."""

    def __init__(self, poster: Poster, turn: Callable[[str], AbstractAsyncContextManager[None]]) -> None:
        self._poster, self._turn = poster, turn

    def turn(self, hub: str) -> AbstractAsyncContextManager[None]:
        return self._turn(hub)

    async def ask(self, hub: str, fields: Mapping[str, str]) -> str:
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        return await self._poster.tell("the hub", hub, urlencode(fields).encode(), headers)

    async def close(self) -> None:
        await self._poster.close()


class Pushes:
    """Subscribes, verifies, renews, receives; knows which feeds may be polled slowly."""

    def __init__(
        self,
        store: Store,
        hub: Hub,
        settings: PushSettings,
        *,
        clock: Clock,
        executor: Executor,
        poke: Callable[[], None],
    ) -> None:
        self._store, self._hub, self._settings = store, hub, settings
        self._clock, self._executor, self._poke = clock, executor, poke
        self._told = clock.now()  # our own query feeds changed up to then were told to our hub
        self._has_news = False
        self.may_ask: Callable[[], bool] = lambda: True  # of many daemons one asks hubs, all hear them

    @property
    def is_on(self) -> bool:
        """Without an address at which hubs reach us there is nothing to subscribe."""
        return bool(self._settings.callback)

    # --- what the planner and the loop ask ---

    def slowest(self, resource: int, now: float) -> float | None:
        """The interval of the safety net, where a hub can be trusted to tell sooner; None: poll as planned."""
        known = self._store.push.subscription(resource) if self.is_on else None
        return self._settings.safety if known is not None and known.is_trusted(now) else None

    def note_published(self) -> None:
        """Query feeds of ours changed: our hub is told at the next turn."""
        self._has_news = bool(self._settings.hub and self._settings.callback)

    def follow(self, reports: Sequence[Report], *, now: float) -> None:
        """Feeds that name a hub are subscribed; hubs that keep silent about news lose our trust."""
        if not self.is_on:
            return
        for report in reports:
            if report.resource.kind is Kind.FEED and report.visit.result.is_success:
                self._follow_one(report, now)

    def _follow_one(self, report: Report, now: float) -> None:
        resource = report.resource
        known, hub, topic = self._store.push.subscription(resource.id), resource.facts.hub, _topic(resource)
        if not hub:
            if known is not None:
                self._store.push.drop_subscription(resource.id)
        elif known is None or (known.hub, known.topic) != (hub, topic):
            self._store.push.put_subscription(
                Subscription(
                    resource=resource.id,
                    hub=hub,
                    topic=topic,
                    token=secrets.token_urlsafe(24),
                    secret=secrets.token_urlsafe(32),
                    asked=now,
                    next_try=now,
                )
            )
        elif known.state is PushState.LIVE and report.visit.new:
            was_told = known.last_ping is not None and known.last_ping >= report.visit.started - _TOLD
            misses = 0 if was_told else known.misses + 1
            if misses != known.misses:
                self._store.push.put_subscription(replace(known, misses=misses))

    # --- asking hubs ---

    async def run(self) -> None:
        """Until cancelled. Whoever runs it starts it again if it fails; a hub that was not asked is asked then."""
        while self.is_on:
            if self.may_ask():
                now = self._clock.now()
                due = await self._executor.read(self._store.push.subscriptions_due, now=now, limit=_IN_SIGHT)
                await asyncio.gather(*(self._ask(subscription) for subscription in _some_of_each(due)))
            if self._has_news:
                await self._publish()
            await self._clock.sleep(_EVERY)

    async def _ask(self, subscription: Subscription) -> None:
        try:
            async with self._hub.turn(subscription.hub):
                await self._ask_now(subscription)
        except HopRefused as later:
            log.debug("a hub is asked later: %s", later, extra={"url": subscription.hub})
            again = self._clock.now() + max(later.retry_after or 0.0, _EVERY)
            await self._executor.write(self._store.push.put_subscription, replace(subscription, next_try=again))

    async def _ask_now(self, subscription: Subscription) -> None:
        fields = {
            "hub.mode": "subscribe",
            "hub.topic": subscription.topic,
            "hub.callback": f"{self._settings.callback.rstrip('/')}/push/{subscription.token}",
            "hub.lease_seconds": str(int(self._settings.lease)),
            "hub.secret": subscription.secret,
        }
        # Noted before asking: a quick hub calls back before its answer has reached us. For a short time only: if we end
        # meanwhile, it is asked again by whoever comes after us.
        now = self._clock.now()
        failures = subscription.failures + 1
        asked = replace(subscription, asked=now, failures=failures, next_try=now + _ASKING, error="")
        await self._executor.write(self._store.push.put_subscription, asked)
        error = await self._hub.ask(subscription.hub, fields)
        if error:
            log.info("a hub did not take our subscription", extra={"url": subscription.hub, "outcome": error})
        wait = backoff(failures, base=_VERIFIED_WITHIN, cap=_LONGEST_WAIT)
        await self._executor.write(self._note_answer, asked, error, now + wait)

    def _note_answer(self, asked: Subscription, error: str, next_try: float) -> None:
        known = self._store.push.subscription(asked.resource)
        if known is None or known.token != asked.token:
            return
        if known.next_try == asked.next_try:  # the hub has not called back yet
            known = replace(known, next_try=next_try)
        if error:
            still = PushState.LIVE if known.state is PushState.LIVE else PushState.FAILED
            known = replace(known, state=still, error=error)
        self._store.push.put_subscription(known)

    async def _publish(self) -> None:
        """Tell our hub which query feeds changed; what it does not take is told again."""
        now, since = self._clock.now(), self._told
        self._has_news = False
        names = await self._executor.read(self._changed_since, since)
        base = self._settings.callback.rstrip("/")
        for name in names:
            for form in ("atom", "rss", "json"):
                topic = f"{base}/feeds/q/{name}.{form}"
                error = await self._tell_hub(topic)
                if error:
                    log.info("our hub could not be told", extra={"url": self._settings.hub, "outcome": error})
                    self._has_news = True
                    return
        self._told = now

    async def _tell_hub(self, topic: str) -> str:
        try:
            async with self._hub.turn(self._settings.hub):
                return await self._hub.ask(self._settings.hub, {"hub.mode": "publish", "hub.url": topic})
        except HopRefused as later:
            return str(later)

    def _changed_since(self, since: float) -> list[str]:
        names: list[str] = []
        after = ""
        while page := self._store.queries.list_queries(after=after, limit=1000):
            names += [query.name for query in page if query.modified >= since]
            after = page[-1].name
        return names

    async def close(self) -> None:
        await self._hub.close()

    # --- what hubs tell ---

    def knows(self, token: str) -> bool:
        """Whether we gave this token to a hub."""
        return bool(_TOKEN.fullmatch(token)) and self._store.push.subscription_by_token(token) is not None

    def verify(self, token: str, *, mode: str, topic: str, lease: float | None, now: float) -> bool:
        """Whether we meant it: a hub asks before it begins, renews or ends a subscription."""
        known = self._store.push.subscription_by_token(token)
        if known is None:
            return False
        if mode == "denied":
            self._store.push.put_subscription(
                replace(known, state=PushState.REFUSED, next_try=now + _REFUSED_WAIT, error="the hub refused")
            )
            return True
        if mode != "subscribe" or topic != known.topic:  # we never unsubscribe: a subscription runs out by itself
            return False
        given = self._settings.lease if lease is None or not math.isfinite(lease) else lease
        span = min(max(given, _SHORTEST_LEASE), _LONGEST_LEASE)
        self._store.push.put_subscription(
            replace(known, state=PushState.LIVE, expires=now + span, next_try=now + _RENEW * span, failures=0, error="")
        )
        return True

    def receive(self, token: str, *, signature: str, body: bytes, now: float) -> bool | None:
        """Something was published: visit the feed. False: wrongly signed, and ignored; None: not our address."""
        known = self._store.push.subscription_by_token(token)
        if known is None:
            return None
        if not is_signed(known.secret, signature, body):
            log.warning("a push was not signed rightly and is ignored", extra={"url": known.topic})
            return False
        self._store.push.put_subscription(replace(known, pings=known.pings + 1, last_ping=now, misses=0))
        with suppress(LookupError):
            self._store.update(known.resource, due=now)
            self._poke()
        return True


def is_signed(secret: str, signature: str, body: bytes) -> bool:
    """Whether ``X-Hub-Signature`` is ours (WebSub §8).

    >>> is_signed("key", "sha256=" + hmac.new(b"key", b"news", "sha256").hexdigest(), b"news")
    True
    >>> is_signed("key", "sha256=00", b"news"), is_signed("key", "md5=00", b"news"), is_signed("key", "", b"")
    (False, False, False)
    """
    method, _, given = signature.strip().partition("=")
    if method.lower() not in _METHODS:
        return False
    expected = hmac.new(secret.encode(), body, _METHODS[method.lower()]).hexdigest()
    return hmac.compare_digest(expected.encode(), given.strip().lower().encode("utf-8", "replace"))


def _some_of_each(due: Sequence[Subscription]) -> list[Subscription]:
    """The first of each hub."""
    seen: Counter[str] = Counter()
    chosen = []
    for subscription in due:
        seen[subscription.hub] += 1
        if seen[subscription.hub] <= _OF_A_HUB:
            chosen.append(subscription)
    return chosen


def _topic(resource: Resource) -> str:
    """What the hub knows the feed as: its own word for itself, if it is one of the web."""
    named = resource.facts.self_url
    return named if named.startswith(("https://", "http://")) else resource.url
