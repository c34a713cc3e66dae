"""The budget of the daemon in virtual time: it is used, never exceeded, followed quickly and without swinging."""

import heapq
import math
import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from afresh.base.models import (
    Bounds,
    Counters,
    Entry,
    Failed,
    Failure,
    Kind,
    Lease,
    NotModified,
    ParsedEntry,
    Report,
    Resource,
    Result,
    Trip,
    Visit,
)
from afresh.base.settings.sections import BudgetSettings
from afresh.engine.budget import Budget
from afresh.engine.budget_report import kept_report
from afresh.store import open_store
from tests.fakes.service_context import NOW, visit, watch

HOUR = 3600.0
PER_HOUR = 1200.0
BOUNDS = Bounds(shortest=30.0, longest=7 * 86_400.0)


def source(number: int, size: int = 0) -> Resource:
    counters = Counters(ok=1, bytes=size) if size else Counters()
    return Resource(
        id=number,
        url=f"https://h{number}.example/",
        site=f"h{number}",
        kind=Kind.FEED,
        counters=counters,
        added=0.0,
        due=0.0,
    )


def entry(*, published: float, found: float) -> Entry:
    parsed = ParsedEntry(title="t")
    return Entry(
        uid=b"", parsed=parsed, published=published, published_raw=None, found=found, initial=False, after_gap=False
    )


class Web:
    """Sources polled at the interval sqrt(2·price/rate), served as the loop serves them."""

    def __init__(self, rates: list[float], settings: BudgetSettings, *, sizes: list[int] | None = None) -> None:
        self.rates, self.settings, self.now = rates, settings, 0.0
        self.sizes = sizes or [10_000] * len(rates)
        self.rng = random.Random(3)
        self.budget = Budget(settings)
        self.budget.bounds = lambda _: BOUNDS
        self.known = [source(n, self.sizes[n]) for n in range(len(rates))]
        self.known = [replace(one, due=self.rng.uniform(0, self.interval(one.id))) for one in self.known]
        self.queue = [(one.due, one.id) for one in self.known]
        heapq.heapify(self.queue)
        self.served: list[tuple[float, int]] = []
        self.prices: list[float] = []
        self.delays: list[tuple[float, float]] = []

    def begin_again(self, settings: BudgetSettings, folder: Path) -> None:
        """As a new run begins, with what the store knows."""
        store = open_store(str(folder / "again.db"))
        self.budget.keep(store)
        self.budget = Budget.resumed(settings, store)
        store.close()
        self.budget.bounds = lambda _: BOUNDS
        self.budget.steer().resume(self.now)
        self.budget.steer().load(self.known)

    def interval(self, number: int) -> float:
        wanted = math.sqrt(2.0 * self.budget.price_for(self.known[number]) / self.rates[number])
        return min(max(wanted, BOUNDS.shortest), BOUNDS.longest)

    def run(self, hours: float, *, step: float = 1.0) -> None:
        end = self.now + HOUR * hours
        while self.now < end:
            self.now += step
            for number in self.budget.steer().ahead(self.now):
                if self.known[number].due > self.now:
                    self.known[number] = replace(self.known[number], due=self.now)
                    heapq.heappush(self.queue, (self.now, number))
            for _ in range(self.budget.steer().room(self.now)):
                if self.queue[0][0] > self.now:
                    break
                due, number = heapq.heappop(self.queue)
                if due == self.known[number].due:  # else it was visited ahead of this time
                    self.visit(number)
            if self.budget.steer().needs_correction(self.now):
                self.budget.steer().correct(self.now, len(self.rates))
                self.prices.append(self.budget.price)

    def visit(self, number: int) -> None:
        before = self.known[number]
        lease = Lease(id=len(self.served), site=before.site, until=self.now + 300.0, resource=before)
        self.budget.note_leased([lease], self.now)
        trip = Trip(url=before.url, final_url=before.url, started=self.now, finished=self.now, bytes=self.sizes[number])
        interval = self.interval(number)
        after = replace(
            before, due=self.now + interval, last_interval=interval, last_ok=self.now, last_visit=self.now,
            last_result=Result.SAME,
            counters=replace(before.counters, ok=before.counters.ok + 1, bytes=before.counters.bytes + trip.bytes),
        )  # fmt: skip
        entries = self.published(number, before.last_ok)
        visit = Visit(
            resource=number, started=self.now, finished=self.now, result=Result.NEW if entries else Result.SAME
        )
        report = Report(lease=lease.id, visit=visit, resource=after, next_allowed=self.now, entries=entries)
        self.budget.note_done(lease, NotModified(trip=trip), report)
        self.known[number] = after
        self.served.append((self.now, trip.bytes))
        heapq.heappush(self.queue, (after.due, number))

    def published(self, number: int, since: float | None) -> tuple[Entry, ...]:
        """What came since the visit before: a Poisson process."""
        if since is None:
            return ()
        at, found = since, []
        while (at := at + self.rng.expovariate(self.rates[number])) < self.now:
            found.append(at)
            self.delays.append((self.now, self.now - at))
        return tuple(entry(published=at, found=self.now) for at in found)

    def use(self, since: float, until: float) -> int:
        return sum(since < at <= until for at, _ in self.served)

    def received(self, since: float, until: float) -> int:
        return sum(size for at, size in self.served if since < at <= until)

    def mean_delay(self, since: float) -> float:
        lately = [delay for at, delay in self.delays if at > since]
        return sum(lately) / len(lately)


