"""When a crawl leaves a page or a site alone: limits that an operator sets."""

import math

from afresh.base.value_class import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Hygiene:
    """Limits of a crawl for failing pages and sites, slow sites and sites without end (``hygiene.*``)."""

    failures: int = 5  # in a row, then the page is not handed out any more
    retry: float = 300.0  # seconds after the first failure; doubles with each
    longest_retry: float = 7 * 86_400.0
    site_errors: int = 10  # failures in a row, then the site is left alone for ``retry``, doubling
    shortest_revisit: float = 60.0  # seconds; when due times come from change rates
    longest_revisit: float = 90 * 86_400.0
    longest_delay: float = 86_400.0  # seconds between two requests; a site that asks for more gets this
    slow_after: float = 10.0  # seconds an answer may take; a slower site is visited less often
    slow_pause: float = 10.0  # times as long as its answers take, such a site is left alone after a list
    budget: int = 0  # pages a site may have handed out; more wait in its backlog; 0: no limit
    budget_per_referral: float = 1.0  # by which a link from another site raises it

    def room(self, *, held: int, referrals: int) -> float:
        """How many more pages a site may have (Lee et al., IRLbot: budgets grow with links from other sites)."""
        return self.budget + self.budget_per_referral * referrals - held if self.budget else math.inf

    def site_pause(self, errors: int, slow: float) -> float:
        """Seconds to leave a site alone beyond its delay."""
        pause = self.slow_pause * slow if slow > self.slow_after else 0.0
        if errors >= self.site_errors:
            doubled = min(errors // self.site_errors - 1, 60)
            pause = max(pause, min(self.retry * 2.0**doubled, self.longest_retry))
        return pause
