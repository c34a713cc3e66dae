"""A simulated crawl beside what was predicted of it."""

import time
from dataclasses import asdict

import numpy as np

from afresh.lab.scale.cluster import Cluster, draw_pages
from afresh.lab.scale.predicting import predict
from afresh.lab.scale.simulation import Simulation


def bench_crawl(cluster: Cluster, *, seed: int = 0) -> dict[str, object]:
    """Predicted and simulated figures; the same seed gives the same numbers."""
    rng = np.random.default_rng(seed)
    pages = draw_pages(cluster, rng)
    expected = predict(cluster, pages)
    began = time.process_time()
    outcome = Simulation(cluster, pages, rng).run()
    figures = {
        "pages a second": (expected.rate, outcome.rate),
        "hours until slots are idle": (expected.bulk / 3_600.0, outcome.bulk / 3_600.0),
        "hours until the last page": (expected.end / 3_600.0, outcome.end / 3_600.0),
        "fetched again, per million": (1e6 * expected.lost, 1e6 * outcome.again / max(1, outcome.fetched)),
        "results waiting for a leader, at most": (expected.results_waiting, float(outcome.results_waiting)),
    }
    return {
        "cluster": asdict(cluster),
        "pages": int(pages.sum()),
        "largest_site": int(pages.max()),
        "wall": expected.wall,
        "figures": [
            {"figure": name, "predicted": round(told, 3), "simulated": round(found, 3), "ratio": _ratio(found, told)}
            for name, (told, found) in figures.items()
        ],
        "counts": {
            "lists": outcome.lists,
            "fetched": outcome.fetched,
            "sites that two had at once": outcome.twice,
            "fetchers that died": outcome.fetchers_died,
            "databases that were away": outcome.servers_died,
            "leaders that died": outcome.leaders_died,
            "longest wait of a report, s": round(outcome.longest_wait, 1),
        },
        "cpu_seconds": round(time.process_time() - began, 1),
    }


def _ratio(found: float, told: float) -> float | None:
    return round(found / told, 3) if told else None
