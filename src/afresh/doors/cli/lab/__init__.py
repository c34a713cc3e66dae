"""``afresh lab``: replay, experiments, traces, benchmarks."""
