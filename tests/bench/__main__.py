"""``make bench``: every promise with a number, printed beside its target.

Ratios are measured in one run on one machine; absolute figures vary with what else it does.
"""

import importlib
import json
import sys
from dataclasses import dataclass

from tests.bench.budget_hardest import measure_hardest

MODULES = (
    "startup",
    "parsing",
    "fetching",
    "store_writes",
    "lists",
    "daemon",
    "query_feeds",
    "refresh",
    "replay",
    "checking",
    "budget",
    "daemons",
    "pages",
    "page_changes",
    "page_round",
    "page_pictures",
    "watched_pages",
    "scrapy",
    "scrapy_kill",
)


@dataclass(frozen=True)
class Target:
    """A promise: the figure must be at least, or at most, this."""

    least: float | None = None
    most: float | None = None

    def __str__(self) -> str:
        return f">= {self.least:g}" if self.least is not None else f"<= {self.most:g}"

    def is_met(self, value: float) -> bool:
        return value >= self.least if self.least is not None else value <= (self.most or 0.0)


TARGETS: dict[str, Target] = {
    "startup.help_seconds": Target(most=0.3),
    "startup.first_request_seconds": Target(most=1.5),
    "parsing.times_feedparser": Target(least=60),
    "parsing.times_fastfeedparser": Target(least=1),
    "fetching.fetch.not_modified_per_s": Target(least=2_500),
    "fetching.fetch.documents_per_s": Target(least=500),
    "lists.bookmarks_import_seconds": Target(most=3.0),
    "daemon.rss_mb": Target(most=1_000),
    "daemon.idle_cpu_share": Target(most=0.10),
    "daemon.polls_per_minute": Target(least=1_000),
    "query_feeds.entry_ms_mean": Target(most=5.0),
    "refresh.round_ms": Target(most=50.0),
    "refresh.bytes_per_source": Target(most=64.0),
    "checking.links_per_second": Target(least=1_500),
    "checking.status_times_lychee_wall": Target(most=1.5),
    "checking.verdicts_times_lychee_wall": Target(most=2.0),
    "checking.status_one_link_seconds": Target(most=0.35),
    "checking.verdicts_one_link_seconds": Target(most=0.35),
    "checking.verdicts_memory_mb": Target(most=100.0),
    "checking.status_memory_mb": Target(most=100.0),
    "budget.use_lowest_minute": Target(least=0.95),
    "budget.use_highest_minute": Target(most=1.05),
    "budget.politeness_breaches": Target(most=0.0),
    "daemons.violations": Target(most=0.0),
    "daemons.use": Target(least=0.95),
    "daemons.most_above": Target(most=5.0),
    "daemons.entries_doubled": Target(most=0.0),
    "daemons.subscriptions_lost": Target(most=0.0),
    "daemons.tokens_replaced": Target(most=0.0),
    "daemons.takeover_seconds": Target(most=10.0),
    "pages.overview_ms": Target(most=100.0),
    "pages.resources_ms": Target(most=100.0),
    "pages.search_rare_ms": Target(most=100.0),
    "pages.tag_ms": Target(most=100.0),
    "pages.by_title_ms": Target(most=100.0),
    "pages.by_visit_ms": Target(most=100.0),
    "pages.failing_ms": Target(most=100.0),
    "pages.sites_ms": Target(most=100.0),
    "pages.sites_failing_ms": Target(most=100.0),
    "pages.sites_rare_ms": Target(most=100.0),
    "pages.links_ms": Target(most=100.0),
    "page_changes.all_precision": Target(least=0.97),
    "page_changes.all_recall": Target(least=0.99),
    "page_changes.selected_all_precision": Target(least=1.0),
    "page_changes.selected_all_recall": Target(least=1.0),
    "page_round.cpu_seconds": Target(most=4.0),
    "page_round.reread_cpu_seconds": Target(most=4.0),
    "page_round.version_share": Target(most=0.2),
    "page_round.times_rival": Target(least=5.0),
    "page_pictures.difference_cpu_seconds": Target(most=1.0),
    "page_pictures.later_bytes": Target(most=100_000.0),
    "watched_pages.10m_regular_chosen.first_change_waits_hours": Target(most=0.5),
    "watched_pages.10m_regular_chosen.first_week_wait_hours": Target(most=0.25),
    "watched_pages.1h_regular_chosen.first_change_waits_hours": Target(most=1.0),
    "watched_pages.1d_regular_chosen.first_week_wait_hours": Target(most=5.0),
    "watched_pages.30d_regular_chosen.later_visits_per_day": Target(most=1.2),
    "scrapy.times_disk_queue": Target(least=0.8),
    "scrapy_kill.missed": Target(most=0),
    "scrapy_kill.unprocessed": Target(most=0),
    "scrapy_kill.more": Target(most=0),
    "scrapy_kill.twice": Target(most=16),
    "scrapy_kill.violations": Target(most=0),
    "replay.replay_polls_per_second": Target(least=20e6),
    "replay.replay_times_oracle": Target(least=200),
    "replay.replay_second_start_seconds": Target(most=1.0),
}


def main(wanted: list[str]) -> None:
    if "--json" in wanted:
        names = [name for name in wanted if name != "--json"]
        told = {name: importlib.import_module(f"tests.bench.{name}").measure() for name in names or MODULES}
        print(json.dumps(told, indent=2))
        return
    missed = 0
    for name in wanted or MODULES:
        figures: dict[str, float] = importlib.import_module(f"tests.bench.{name}").measure()
        for key, value in figures.items():
            target = TARGETS.get(f"{name}.{key}")
            verdict = "" if target is None else f"target {target}: {'met' if target.is_met(value) else 'MISSED'}"
            missed += verdict.endswith("MISSED")
            print(f"{name + '.' + key:<48} {value:>16,.4g}  {verdict}", flush=True)
    print(f"{missed} targets missed" if missed else "all targets met")


if __name__ == "__main__":
    if sys.argv[1:2] == ["faults"]:  # scenes that pass or fail, no figures with targets
        from tests.bench import faults

        sys.exit(faults.main(sys.argv[2:]))
    if sys.argv[1:2] == ["budget"] and "--hardest" in sys.argv:
        measure_hardest(sys.argv[2:])
    else:
        main(sys.argv[1:])
