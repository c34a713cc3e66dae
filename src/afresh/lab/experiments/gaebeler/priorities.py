"""T4 and T5: sites by size and by age.  [G20] §7.2.4, §7.2.5."""

from collections.abc import Mapping, Sequence

from afresh.base.records.frontier import SiteOrder
from afresh.lab.crawl.expectations import Slots
from afresh.lab.crawl.results import RunResult
from afresh.lab.crawl.settings import Project
from afresh.lab.experiments.gaebeler import projects, published
from afresh.lab.experiments.gaebeler.running import freshness_over_time, percent, run, shares_over_time
from afresh.lab.experiments.model import Claim, Experiment, Figure, Options, Outcome, Series, field_of
from afresh.lab.metrics.crawl import visited_share

#: columns of the rows that hold seconds of this machine
_TIMED = ("lease_ms", "cpu_s", "speed_factor")
_SHORT = {SiteOrder.LARGE: "large", SiteOrder.RANDOM: "random", SiteOrder.SMALL: "small"}


def slots(project: Project) -> Slots:
    """The model of T4: lists are scarce."""
    base = project.base
    unknown = base.new_vs_exist_threshold * base.min_links_per_page
    return Slots(
        sites=project.example.fqdn_amount,
        pages=project.example.min_url_amount,
        rounds=base.iterations,
        lists=base.parallel_fetcher * base.fqdn_amount,
        links=unknown,
        new_sites=unknown * (1.0 - base.int_vs_ext_threshold),
    )


def by_order(results: Sequence[RunResult]) -> dict[SiteOrder, list[RunResult]]:
    """Runs by the order of sites."""
    grouped: dict[SiteOrder, list[RunResult]] = {}
    for result in results:
        grouped.setdefault(result.settings.long_term_prio_mode, []).append(result)
    return grouped


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _rows(
    grouped: Mapping[SiteOrder, Sequence[RunResult]],
    prints: Mapping[str, tuple[float, float]],
    expected: Mapping[SiteOrder, float],
) -> list[dict[str, object]]:
    return [
        {
            "order": str(order),
            "published_%": percent(prints[order][0]),
            "expected_%": percent(expected[order]),
            "measured_%": percent(_mean([one.share for one in runs])),
            "visited": round(_mean([one.stats.visited for one in runs])),
            "published_minutes": prints[order][1],
            "measured_minutes": round(_mean([one.seconds for one in runs]) / 60.0, 2),
            "freshness_prime_minutes": round(_mean([one.samples[-1].freshness_prime or 0.0 for one in runs]) / 60.0, 2),
            "lease_ms": round(_mean([one.parts["lease"].mean_ms() for one in runs]), 3),
            "violations": sum(one.violations for one in runs),
            "cpu_s": round(_mean([one.cpu_seconds for one in runs]), 2),
            "speed_factor": round(_mean([one.speed_factor for one in runs])),
        }
        for order, runs in grouped.items()
    ]


def run_t4(options: Options) -> Outcome:
    """Large, random and small sites first."""
    grouped = by_order(run(projects.T4, options, jobs=options.jobs))
    model = slots(projects.T4.scaled(options.scale))
    expected = {order: model.share(_SHORT[order]) for order in grouped}
    shares = {order: _mean([one.share for one in runs]) for order, runs in grouped.items()}
    bound = visited_share(model.sites * model.pages, model.sites * model.pages, model.links)
    told = ", ".join(f"{order} {100 * share:.2f} %" for order, share in shares.items())
    close = all(abs(shares[order] - expected[order]) < 0.015 for order in shares)
    return Outcome(
        rows=_rows(grouped, published.T4, expected),
        claims=[
            Claim(
                "10: small first visits most (published: 50 %, 46 %, 44.5 % for small, random, large first)",
                shares[SiteOrder.SMALL] > shares[SiteOrder.RANDOM] > shares[SiteOrder.LARGE],
                f"{told}; the reverse of the published order, as the specification expects of correct page counts",
            ),
            Claim(
                "large first visits most, 51.3 %, and small first least, about 40 % (analysis of that test)",
                shares[SiteOrder.LARGE] > shares[SiteOrder.RANDOM] > shares[SiteOrder.SMALL] and close,
                f"{told}; within 1.5 points of the analysis, {field_of(100 * share for share in shares.values())} %",
            ),
            Claim(
                f"no order passes {100 * bound:.1f} % (the thesis's own bound of 57.1 % is too high)",
                max(shares.values()) <= bound + 0.01,
                f"best {100 * max(shares.values()):.2f} %",
            ),
        ],
        figures=[_visited(grouped)],
        notes=(
            "4,000 lists are handed out in all. A list of a new site has one page, one of the example five, so who "
            "serves new sites first visits fewer pages in as many lists. The prototype inserted new sites without a "
            "page count, and its database sorted the missing counts first in descending order: its 'large first' "
            "served the smallest sites. Counts are kept correct here, so the order turns round; large first also "
            "takes longer, since it fetches more."
        ),
        data={"seed": options.seed, "scale": options.scale},
        timed=_TIMED,
    )


