"""Noisy announcements of changes: what a ping, a feed entry, a sitemap's lastmod or a link is worth (spec §5.6).

A page changes at ``rate``; each change is announced with probability ``recall``; false announcements come at rate
``false_rate``. With alpha = (1 - recall) rate of silent changes and gamma = recall rate + false_rate of announcements,
one announcement makes a page as stale as beta = -ln(false_rate/gamma)/alpha seconds of waiting:

    tau_eff = tau + beta * announcements since the last visit,   P(fresh) = exp(-alpha tau_eff)

All signals of one kind share two counts, how often a signal was followed by finding the page changed and how often
not, so that every source is believed as far as it proved true (Busa-Fekete et al. 2025).
"""

import math
from dataclasses import dataclass

from afresh.base.errors import ModelError

_LONGEST = 400  # terms of the series; beyond it the remainder is below 1e-12 for every sensible page


@dataclass(frozen=True, slots=True, kw_only=True)
class Signalled:
    """A page with announcements; rates a second."""

    rate: float
    recall: float = 0.0
    false_rate: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.rate) and self.rate > 0.0):
            raise ModelError(f"rate of a page with announcements is {self.rate}; it must be finite and above 0")
        if not 0.0 <= self.recall <= 1.0:
            raise ModelError(f"recall of announcements is {self.recall}; it lies between 0 and 1")
        if not (math.isfinite(self.false_rate) and self.false_rate >= 0.0):
            raise ModelError(f"rate of false announcements is {self.false_rate}; it must be finite and at least 0")

    @property
    def silent(self) -> float:
        """alpha: changes a second that nobody announces."""
        return (1.0 - self.recall) * self.rate

    @property
    def announcements(self) -> float:
        """gamma: announcements a second, true and false."""
        return self.recall * self.rate + self.false_rate

    @property
    def worth(self) -> float:
        """beta: seconds of waiting that one announcement is worth; infinite if none is ever false."""
        if self.recall == 0.0:
            return 0.0
        if self.false_rate == 0.0 or self.silent == 0.0:
            return math.inf
        return -math.log(self.false_rate / self.announcements) / self.silent

    def effective_elapsed(self, elapsed: float, announced: int) -> float:
        """tau_eff: seconds since the last visit, announcements counted in."""
        return elapsed + (self.worth * announced if announced else 0.0)

    def fresh(self, elapsed: float, announced: int) -> float:
        """Probability that the copy is still good."""
        if self.silent == 0.0:
            # nothing changes unannounced: each announcement was false with this probability
            honest = self.false_rate / self.announcements if self.announcements else 1.0
            return honest**announced
        return math.exp(-self.silent * self.effective_elapsed(elapsed, announced))

    def cycle(self, threshold: float) -> tuple[float, float]:
        """Mean time between visits, and mean fresh time in it, if visited when tau_eff reaches ``threshold``."""
        gamma, beta, delta, nu = self.announcements, self.worth, self.rate, self.false_rate
        if gamma == 0.0 or beta == 0.0:
            return threshold, -math.expm1(-delta * threshold) / delta
        between = fresh = 0.0
        share = 1.0
        for k in range(_LONGEST):
            left = threshold - (k * beta if k else 0.0)
            if left <= 0.0:
                break
            between += gamma_lower(k + 1, gamma * left)
            fresh += share * gamma_lower(k + 1, (delta + nu) * left)
            share *= nu / (delta + nu)
        return between / gamma, fresh / (delta + nu)

    def index(self, threshold: float, weight: float = 1.0) -> float:
        """V: what a visit at this tau_eff is worth; compared with the price like the index of any other page."""
        between, fresh = self.cycle(threshold)
        still = math.exp(-self.silent * threshold)
        return weight * (fresh - still * between)


def gamma_lower(k: int, x: float) -> float:
    """Regularised lower incomplete gamma function of a whole number: P(Poisson(x) >= k)."""
    if x <= 0.0:
        return 0.0
    if x < 0.1 * k or x < 1e-3:
        # the tail itself: one minus its complement would cancel
        term = math.exp(-x + k * math.log(x) - math.lgamma(k + 1))
        total, j = 0.0, k
        while term > 1e-18 * max(total, 1e-300) and j < k + 500:
            total += term
            j += 1
            term *= x / j
        return total
    log_term = -x
    total = math.exp(log_term)
    for j in range(1, k):
        log_term += math.log(x / j)
        total += math.exp(log_term)
    return min(1.0, max(0.0, 1.0 - total))


@dataclass(slots=True)
class SignalRecord:
    """What the signals of one kind at one site have proved worth: recall and false rate, learnt from visits.

    A visit that finds a change says whether it had been announced (recall); one that finds none although there were
    announcements counts them as false. Starts from ``prior`` visits of a signal that is right half of the time.
    """

    announced_changes: float = 0.0
    silent_changes: float = 0.0
    false_alarms: float = 0.0
    watched: float = 0.0  # seconds
    prior: float = 2.0

    def learn(self, *, elapsed: float, announced: int, changed: bool) -> None:
        """One visit of a page of this kind."""
        self.watched += elapsed
        if changed and announced:
            self.announced_changes += 1.0
        elif changed:
            self.silent_changes += 1.0
        else:
            self.false_alarms += announced

    def applied(self, rate: float) -> Signalled:
        """A page of this rate with what is known about its signals."""
        changes = self.announced_changes + self.silent_changes
        recall = (self.announced_changes + 0.5 * self.prior) / (changes + self.prior)
        true_rate = recall * rate
        signals = self.announced_changes + self.false_alarms
        wrong = (self.false_alarms + 0.5 * self.prior) / (signals + self.prior)
        false_rate = true_rate * wrong / max(1.0 - wrong, 1e-6)
        return Signalled(rate=rate, recall=min(recall, 0.999), false_rate=max(false_rate, 1e-6 * rate))
