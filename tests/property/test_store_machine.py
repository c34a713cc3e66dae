"""The store against a model of dictionaries: whatever is done in whatever order, both say the same."""

import math
import shutil
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule

from afresh.base.models import Lease, NewResource, Status
from afresh.store import open_store
from tests.fakes.stores import new_postgres_store, reuse
from tests.laws.store_material import NOW, entry, report

SITES = ("a.example", "b.example", "c.example")
PATHS = st.integers(0, 5)
SECONDS = st.integers(0, 200).map(float)


@dataclass
class ModelResource:
    site: str
    due: float
    status: Status = Status.ACTIVE


@dataclass
class ModelSite:
    next_allowed: float = 0.0
    lease: int | None = None
    leased: str = ""
    until: float = 0.0


@dataclass
class Model:
    resources: dict[str, ModelResource] = field(default_factory=dict)  # by URL
    sites: dict[str, ModelSite] = field(default_factory=lambda: {name: ModelSite() for name in SITES})
    visits: list[str] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)

    def ready(self, name: str) -> float:
        site = self.sites[name]
        dues = [r.due for r in self.resources.values() if r.site == name and r.status is Status.ACTIVE]
        held = site.until if site.lease is not None else 0.0
        return max(held, site.next_allowed, min(dues)) if dues else math.inf


class StoreMachine(RuleBasedStateMachine):
    """Adds, leases, records, lets time pass, updates, removes, closes and opens again."""

    leases = Bundle("leases")

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.url = self.new()
        self.store = open_store(self.url)
        self.model = Model()
        self.now = NOW
        self.numbers: dict[str, int] = {}
        self.count = 0

    def new(self) -> str:
        """The URL of an empty store."""
        return str(self.folder / "store.db")

    def teardown(self) -> None:
        self.store.close()
        shutil.rmtree(self.folder)

    @rule(site=st.sampled_from(SITES), path=PATHS, wait=SECONDS)
    def add(self, site: str, path: int, wait: float) -> None:
        url = f"http://{site}/{path}"
        [added] = self.store.add([NewResource(url=url, site=site, due=self.now + wait)], now=self.now)
        assert added.is_new == (url not in self.model.resources)
        self.numbers[url] = added.id
        self.model.resources.setdefault(url, ModelResource(site, self.now + wait))

    @rule(seconds=SECONDS)
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule(target=leases, limit=st.integers(1, 4), span=st.integers(1, 100))
    def lease(self, limit: int, span: int) -> object:
        expected = {name for name in SITES if self.model.ready(name) <= self.now}
        taken = self.store.lease(holder="machine", now=self.now, until=self.now + span, limit=limit)
        assert len(taken) == min(limit, len(expected))
        for lease in taken:
            assert lease.site in expected
            due = min(
                r.due for r in self.model.resources.values() if r.site == lease.site and r.status is Status.ACTIVE
            )
            assert lease.resource.due == due <= self.now
            site = self.model.sites[lease.site]
            assert site.lease is None or lease.id > site.lease
            site.lease, site.leased, site.until = lease.id, lease.resource.url, self.now + span
        return multiple(*taken)

    @rule(lease=leases, wait=SECONDS, delay=st.integers(0, 50), found=st.integers(0, 2), gone=st.booleans())
    def record(self, lease: Lease, wait: float, delay: int, found: int, gone: bool) -> None:
        site = self.model.sites[lease.site]
        resource = self.model.resources.get(lease.resource.url)
        current = site.lease == lease.id
        same = resource is not None and self.numbers[lease.resource.url] == lease.resource.id
        self.count += 1
        new = tuple(entry(f"{self.count}/{i}") for i in range(found))
        status = Status.GONE if gone else Status.ACTIVE
        made = report(lease, self.now, due=self.now + wait, next_allowed=self.now + delay, entries=new, status=status)
        assert self.store.record([made]) == [current and same]
        if current:
            site.lease, site.next_allowed = None, self.now + delay
        if current and same and resource is not None:
            resource.due = self.now + wait
            if gone and resource.status is not Status.PAUSED:
                resource.status = Status.GONE
            self.model.visits.append(lease.resource.url)
            self.model.entries += [made_entry.parsed.title for made_entry in new]

    @rule(lease=consumes(leases))
    def release(self, lease: Lease) -> None:
        self.store.release([lease.id], now=self.now)
        site = self.model.sites[lease.site]
        if site.lease == lease.id:
            site.lease = None

    @rule(choice=st.integers(0, 100), status=st.sampled_from(Status), wait=st.none() | SECONDS)
    def update(self, choice: int, status: Status, wait: float | None) -> None:
        if self.model.resources:
            url = sorted(self.model.resources)[choice % len(self.model.resources)]
            resource = self.model.resources[url]
            due = resource.due if wait is None else self.now + wait
            self.store.update(self.numbers[url], status=status, due=due)
            self.model.resources[url] = replace(resource, status=status, due=due)

    @rule(choice=st.integers(0, 100))
    def remove(self, choice: int) -> None:
        if self.model.resources:
            url = sorted(self.model.resources)[choice % len(self.model.resources)]
            assert self.store.remove([self.numbers[url]]) == 1
            titles = {stored.entry.parsed.title for stored in self.store.entries(limit=1000)}
            del self.model.resources[url]
            self.model.visits = [visited for visited in self.model.visits if visited != url]
            self.model.entries = [title for title in self.model.entries if title in titles]

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = open_store(self.url)

    @invariant()
    def both_say_the_same(self) -> None:
        found = {r.url: ModelResource(r.site, r.due, r.status) for r in self.store.iterate()}
        assert found == self.model.resources
        first = min(self.model.ready(name) for name in SITES)
        assert (self.store.next_ready() or math.inf) == first
        for site in self.store.list_sites():
            assert site.ready == self.model.ready(site.name)
            assert site.resources == sum(r.site == site.name for r in found.values())
            assert bool(site.leased_by) == (self.model.sites[site.name].lease is not None)
        visits = [self.store.get(visit.resource).url for _, visit in self.store.visits(limit=1000)]
        assert visits[::-1] == self.model.visits
        assert [stored.entry.parsed.title for stored in self.store.entries(limit=1000)] == self.model.entries
        assert self.store.count() == len(found)


StoreMachine.TestCase.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
TestStore = StoreMachine.TestCase


class PostgresMachine(StoreMachine):
    """The same in PostgreSQL."""

    def new(self) -> str:
        return new_postgres_store()

    def teardown(self) -> None:
        super().teardown()
        reuse(self.url)


PostgresMachine.TestCase.settings = settings(max_examples=8, stateful_step_count=20, deadline=None)
TestPostgresStore = PostgresMachine.TestCase
