"""What the domains do in the daemon, each loaded when it is first needed or the store keeps something for it."""
# ruff: noqa: PLC0415 (that is the point)

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

from afresh.base.executor import Executor
from afresh.base.lazy import Once, WhenUsed
from afresh.base.settings import Settings
from afresh.parse.url import Sites

if TYPE_CHECKING:
    from afresh.base.models import Fetched
    from afresh.base.protocols import Clock, Store
    from afresh.base.records.notices import Sender
    from afresh.base.troubles import Troubles
    from afresh.engine.gate import Gate
    from afresh.engine.link_examples import ExamplePages
    from afresh.engine.link_visits import LinkVisits
    from afresh.links.judge import LinkJudge
    from afresh.notices.delivery import Courier
    from afresh.notices.websub import Pushes
    from afresh.pages.planner import PagePlanner
    from afresh.pages.revisiting import Revisiting


class Domains:
    """Planning of pages, checks of links, notices and push over one store."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        *,
        fetcher: Gate,
        executor: Executor,
        clock: Clock,
        price: Callable[[], float],
        poke: Callable[[], None],
        leads: Callable[[], bool],
        troubles: Callable[[], Troubles],
        seed: int | None = None,
    ) -> None:
        self._settings, self._store, self._fetcher, self._executor = settings, store, fetcher, executor
        self._clock, self._price, self._poke, self._seed, self._leads = clock, price, poke, seed, leads
        self._troubles = troubles
        self.may_prune: Callable[[], bool] = lambda: True  # whether the clock can be trusted with forgetting
        self.pages = Once(self._make_pages)
        self.revisiting = WhenUsed(self._make_revisiting, store=store, part="pages")
        self.judge = Once(self._make_judge)
        self.examples = Once(self._make_examples)
        self.sender = Once(self._make_sender)
        self.courier = WhenUsed(self._make_courier, store=store, part="notices")
        self.pushes = WhenUsed(self._make_pushes, store=store, part="push")

    def _make_pages(self) -> PagePlanner:
        from afresh.pages.planner import PagePlanner

        pages = PagePlanner(self._settings.revisit)
        pages.resume(self._store)
        return pages

    def _make_revisiting(self) -> Revisiting:
        from afresh.pages.announcements import Heralds
        from afresh.pages.revisiting import Revisiting
        from afresh.pages.site_plans import Replanner
        from afresh.pages.sitemaps import Sitemaps

        settings, store, pages = self._settings, self._store, self.pages()
        heralds = Heralds(store, pages)
        return Revisiting(
            Replanner(store, pages, self._price, settings.politeness.delay),
            heralds,
            Sitemaps(store, heralds, Sites(settings.politeness), settings.revisit),
        )

    def _make_judge(self) -> LinkJudge:
        from afresh.links.judge import LinkJudge
        from afresh.links.models import ActiveModel

        return LinkJudge(self._store.links, self._settings.links, model=ActiveModel(self._store.learning))

    def instead_of_itself(self, outcome: Fetched) -> str:
        """What a page shows that is not itself, in words: an error, a wall; empty: nothing of the kind."""
        from afresh.links.verdicts.without_model import inspect_page
        from afresh.links.versions import read_outcome

        signal = inspect_page(read_outcome(outcome))
        return "" if signal is None else f"it shows something else: {signal.kind.replace('_', ' ')}"

    def link_visits(self) -> LinkVisits:
        """The checker under a site's lease."""
        from afresh.engine.link_visits import LinkVisits

        settings = self._settings
        site_of, probing = Sites(settings.politeness).of, settings.links.probe
        return LinkVisits(
            self.judge(),
            self._fetcher,
            links=self._store.links,
            clock=self._clock,
            site_of=site_of,
            probing=probing,
        )

    def _make_examples(self) -> ExamplePages:
        from afresh.engine.link_examples import ExamplePages
        from afresh.links.checker import Checker

        return ExamplePages(Checker(self._fetcher.fetch, self.judge(), now=self._clock.now))

    def _make_sender(self) -> Sender:
        from afresh.notices.delivery import make_sender

        return make_sender(self._settings, clock=self._clock)

    def _make_courier(self) -> Courier:
        from afresh.notices.delivery import Courier

        courier = Courier(
            self._store,
            self.sender(),
            self._settings.notices,
            clock=self._clock,
            executor=self._executor,
            u=random.Random(self._seed).random,  # noqa: S311 (jitter, not a secret)
            troubles=self._troubles(),
        )
        courier.may_prune = self.may_prune
        return courier

    def _make_pushes(self) -> Pushes:
        from afresh.http.posting import Poster
        from afresh.notices.websub import HubClient, Pushes

        hub = HubClient(Poster(self._settings.fetch, clock=self._clock), self._fetcher.turn)
        settings = self._settings.push
        pushes = Pushes(self._store, hub, settings, clock=self._clock, executor=self._executor, poke=self._poke)
        pushes.may_ask = self._leads
        return pushes

    async def close(self) -> None:
        """Those that were made and hold connections."""
        for part in (self.sender.made, self.pushes.made):
            if part is not None:
                await part.close()