def rates(count: int = 300) -> list[float]:
    rng = random.Random(0)
    return [rng.lognormvariate(-9, 1.5) for _ in range(count)]


@pytest.fixture(scope="module")
def settled() -> Web:
    web = Web(rates(), BudgetSettings(requests_per_hour=PER_HOUR))
    web.run(8)
    return web


def test_the_hourly_use_stays_within_five_per_cent(settled: Web) -> None:
    for hour in range(2, 8):
        assert 0.95 * PER_HOUR <= settled.use(HOUR * hour, HOUR * (hour + 1)) <= 1.05 * PER_HOUR


def test_no_hour_at_all_exceeds_the_cap(settled: Web) -> None:
    times = [at for at, _ in settled.served]
    first = 0
    for last, at in enumerate(times):
        while times[first] <= at - HOUR:
            first += 1
        assert last - first + 1 <= 1.05 * PER_HOUR


def test_the_price_settles_where_the_square_root_law_says_and_stays(settled: Web) -> None:
    # requests a second = Σ sqrt(rate / (2·price)), hence the price that spends exactly the budget
    exact = (sum(math.sqrt(rate / 2.0) for rate in settled.rates) / (PER_HOUR / HOUR)) ** 2
    assert settled.prices[-1] == pytest.approx(exact, rel=0.2)
    last = settled.prices[-120:]
    assert max(last) / min(last) < 1.25, "it must not oscillate"
    # no swinging: over two hours the way travelled is not many times the distance
    travelled = sum(abs(math.log(b / a)) for a, b in pairwise(last))
    assert travelled < 1.0


def test_a_doubled_publication_rate_is_answered_within_a_quarter_of_an_hour() -> None:
    web = Web(rates(), BudgetSettings(requests_per_hour=PER_HOUR))
    web.run(6)
    before, now = web.budget.price, web.now
    web.rates = [2 * rate for rate in web.rates]
    web.run(0.25)
    assert 0.95 * 300 <= web.use(now, now + 900) <= 1.05 * 300 + 48, "the use does not move"
    assert web.budget.price > 1.2 * before, "the price does: twice the rate, twice the price for the same requests"
    web.run(3)
    assert web.budget.price == pytest.approx(2 * before, rel=0.25)
    assert 0.95 * PER_HOUR <= web.use(web.now - HOUR, web.now) <= 1.05 * PER_HOUR


SIZES = [2_000 if n % 2 else 200_000 for n in range(300)]


def test_bytes_alone_are_held_and_large_sources_pay_more() -> None:
    per_hour = 30e6
    web = Web([1e-4] * 300, BudgetSettings(bytes_per_hour=per_hour), sizes=SIZES)
    web.run(12)
    for hour in range(1, 12):
        assert web.received(HOUR * hour, HOUR * (hour + 1)) <= 1.05 * per_hour
    for hour in range(8, 12):
        assert web.received(HOUR * hour, HOUR * (hour + 1)) >= 0.95 * per_hour
    assert web.interval(0) / web.interval(1) == pytest.approx(10.0, rel=0.05), "a hundred times the cost, ten times"
    assert web.budget.report(web.now).bytes_last_hour == pytest.approx(per_hour, rel=0.05)
    last = web.prices[-120:]
    assert max(last) / min(last) < 1.25, "it must not oscillate"


@pytest.mark.parametrize("size", [1e9, 60e6, 25e6])
def test_of_two_budgets_the_scarcer_one_is_used_up(size: float) -> None:
    """Requests, both, or bytes are scarce."""
    web = Web([1e-4] * 300, BudgetSettings(requests_per_hour=PER_HOUR, bytes_per_hour=size), sizes=SIZES)
    web.run(12)
    used = web.use(web.now - 2 * HOUR, web.now) / PER_HOUR / 2, web.received(web.now - 2 * HOUR, web.now) / size / 2
    assert 0.9 <= max(used) <= 1.05, used
    last = web.prices[-120:]
    assert max(last) / min(last) < 1.4


