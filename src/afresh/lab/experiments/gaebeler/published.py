"""The numbers printed in [G20] §7.2; shares of pages, minutes, shares of a processor."""

from collections.abc import Mapping

#: §7.2.3: visited share and minutes
T3: Mapping[str, tuple[float, float]] = {
    "none": (0.127, 18.0),
    "top_level_domain": (0.143, 18.0),
    "fqdn_hash": (0.16, 16.0),
    "consistent_hashing": (0.16, 16.0),
}

#: §7.2.3, Fig. 33: share of a processor without and with a fetcher that joins every 15 s
T3B: Mapping[str, Mapping[str, tuple[float, float]]] = {
    "fqdn_hash": {"scheduler": (0.025, 0.1133), "collector": (0.4717, 0.7672), "database": (0.1639, 0.2833)},
    "consistent_hashing": {"scheduler": (0.025, 0.04), "collector": (0.4217, 0.7746), "database": (0.2138, 0.9667)},
}

#: §7.2.4: visited share and minutes
T4: Mapping[str, tuple[float, float]] = {
    "large_sites_first": (0.445, 46.0),
    "random": (0.46, 42.0),
    "small_sites_first": (0.50, 27.0),
}

#: §7.2.5: visited share and minutes
T5: Mapping[str, tuple[float, float]] = {
    "old_sites_first": (0.16, 13.5),
    "random": (0.166, 18.0),
    "new_sites_first": (0.16, 19.0),
}

#: §7.2.2: share of a processor at 8 and 56 fetchers
T2: Mapping[str, tuple[float, float]] = {
    "scheduler": (0.015, 0.11),
    "database": (0.05, 0.15),
    "collector": (0.10, 0.90),
}

#: §7.2.1: more processes than this did not work reliably
T1_RELIABLE = 24

#: §4.2.4, Table 7 after Baeza-Yates et al. 2005: mean cumulative PageRank and Kendall's τ
TABLE_7: Mapping[str, tuple[float, float]] = {
    "in_degree": (0.50, 0.0157),
    "breadth_first": (0.64, 0.1293),
    "batch_pagerank": (0.63, 0.1961),
    "opic": (0.67, 0.2229),
    "large_sites_first": (0.67, 0.2498),
    "omniscient": (0.74, 0.6504),
}

#: §4.2.1, Fig. 9: seconds in all and idle, large and small first
IDLE: Mapping[str, tuple[float, float]] = {"large first": (11.5, 1.5), "small first": (14.5, 4.5)}
