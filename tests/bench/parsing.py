"""How fast feeds are parsed, against feedparser and fastfeedparser on the same documents in the same run.

    python -m tests.bench.parsing

The slowest kind of document counts; ``afresh lab bench feeds`` shows each.
"""

from afresh.lab.bench_feeds import KINDS, bench_feeds, documents


def measure() -> dict[str, float]:
    """The least ratios of all kinds."""
    rows = [bench_feeds(kind, {str(n): body for n, body in enumerate(documents(kind))}, rounds=3) for kind in KINDS]
    return {
        "documents_per_second": _least(rows, "afresh_per_second"),
        "times_feedparser": _least(rows, "times_feedparser"),
        "times_fastfeedparser": _least(rows, "times_fastfeedparser"),
    }


def _least(rows: list[dict[str, object]], figure: str) -> float:
    return min(value for row in rows if isinstance(value := row[figure], float))


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:30} {value:10,.2f}")
