"""Pages visited as the daemon visits them, in virtual time: judged, planned and recorded in a store."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from afresh.base.models import Fetched, Kind, Lease, Outcome, Rejected, Report, Trip
from afresh.base.protocols import Store
from afresh.base.records.watches import Watch
from afresh.base.settings import Settings
from afresh.base.settings.sections import LinkSettings, PageSettings, PolitenessSettings, RevisitSettings
from afresh.base.visits import Answer
from afresh.engine.add import Wanted, add
from afresh.engine.kinds import make_kinds
from afresh.engine.link_visits import LinkVisits
from afresh.engine.visit import Concluder
from afresh.engine.watch_pages import page_scope
from afresh.links.judge import LinkJudge
from afresh.links.verdicts.model import default_model
from afresh.links.verdicts.without_model import inspect_page
from afresh.links.versions import read_outcome
from afresh.parse.pictures import write_png
from afresh.parse.url import Sites
from tests.fakes.fake_web import FakeWeb, HandClock
from tests.fakes.gates import gate_to

START = 1_760_000_000.0
DAY = 86_400.0
_DEAR = 1e12  # stale seconds that a visit costs: pages are visited as seldom as may be
HTML = "text/html; charset=utf-8"


def fetched(url: str, body: bytes, now: float, content_type: str = HTML) -> Fetched:
    """A page that arrived."""
    headers = {"content-type": content_type}
    trip = Trip(url=url, final_url=url, started=now, finished=now, headers=headers, bytes=len(body))
    return Fetched(trip=trip, status=200, body=body)


def instead_of_itself(outcome: Fetched) -> str:
    """What a page shows instead of itself, as the verdicts of links tell it."""
    signal = inspect_page(read_outcome(outcome))
    return "" if signal is None else str(signal.kind)


def concluder_of(store: Store, settings: Settings) -> Concluder:
    """Judges visits as the daemon does, where requests are dear."""
    sites = Sites(settings.politeness)

    def checks() -> LinkVisits:
        clock = HandClock(START)
        judge = LinkJudge(store.links, LinkSettings(), model=lambda _: default_model())
        gate = gate_to(FakeWeb(clock), clock)
        return LinkVisits(judge, gate, links=store.links, clock=clock, site_of=sites.of)

    kinds = make_kinds(
        settings,
        store=store,
        price=lambda _: _DEAR,
        oddness=instead_of_itself,
        checks=checks,
    )
    return Concluder(settings, kinds, sites)


class WatchedPages:
    """Pages of a store, each visited when a test says so."""

    def __init__(self, store: Store, *, pages: PageSettings | None = None, longest: float = DAY / 4) -> None:
        self.store = store
        self.settings = Settings(
            politeness=PolitenessSettings(delay=0.0),
            revisit=RevisitSettings(longest=longest),
            pages=PageSettings() if pages is None else pages,
        )
        self._concluder = concluder_of(store, self.settings)
        self.now = START

    def add(self, url: str = "http://page.example/", **wanted: object) -> int:
        new = Wanted(url=url, kind=Kind.PAGE, **wanted)  # type: ignore[arg-type]
        [added] = add(self.store, [new], self.settings, now=self.now)
        assert added.id is not None
        return added.id

    def watch(self, number: int, watch: Watch) -> None:
        """From the next visit on."""
        self.store.watches.put_watch(page_scope(number), watch)
        self._concluder = concluder_of(self.store, self.settings)  # seen at once

    def visit(
        self,
        number: int,
        body: str | bytes,
        *,
        content_type: str = HTML,
        after: float = DAY / 4,
        picture: bytes = b"",
    ) -> Report:
        """A visit that shows this."""
        lease, leases = self._lease(number, after)
        outcome = fetched(lease.resource.url, body.encode() if isinstance(body, str) else body, self.now, content_type)
        outcome = replace(outcome, picture=picture)
        return self._conclude(lease, outcome, leases)

    def refused(self, number: int, status: int = 404, *, after: float = DAY / 4) -> list[str]:
        """A visit that is answered with an error; what was told of it."""
        lease, leases = self._lease(number, after)
        url = lease.resource.url
        trip = Trip(url=url, final_url=url, started=self.now, finished=self.now, headers={"date": ""})
        return told(self._conclude(lease, Rejected(trip=trip, status=status), leases))

    def _lease(self, number: int, after: float) -> tuple[Lease, list[Lease]]:
        """Its lease, and all that were taken with it."""
        self.now += after
        self.store.bring_forward([number], now=self.now)
        leases = self.store.lease(limit=1_000, now=self.now, until=self.now + 60.0, holder="test")
        [lease] = [lease for lease in leases if lease.resource.id == number]
        return lease, leases

    def _conclude(self, lease: Lease, outcome: Outcome, leases: Sequence[Lease]) -> Report:
        report = self._concluder.conclude(Answer(lease=lease, outcome=outcome, site=self.store.site(lease.site)))
        assert self.store.record([report]) == [True]
        for other in leases:
            if other.id != lease.id:
                self.store.release([other.id], now=self.now)
        return report

    def see(self, number: int, *paragraphs: str, after: float = DAY / 4) -> list[str]:
        """A visit of a page of some paragraphs; what was told of it."""
        body = "<title>The page</title>" + "".join(f"<p>{text}</p>" for text in paragraphs)
        return told(self.visit(number, body, after=after))


def told(report: Report) -> list[str]:
    """Titles of what a visit told, without the name of the page."""
    return [entry.parsed.title.partition(": ")[2] for entry in report.entries]


def picture(grey: int = 255) -> bytes:
    """What a browser would have taken: a page of white, and a line of some grey."""
    pixels = np.full((100, 60, 3), 255, dtype=np.uint8)
    pixels[40:50, 10:50] = grey
    return write_png(pixels, level=0)