def run_t5(options: Options) -> Outcome:
    """Old, random and new sites first."""
    grouped = by_order(run(projects.T5, options, jobs=options.jobs))
    best = visited_share(1.0, 1.0, projects.T5.base.min_links_per_page)
    shares = {order: _mean([one.share for one in runs]) for order, runs in grouped.items()}
    slopes = {order: _slope(runs[0]) for order, runs in grouped.items()}
    minutes = [runs[0].seconds / 60.0 for runs in grouped.values()]
    return Outcome(
        rows=_rows(grouped, published.T5, dict.fromkeys(grouped, best)),
        claims=[
            Claim(
                "11: every order visits all pages, 16.67 % (published: 16, 16.6 and 16 %)",
                all(abs(share - best) < 1e-9 for share in shares.values()),
                ", ".join(f"{order} {100 * share:.2f} %" for order, share in shares.items()),
            ),
            Claim(
                "11: Freshness′ rises alike under all three",
                max(slopes.values()) - min(slopes.values()) < 0.1 * max(slopes.values()),
                ", ".join(f"{order} {slope:.3f}" for order, slope in slopes.items()),
            ),
            Claim(
                "run times differ by order (published: 13.5, 18 and 19 minutes)",
                max(minutes) - min(minutes) > 1.0,
                f"{min(minutes):.2f} to {max(minutes):.2f}: every list has five pages and none is handed out twice",
            ),
        ],
        figures=[
            _figure(
                "freshness", "Freshness′", "minutes", [freshness_over_time(str(o), r[0]) for o, r in grouped.items()]
            ),
            _visited(grouped),
        ],
        notes=(
            "Reservations are not released, so each of the 4,000 sites is handed out once, with the five pages it "
            "began with: the order of sites cannot change what is visited, only when. The published differences are "
            "those of a reservation in two steps, which gave sites to two fetchers under the deterministic orders; 50 "
            "rounds of 2 × 5 s plus pauses of 5 s make 12.5 minutes for all."
        ),
        data={"seed": options.seed, "scale": options.scale},
        timed=_TIMED,
    )


def _slope(result: RunResult) -> float:
    """Freshness′ gained per second, between a quarter and the end of the run."""
    seen = [one for one in result.samples if one.freshness_prime is not None and one.seconds >= result.seconds / 4.0]
    first, last = seen[0], seen[-1]
    gained = (last.freshness_prime or 0.0) - (first.freshness_prime or 0.0)
    return gained / (last.seconds - first.seconds) if last.seconds > first.seconds else 0.0


def _visited(grouped: Mapping[SiteOrder, Sequence[RunResult]]) -> Figure:
    series = [shares_over_time(str(order), runs[0]) for order, runs in grouped.items()]
    return _figure("visited", "visited share of known pages", "%", series)


def _figure(name: str, title: str, y_label: str, series: list[Series]) -> Figure:
    return Figure(name, title, "minutes", y_label, series)


T4 = Experiment("gaebeler-t4", "Sites by size", "[G20] §7.2.4, Fig. 34", run_t4)
T5 = Experiment("gaebeler-t5", "Sites by age", "[G20] §7.2.5, Fig. 35 to 37", run_t5)
