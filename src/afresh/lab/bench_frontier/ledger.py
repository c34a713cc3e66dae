"""What the fetchers saw, held against what a frontier promises: nobody beside me on a site, no site before its time."""

from dataclasses import dataclass, field

#: Seconds: times in answers have microseconds, and floats of 10^9 a little less.
_SLACK = 2e-6


@dataclass(slots=True)
class Ledger:
    """Counts violations from the answers alone; all fetchers of a measurement write into one."""

    delay: float
    reservation: float
    holders: dict[str, tuple[int, float]] = field(default_factory=dict)  # site: fetcher and end of its reservation
    rests: dict[str, float] = field(default_factory=dict)  # site: not to be leased before
    shared: int = 0  # a site in two hands
    hurried: int = 0  # a site leased again before its delay
    acknowledged: int = 0  # pages that the frontier said it counted
    ignored: int = 0
    late: int = 0
    unknown: int = 0
    leased: int = 0

    def lease(self, fetcher: int, site: str, pages: int, *, expires: float, received: float) -> None:
        """A site came with a list; by the frontier's clock its lease began a reservation's length before it expires."""
        held = self.holders.get(site)
        if held is not None and held[1] > received:
            self.shared += 1
        began = expires - self.reservation
        if began < self.rests.get(site, 0.0) - _SLACK:
            self.hurried += 1
        self.holders[site] = (fetcher, expires)
        self.rests[site] = began + pages * self.delay
        self.leased += pages

    def let_go(self, fetcher: int, site: str) -> None:
        """The fetcher is done with the site: from now on, another may have it (the report is on its way)."""
        held = self.holders.get(site)
        if held is not None and held[0] == fetcher:
            del self.holders[site]

    @property
    def violations(self) -> int:
        return self.shared + self.hurried