def test_an_answer_larger_than_the_bucket_does_not_stop_everything() -> None:
    web = Web([1e-3] * 20, BudgetSettings(bytes_per_hour=1e6), sizes=[300_000] * 20)
    web.run(24, step=5.0)
    assert 0.8 * 24e6 <= web.received(0.0, web.now) <= 1.1 * 24e6


@pytest.mark.parametrize("start", [10.0, 2e4])
def test_a_quality_target_is_reached_with_the_requests_it_takes(start: float) -> None:
    target = 1200.0
    web = Web([2e-4] * 200, BudgetSettings(mean_delay=target, price=start))
    web.run(16)
    assert web.mean_delay(web.now - 3 * HOUR) == pytest.approx(target, rel=0.1)
    # the mean delay of a Poisson source is half its interval: fewer requests would not do
    needed = len(web.rates) * HOUR / (2 * target)
    assert web.use(web.now - 4 * HOUR, web.now) / 4 == pytest.approx(needed, rel=0.1)
    last = web.prices[-120:]
    assert max(last) / min(last) < 1.3, "it must not oscillate"


def test_backdated_entries_do_not_drive_the_target() -> None:
    web = Web([2e-4] * 20, BudgetSettings(mean_delay=600.0))
    web.run(4)
    price = web.budget.price
    [lease] = [Lease(id=10**6, site="h0", until=web.now, resource=web.known[0])]
    old = entry(published=0.0, found=web.now)
    visit = Visit(resource=0, started=web.now, finished=web.now, result=Result.NEW)
    trip = Trip(url="u", final_url="u", started=web.now, finished=web.now)
    after = replace(web.known[0], due=web.now + 100.0)
    report = Report(lease=lease.id, visit=visit, resource=after, next_allowed=web.now, entries=(old,) * 5)
    web.budget.note_done(lease, NotModified(trip=trip), report)
    web.budget.steer().correct(web.now, 20)
    assert web.budget.price > 0.5 * price


def test_a_new_run_has_the_account_of_the_one_before(tmp_path: Path) -> None:
    store, now = open_store(str(tmp_path / "kept.db")), NOW
    per_hour = BudgetSettings(requests_per_hour=60.0)
    first = Budget.resumed(per_hour, store)
    first.recall(store, now)
    assert first.steer().room(now) == 1, "nobody waits a minute for the first request"
    watch(store, "https://host.example/feed")
    visit(store, at=now)
    for seconds, room in ((1.0, 0), (59.0, 0), (61.0, 1), (86_400.0, 2)):
        again = Budget.resumed(per_hour, store)
        again.recall(store, now + seconds)
        assert again.steer().room(now + seconds) == room, seconds
        assert again.report(now + seconds).used_last_hour == (seconds < HOUR)
    store.close()


def test_requests_that_are_no_visits_are_not_forgotten_by_a_restart(tmp_path: Path) -> None:
    """robots.txt and hops of redirects; the daemon said at its last report how many there were."""
    store, per_hour = open_store(str(tmp_path / "kept.db")), BudgetSettings(requests_per_hour=600.0)
    first = Budget.resumed(per_hour, store)
    first.recall(store, NOW)
    for minute in range(4):
        watch(store, f"https://host{minute}.example/feed")
        visit(store, at=NOW + 60.0 * minute)
        first.requests.add(NOW + 60.0 * minute, 2.5)
    first.begin(NOW + 240.0)
    first.keep(store)
    again = Budget.resumed(per_hour, store)
    again.recall(store, NOW + 300.0)
    assert again.report(NOW + 300.0).used_last_hour == 10
    late = Budget.resumed(per_hour, store)
    late.recall(store, NOW + 2 * HOUR)
    assert late.report(NOW + 2 * HOUR).used_last_hour == 0
    store.close()


@pytest.mark.parametrize("bytes_per_hour", [0.0, 20e6])
def test_a_new_run_under_the_same_budget_goes_on_at_its_price(bytes_per_hour: float, tmp_path: Path) -> None:
    """What is planned was planned at prices that the store does not tell: it says little about the right one."""
    settings = BudgetSettings(requests_per_hour=600.0, bytes_per_hour=bytes_per_hour)
    web = Web(rates(), settings, sizes=[2_000 if n % 2 else 200_000 for n in range(300)])
    web.run(4, step=5.0)
    web.rates = [1.5 * rate for rate in web.rates]  # the price is on its way when the run ends
    web.run(0.1, step=5.0)
    for _ in range(5):
        before, by_byte, corrections = web.budget.price, web.budget.by_byte, len(web.prices)
        web.begin_again(settings, tmp_path)
        web.run(0.1, step=5.0)
        assert web.prices[corrections] == pytest.approx(before, rel=0.005)
        assert web.prices[-1] == pytest.approx(before, rel=0.06)
        assert web.budget.by_byte == pytest.approx(by_byte, abs=0.02)


