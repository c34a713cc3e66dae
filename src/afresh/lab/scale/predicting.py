"""What is to be expected of a crawl, from a few numbers: the formulas of docs/theory/scale.md."""

from dataclasses import dataclass

import numpy as np

from afresh.lab.scale.cluster import Cluster, Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """Rates in pages a second, times in seconds."""

    rate: float  # while there are more sites than slots
    wall: str  # what holds it there: fetchers, databases or sites
    bulk: float  # until so few sites are left that slots are idle
    end: float  # until the last page
    lost: float  # share of fetches that are made again, because a fetcher died before it reported
    results_waiting: float  # most results that nobody carries on while there is no leader


def predict(cluster: Cluster, pages: Ints) -> Prediction:
    """Sites take turns by lists, so all that still have pages have had about the same number of them.

    The bulk ends when as many sites are left as there are slots: then each has had ``reach`` pages, and from there on
    every site goes at the pace of its own delay.
    """
    fetching = cluster.slots / cluster.delay
    rates = {
        "fetchers": fetching,
        "databases": cluster.servers * cluster.server_rate,
        "sites": cluster.sites / cluster.delay,
    }
    up = 1.0 - _share(cluster.server_fails, cluster.server_away)
    alive = 1.0 - _share(cluster.fetcher_fails, cluster.fetcher_away)
    lost = _lost(cluster, pages)
    rates["databases"] *= up
    rates["fetchers"] *= alive * (1.0 - lost)
    wall = min(rates, key=lambda name: rates[name])
    rate = rates[wall]
    sizes = np.sort(pages)[::-1]
    reach = float(sizes[cluster.slots]) if cluster.slots < len(sizes) else 0.0
    bulk = float(np.minimum(pages, reach).sum()) / rate
    return Prediction(
        rate=rate,
        wall=wall,
        bulk=bulk,
        end=max(float(pages.sum()) / rate, bulk + (float(sizes[0]) - reach) * cluster.delay),
        lost=lost,
        results_waiting=rate * cluster.leader_away if cluster.leader_fails else 0.0,
    )


def _share(between: float, away: float) -> float:
    """Of the time for which something is away."""
    return away / (between + away) if between else 0.0


def _lost(cluster: Cluster, pages: Ints) -> float:
    """A fetcher that dies loses what it has fetched of its lists: half of each, and long ones are met more often."""
    if not cluster.fetcher_fails:
        return 0.0
    length = cluster.list_length
    full, rest = pages // length, pages % length
    squares = float(full.sum()) * length**2 + float((rest**2).sum())
    return 0.5 * squares / float(pages.sum()) * cluster.delay / (cluster.fetcher_fails + cluster.fetcher_away)
