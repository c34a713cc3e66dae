"""The frontier at full size: simulated fetchers, real HTTP, real scheduler processes, and a strict ledger."""

from afresh.lab.bench_frontier.curve import lease_curve
from afresh.lab.bench_frontier.run import run_bench

__all__ = ["lease_curve", "run_bench"]