def test_a_new_run_under_another_budget_finds_its_price_at_once(tmp_path: Path) -> None:
    web = Web(rates(), BudgetSettings(requests_per_hour=PER_HOUR))
    web.run(2, step=5.0)
    before = web.budget.price
    for _ in range(2):  # a run that ends before its first correction has steered nothing
        web.begin_again(BudgetSettings(requests_per_hour=PER_HOUR / 1.5), tmp_path)
    web.run(1 / 60, step=5.0)
    assert web.budget.price == pytest.approx(1.5**2 * before, rel=0.05)


def test_what_the_daemon_said_can_be_read_from_the_store(settled: Web, tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "kept.db"))
    assert kept_report(store) is None
    settled.budget.keep(store)
    report = kept_report(store)
    assert report is not None
    assert report.used_last_hour == pytest.approx(settled.use(settled.now - HOUR, settled.now), abs=30)
    assert report.mean_delay is not None
    assert report.delay_with_ten_percent_more == pytest.approx(report.mean_delay / 1.1)
    assert Budget.resumed(settled.settings, store).price == settled.budget.price
    store.close()


def test_settled_means_a_price_that_stands_still_and_a_budget_that_is_used(settled: Web) -> None:
    assert settled.budget.steer().is_settled(settled.now) is True
    assert Budget(settled.settings).steer().is_settled(settled.now) is False, "nothing was seen yet"
    assert Budget(BudgetSettings()).steer().is_settled(settled.now) is None, "there is nothing to hold"
    settled.budget.steer()._course.append(1.1 * settled.budget.price)
    assert settled.budget.steer().is_settled(settled.now) is False, "the price still moves"


def test_a_budget_larger_than_all_may_be_asked_is_settled_when_everybody_is() -> None:
    web = Web([1.0] * 3, BudgetSettings(requests_per_hour=1e4))
    web.run(2)
    assert web.budget.steer().is_settled(web.now) is True
    assert web.budget.steer().is_settled(web.now + HOUR) is False, "nothing was asked for an hour"


def test_what_more_would_buy_is_told_only_where_more_could_be_spent(settled: Web) -> None:
    web = Web([1.0] * 3, BudgetSettings(requests_per_hour=1e4))
    web.run(2)
    report = web.budget.report(web.now)
    assert report.mean_delay is not None
    assert report.delay_with_ten_percent_more is None, "everybody is asked as often as may be"
    assert settled.budget.report(settled.now).delay_with_ten_percent_more is not None


def test_a_budget_that_is_a_ceiling_leaves_everybody_as_without_one() -> None:
    """A monthly feed is not asked every minute because there are requests to spare."""
    web = Web([1.0 / (30 * 24 * HOUR)] * 5, BudgetSettings(requests_per_hour=1000.0, spend="needed"))
    without = [math.sqrt(2.0 * 1000.0 / rate) for rate in web.rates]
    web.run(72, step=20.0)
    assert web.budget.price == 1000.0
    assert [web.interval(number) for number in range(5)] == pytest.approx(without)
    assert web.use(0.0, web.now) <= 5 * (1 + 72 * HOUR / without[0])
    report = web.budget.report(web.now)
    assert (report.settled, report.spend, report.delay_with_ten_percent_more) == (True, "needed", None)


def test_a_ceiling_that_is_reached_is_used_up_like_a_budget() -> None:
    web = Web(rates(), BudgetSettings(requests_per_hour=PER_HOUR, spend="needed", price=1.0))
    web.run(8)
    for hour in range(4, 8):
        assert 0.95 * PER_HOUR <= web.use(HOUR * hour, HOUR * (hour + 1)) <= 1.05 * PER_HOUR
    exact = (sum(math.sqrt(rate / 2.0) for rate in web.rates) / (PER_HOUR / HOUR)) ** 2
    assert web.prices[-1] == pytest.approx(exact, rel=0.2)


def test_a_ceiling_begins_where_an_earlier_run_had_spent_all(settled: Web, tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "kept.db"))
    settled.budget.keep(store)
    assert settled.budget.price < 1e6
    budget = Budget.resumed(BudgetSettings(requests_per_hour=PER_HOUR, spend="needed", price=1e6), store)
    assert budget.price == 1e6
    store.close()


