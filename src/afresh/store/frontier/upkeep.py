"""What has to be done now and then: forgetting old keys, recounting, clearing."""

from collections.abc import Mapping
from typing import Final

from afresh.store.frontier.session import NONE, Session
from afresh.store.frontier.store_part import Concern, reading, writing

#: What ``recount_sites`` counts.
SUMS: Final = (
    "urls",
    "visited",
    "sum_visited",
    "sum_rate",
    "sum_pagerank",
    "sum_in_degree",
    "cash",
    "backlog",
    "discovered",
    "completed",
    "well",
    "failed",
    "left_out",
    "ready",
)
#: What ``recount_totals`` compares.
TOTALS: Final = (
    "total_sites",
    "total_urls",
    "total_visited",
    "total_sum_visited",
    "total_backlog",
    "total_well",
    "total_failed",
    "total_left_out",
    "total_edges",
    "leases",
)
_NEVER = {"never": float("inf")}


class Upkeep(Concern):
    """Housekeeping."""

    @writing
    def forget_keys(self, session: Session, *, before: float) -> int:
        """Keys, lists, measurements and why sites could not be asked, older than this; answers how many keys."""
        session.run("forget_leases", {"before": before})
        session.run("forget_round_trips", {"before": before})
        session.run("forget_failures", {"before": before})
        return session.run("forget_receipts", {"before": before})

    @reading
    def recount(self, session: Session) -> Mapping[str, int]:
        """How many sites (and totals) differ from a recount, by sum; corrects nothing."""
        names = (*SUMS, "big", *TOTALS)
        (sums,) = session.rows("recount_sites", _NEVER)
        (big,) = session.rows("recount_big_sites")
        (totals,) = session.rows("recount_totals")
        return {name: int(count) for name, count in zip(names, (*sums, *big, *totals), strict=True)}

    def clear(self, *, fetchers: bool, urls: bool, sites: bool, leases: bool, edges: bool) -> None:
        steps: list[str] = []
        if fetchers:
            steps += ["clear_fetchers", "clear_homes"]
        if fetchers or leases or urls or sites:
            steps += ["clear_leases_of_sites", "clear_leases"]
        if edges or urls or sites:
            steps += ["clear_edges", "clear_degrees_of_sites", "clear_degrees", "clear_total_edges"]
        if urls or sites:
            steps += [
                "clear_locks",
                "clear_metadata",
                "clear_depths",
                "clear_failures",
                "clear_pages",
                "clear_addresses",
                "clear_sums",
                "clear_total_urls",
                "clear_aside",
                "clear_late_links",
            ]
        if sites:
            steps += ["clear_sites", "clear_round_trips", "clear_total_sites"]
        self._write(lambda session: [session.run(name, _NEVER if name == "clear_sums" else NONE) for name in steps])
        self._numbers.forget()
