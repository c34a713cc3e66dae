"""The pace is never exceeded; the price brings the queue on time and does not oscillate."""

import heapq
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afresh.core.budget import Bucket, Demand, hourly_bucket, moved_price


@given(
    steps=st.lists(st.tuples(st.floats(0, 600), st.integers(0, 50)), max_size=200),
    rate=st.floats(0.01, 10),
    size=st.floats(1, 100),
)
def test_no_more_than_the_rate_and_one_bucket_ever_passes(
    steps: list[tuple[float, int]], rate: float, size: float
) -> None:
    bucket, now, spent = Bucket(rate, size).filled(0.0), 0.0, 0
    for wait, wanted in steps:
        now += wait
        bucket = bucket.filled(now)
        take = min(wanted, max(0, int(bucket.tokens)))
        bucket, spent = bucket.spent(take), spent + take
        assert spent <= rate * now + size + 1e-6


def test_a_clock_that_goes_back_gives_nothing() -> None:
    bucket = Bucket(1.0, 10.0).filled(100.0).filled(105.0)
    assert bucket.filled(50.0).tokens == bucket.tokens == 5.0
    assert bucket.ready_at(8.0) == 108.0


def test_the_price_moves_towards_the_wanted_one_within_its_limits() -> None:
    limits = {"gain": 0.5, "lowest": 10.0, "highest": 1000.0}
    assert moved_price(100.0, 1e9, **limits) == pytest.approx(100.0 * math.sqrt(10.0))
    assert moved_price(100.0, 0.0, **limits) == pytest.approx(100.0 / math.sqrt(10.0))
    assert moved_price(100.0, math.inf, **limits) < 1000.0


def test_demand_knows_what_a_price_cannot_move() -> None:
    demand = Demand()
    assert demand.price_for(10, 1.0) is None
    demand.note(1000.0, 100.0, is_free=False)
    assert demand.price_for(10, 1.0) == 0.0, "bounded intervals already ask for less than the budget"
    assert demand.price_for(10, 0.001) == math.inf, "and no price makes them longer"


class Queue:
    """Sources polled at interval sqrt(2·price/rate), served at the pace of the bucket: the loop in miniature."""

    def __init__(self, rates: list[float], per_hour: float, *, gain: float = 0.3, every: float = 60.0) -> None:
        self.rates, self.gain, self.every = rates, gain, every
        self.price, self.bucket, self.now = 1000.0, hourly_bucket(per_hour).filled(0.0), 0.0
        rng = random.Random(1)
        self.queue = [(rng.uniform(0, self.interval(n)), n, self.interval(n)) for n in range(len(rates))]
        heapq.heapify(self.queue)
        self.served: list[float] = []
        self.prices: list[float] = []
        self.demand = Demand(memory=float(len(rates)))

    def interval(self, source: int) -> float:
        return math.sqrt(2.0 * self.price / self.rates[source])

    def run(self, hours: float) -> None:
        end, late = self.now + 3600 * hours, [0.0, 0.0]
        corrected = self.now
        while self.now < end:
            self.now += 1.0
            self.bucket = self.bucket.filled(self.now)
            early = 0.5 * 900 * max(0.0, self.bucket.tokens / self.bucket.size - 0.25)
            while self.bucket.tokens >= 1 and self.queue[0][0] <= self.now + early:
                due, source, interval = heapq.heappop(self.queue)
                self.bucket = self.bucket.spent(1)
                self.served.append(self.now)
                late = [late[0] + max(-1.0, min(10.0, (self.now - due) / interval)), late[1] + 1]
                self.demand.note(self.interval(source), self.price, is_free=True)
                heapq.heappush(self.queue, (self.now + self.interval(source), source, self.interval(source)))
            if self.now - corrected >= self.every:
                corrected = self.now
                lateness = late[0] / late[1] if late[1] else 0.0
                wanted = self.demand.price_for(len(self.rates), self.bucket.rate, lateness=lateness)
                if wanted is not None:
                    self.price = moved_price(self.price, wanted, gain=self.gain, lowest=0.01, highest=1e12)
                self.prices.append(self.price)
                late = [0.0, 0.0]

    def use(self, since: float, until: float) -> int:
        return sum(since < at <= until for at in self.served)


@pytest.fixture(scope="module")
def settled() -> Queue:
    rng = random.Random(0)
    queue = Queue([rng.lognormvariate(-9, 1.5) for _ in range(300)], per_hour=1200)
    queue.run(8)
    return queue


def test_the_hourly_use_stays_within_five_per_cent_and_below_the_cap(settled: Queue) -> None:
    for hour in range(2, 8):
        assert 0.95 * 1200 <= settled.use(3600 * hour, 3600 * (hour + 1)) <= 1.05 * 1200


def test_the_price_settles_where_the_square_root_law_says(settled: Queue) -> None:
    # requests a second = Σ sqrt(rate / (2·price)), hence the price that spends exactly the budget
    exact = (sum(math.sqrt(rate / 2.0) for rate in settled.rates) / (1200 / 3600)) ** 2
    assert settled.prices[-1] == pytest.approx(exact, rel=0.2)
    last = settled.prices[-120:]
    assert max(last) / min(last) < 1.25, "it must not oscillate"


def test_a_doubled_rate_is_answered_within_a_quarter_of_an_hour() -> None:
    rng = random.Random(0)
    queue = Queue([rng.lognormvariate(-9, 1.5) for _ in range(300)], per_hour=1200)
    queue.run(6)
    before = queue.price
    queue.rates = [2 * rate for rate in queue.rates]
    now = queue.now
    queue.run(0.25)
    assert 0.95 * 300 <= queue.use(now, now + 900) <= 1.05 * 1200 * 0.25 + 48, "the use does not move"
    assert queue.price > 1.2 * before, "the price does: twice the rate, twice the price for the same requests"
    queue.run(3)
    assert queue.price == pytest.approx(2 * before, rel=0.25)