def test_under_a_ceiling_small_documents_are_not_cheaper_and_large_ones_only_where_bytes_are_scarce() -> None:
    ample = Web([1e-4] * 300, BudgetSettings(bytes_per_hour=1e12, spend="needed"), sizes=SIZES)
    ample.run(3)
    assert [ample.budget.price_for(one) for one in ample.known[:2]] == [1000.0, 1000.0]
    scarce = Web([1e-4] * 300, BudgetSettings(bytes_per_hour=30e6, spend="needed", price=1.0), sizes=SIZES)
    scarce.run(12)
    assert scarce.received(scarce.now - HOUR, scarce.now) == pytest.approx(30e6, rel=0.05)
    assert scarce.interval(0) / scarce.interval(1) == pytest.approx(10.0, rel=0.05)


def test_a_rule_with_a_higher_price_of_its_own_keeps_it_under_a_ceiling() -> None:
    budget = Budget(BudgetSettings(requests_per_hour=PER_HOUR, spend="needed"))
    budget.own_price = lambda resource: 5000.0 if resource.id == 1 else 10.0 if resource.id == 2 else None
    assert [budget.price_for(source(number)) for number in range(3)] == [1000.0, 5000.0, 1000.0]
    assert Budget(BudgetSettings(mean_delay=600.0, spend="needed")).settings.floor == 0.0, "a target says what it takes"


def test_an_outage_of_ours_is_no_demand() -> None:
    web = Web(rates(50), BudgetSettings(requests_per_hour=200.0))
    web.run(4)
    price = web.budget.price
    for number in range(50):
        before = web.known[number]
        lease = Lease(id=10**6 + number, site=before.site, until=web.now, resource=before)
        trip = Trip(url="u", final_url="u", started=web.now, finished=web.now, requests=0)
        visit = Visit(resource=number, started=web.now, finished=web.now, result=Result.OFFLINE)
        report = Report(lease=lease.id, visit=visit, resource=replace(before, due=web.now + 60.0), next_allowed=web.now)
        web.budget.note_done(lease, Failed(trip=trip, cause=Failure.OFFLINE), report)
    web.budget.steer().correct(web.now, 50)
    assert web.budget.price == pytest.approx(price, rel=0.3)


@pytest.mark.parametrize("result", [Result.THROTTLED, Result.OFFLINE])
def test_visits_that_an_earlier_run_kept_back_are_no_demand(result: Result) -> None:
    """Seconds until another try are no interval: a few of them were more than the budget, and the price ran away."""
    settings = BudgetSettings(requests_per_hour=3_600.0, spend="needed")
    budget = Budget(settings)
    planned = [
        replace(source(n), last_visit=NOW, last_result=Result.NEW, last_interval=HOUR, due=NOW + HOUR)
        for n in range(50)
    ]
    kept_back = [replace(source(50 + n), last_visit=NOW, last_result=result, due=NOW + 2.0) for n in range(3)]
    steering = budget.steer()
    steering.load([*planned, *kept_back])
    for step in range(10):
        steering.correct(NOW + 60.0 * step, 150)
    assert budget.price == settings.floor


def leased(budget: Budget, number: int = 1) -> Lease:
    lease = Lease(id=number, site=f"h{number}", until=300.0, resource=source(number, 10_000))
    budget.note_leased([lease], 0.0)
    return lease


def test_requests_for_robots_are_paid_for() -> None:
    used = []
    for asked in (0, 2):
        budget = Budget(BudgetSettings(requests_per_hour=PER_HOUR, bytes_per_hour=1e6))
        budget.steer().room(0.0)
        lease = leased(budget)
        trip = Trip(url="", final_url="", started=0.0, finished=0.0, robots_requests=asked, robots_bytes=500 * asked)
        visit = Visit(resource=1, started=0.0, finished=0.0, result=Result.SAME)
        after = replace(lease.resource, due=60.0)
        report = Report(lease=1, visit=visit, resource=after, next_allowed=0.0)
        budget.note_done(lease, NotModified(trip=trip), report)
        used.append(budget.report(0.0).used_last_hour)
    assert used == [1, 3]


def test_what_was_set_aside_for_a_visit_that_is_lost_is_free_again() -> None:
    budget = Budget(BudgetSettings(bytes_per_hour=1e8))
    budget.steer().room(0.0)
    at_first = budget.steer().room(60.0)
    leases = [leased(budget, number) for number in range(at_first)]
    assert budget.steer().room(60.0) < at_first
    for lease in leases:
        budget.steer().note_lost(lease)
        budget.steer().note_lost(lease)
    assert budget.steer().room(60.0) == at_first
