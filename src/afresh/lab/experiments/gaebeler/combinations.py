"""Every order of sites with every partitioning, 56 fetchers at once: no site is ever with two.  [G20] §4.3.1, §8.1."""

import itertools
from functools import partial

from afresh.base.records.frontier import Partitioning, SiteOrder
from afresh.lab.crawl.database import ExampleSettings
from afresh.lab.crawl.executor import run_project
from afresh.lab.crawl.results import RunResult
from afresh.lab.crawl.settings import Project, SimulatorSettings
from afresh.lab.experiments.gaebeler.running import percent
from afresh.lab.experiments.model import Claim, Experiment, Options, Outcome
from afresh.store.frontier import open_frontier


def project(order: SiteOrder, mode: Partitioning) -> Project:
    """Few sites, many fetchers, lists that are released and asked for again at once: as much contention as can be."""
    return Project(
        name="combinations",
        example=ExampleSettings(fqdn_amount=150, min_url_amount=2, max_url_amount=2, fixed_crawl_delay=1.0),
        base=SimulatorSettings(
            crawling_speed_factor=1.0,
            parallel_fetcher=56,
            iterations=2,
            fqdn_amount=4,
            url_amount=1,
            long_term_prio_mode=order,
            long_term_part_mode=mode,
            min_links_per_page=1,
            max_links_per_page=1,
            release_on_submit=True,
            revisit_after=2.0,
            pause=1.0,
        ),
    )


def combination(order: SiteOrder, mode: Partitioning, seed: int = 0) -> RunResult:
    """One run of one pair, with the link graph kept."""
    store = partial(open_frontier, ":memory:", links=True, seed=seed)
    return next(run_project(project(order, mode), seed=seed, store=store))


def run_combinations(options: Options) -> Outcome:
    """All pairs."""
    rows: list[dict[str, object]] = []
    for order, mode in itertools.product(SiteOrder, Partitioning):
        options.progress(f"{order}, {mode}")
        result = combination(order, mode, options.seed)
        rows.append(
            {
                "order": str(order),
                "partitioning": str(mode),
                "leases": result.parts["lease"].calls,
                "visits": result.visits,
                "visited_%": percent(result.share),
                "lease_ms": round(result.parts["lease"].mean_ms(), 3),
                "violations": result.violations,
            }
        )
    violations = sum(int(str(row["violations"])) for row in rows)
    return Outcome(
        rows=rows,
        timed=("lease_ms",),
        claims=[
            Claim(
                "16: 56 fetchers never hold a site together, under any order and partitioning",
                violations == 0,
                f"{violations} times in {sum(int(str(row['visits'])) for row in rows)} visits of {len(rows)} runs",
            )
        ],
        notes=(
            "One process, one store: the runs show that no strategy hands a site out twice. That processes on one "
            "database do not either, under kill -9 too, is shown by `afresh lab bench frontier --kill-every 5s`."
        ),
        data={"seed": options.seed},
    )


COMBINATIONS = Experiment(
    "gaebeler-combinations", "All orders with all partitionings", "[G20] §4.3.1, §5.4.3", run_combinations
)
