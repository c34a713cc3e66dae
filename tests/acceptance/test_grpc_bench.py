"""The measurement of the gRPC door, small."""

from afresh.lab.bench_grpc.run import GrpcBenchOptions, bench_grpc


def test_all_figures_are_there() -> None:
    figures = bench_grpc(GrpcBenchOptions(urls=2_000, singles=300, queues=(3_200,)))
    for name in ("put_discovered_per_second", "put_urls_per_second", "get_urls_per_second", "get_p99_ms"):
        assert figures[name] > 0
    assert figures["get_ms_by_queues"][3_200] > 0
