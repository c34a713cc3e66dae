"""``afresh lab bench``: a part at full size."""

from pathlib import Path
from typing import Any, cast

import click

from afresh.base.durations import parse_duration
from afresh.base.errors import UsageError
from afresh.base.extras import need
from afresh.doors.cli.lazy import PlainGroup
from afresh.doors.cli.output import json_option, print_json, print_table
from afresh.lab.bench_feeds import KINDS, bench_feeds, documents_in
from afresh.lab.bench_feeds import documents as made_up
from afresh.lab.bench_frontier import lease_curve, run_bench
from afresh.lab.bench_frontier.options import BenchOptions
from afresh.lab.experiments.tables import cell
from afresh.lab.revisit.bench import bench_revisit
from afresh.lab.scale.bench import bench_crawl
from afresh.lab.scale.cluster import Cluster


@click.group("bench", cls=PlainGroup)
def bench_command() -> None:
    """Measure a part at full size."""


@bench_command.command("revisit")
@click.option("--pages", default="1e6,1e7", show_default=True, help="Numbers of pages, separated by commas.")
@json_option
def revisit_command(pages: str, as_json: bool) -> int:
    """Allocation and decisions of the revisit engine: seconds, decisions a second, bytes a page."""
    rows = bench_revisit([_count(text) for text in pages.split(",")])
    if as_json:
        print_json(rows)
    else:
        columns = list(rows[0])
        print_table(columns, [[cell(row[name]) for name in columns] for row in rows])
    return 0


@bench_command.command("scale")
@click.option("--feeds", type=click.IntRange(1), default=100_000, show_default=True, help="Made-up feeds to replay.")
@click.option("--workers", default="1,2", show_default=True, help="Numbers of workers of Dask, separated by commas.")
@click.option("--rule", default="mavsync", show_default=True, metavar="NAME[:k=v,…]")
@click.option("--days", type=click.FloatRange(2.0), default=8.0, show_default=True, help="Of the history; one trains.")
@click.option("--part", type=click.IntRange(1), default=10_000, show_default=True, help="Feeds of a part.")
@click.option("--folder", type=click.Path(), help="Keep the parts here, and take them from here if they are there.")
@click.option("--pages", metavar="NUMBER", help="Instead: simulate a crawl of so many pages by many machines.")
@click.option("--sites", metavar="NUMBER", default="1e6", show_default=True, help="Of that crawl.")
@click.option("--fetchers", type=click.IntRange(1), default=40, show_default=True, help="Of that crawl.")
@click.option("--servers", type=click.IntRange(1), default=4, show_default=True, help="Databases of that crawl.")
@click.option("--server-rate", type=float, default=20_000.0, show_default=True, help="URLs a second of a database.")
@click.option("--seed", type=int, default=0, show_default=True)
@json_option
def scale_command(
    feeds: int, workers: str, rule: str, days: float, part: int, folder: str | None, pages: str | None, sites: str,
    fetchers: int, servers: int, server_rate: float, seed: int, as_json: bool,
) -> int:  # fmt: skip
    """Replay more feeds than fit into memory on workers of Dask: polls a second, memory a worker, and how both grow.

    With --pages: a crawl of many machines in virtual time, with buckets, and fetchers, databases and leaders that fail,
    beside what the formulas of docs/theory/scale.md predict.
    """
    if pages is not None:
        given = {"sites": _count(sites), "pages": _count(pages), "fetchers": fetchers, "servers": servers}
        crawl = bench_crawl(Cluster(**given, server_rate=server_rate), seed=seed)
        if as_json:
            return print_json(crawl)
        rows: Any = crawl["figures"]
        click.echo(", ".join(f"{name} {value:,}" for name, value in cast("dict[str, Any]", crawl["counts"]).items()))
        return print_table(list(rows[0]), [list(row.values()) for row in rows], title=f"wall: {crawl['wall']}")
    need("dask", "afresh lab bench scale")
    from afresh.lab.bench_scale import bench_scale  # noqa: PLC0415 (optional extra)

    counts = [_count(text) for text in workers.split(",")]
    rows = list(
        bench_scale(
            feeds, counts, rule=rule, days=days, part=part, seed=seed, folder=folder,
            progress=lambda text: click.echo(text, err=True),
        )
    )  # fmt: skip
    if as_json:
        return print_json(rows)
    columns = list(rows[0])
    return print_table(columns, [[cell(row[name]) for name in columns] for row in rows])


@bench_command.command("frontier")
@click.option("--store", default="sqlite", show_default=True, help="sqlite, postgresql (one of our own), or a URL.")
@click.option("--sites", default=20_000, show_default=True, help="Sites.")
@click.option("--urls", default=1_000_000, show_default=True, help="URLs, spread evenly over the sites.")
@click.option("--fetchers", default=56, show_default=True, help="Fetchers at a time.")
@click.option("--sites-per-list", default=50, show_default=True, help="Sites of one list.")
@click.option("--urls-per-site", default=10, show_default=True, help="URLs of one site in a list.")
@click.option("--delay", default=0.1, show_default=True, help="Seconds between two requests to a site (virtual).")
@click.option("--links", default=0, show_default=True, help="Links of every result; one in five is new.")
@click.option("--for", "duration", default="30s", show_default=True, help="How long fetchers work.")
@click.option("--kill-every", metavar="DURATION", help="Kill a scheduler process with SIGKILL this often.")
@click.option("--workers", default=0, help="Scheduler processes (default: one for SQLite, two for PostgreSQL).")
@click.option(
    "--site-order",
    default="due",
    show_default=True,
    help="Order of sites (docs/howto/run-a-frontier.md lists them); all: each in turn.",
)
@click.option("--page-order", default="due", show_default=True, help="Order of pages; all: each in turn.")
@click.option("--partitioning", default="none", show_default=True, help="Partitioning; all: each in turn.")
@click.option("--curve", is_flag=True, help="Instead: what a lease costs from 10,000 to a million sites.")
@json_option
def frontier_command(duration: str, kill_every: str | None, curve: bool, as_json: bool, **sizes: Any) -> int:
    """Leases and reports over real HTTP: URLs a second, latencies, violations, what was lost or counted twice."""
    options = BenchOptions(
        seconds=parse_duration(duration), kill_every=parse_duration(kill_every) if kill_every else None, **sizes
    )
    if curve:
        rows = lease_curve(options)
        print_json(rows) if as_json else print_table(list(rows[0]), [list(row.values()) for row in rows])
        return 0
    figures = run_bench(options)
    if as_json:
        print_json(figures)
    else:
        print_table(["figure", "value"], [(name, cell(value)) for name, value in figures.items()])
    return 1 if figures["violations"] or figures["lost"] or figures["doubled"] else 0


@bench_command.command("grpc")
@click.option("--store", default="sqlite", show_default=True, help="sqlite, postgresql (one of our own), or a URL.")
@click.option("--urls", default=200_000, show_default=True, help="URLs sent in batches of 256.")
@click.option("--singles", default=20_000, show_default=True, help="URLs sent one in each message.")
@click.option("--queues", default="1e4,1e5,1e6", show_default=True, help="Numbers of queues, separated by commas.")
@json_option
def grpc_command(store: str, urls: int, singles: int, queues: str, as_json: bool) -> int:
    """What the gRPC door takes and gives: URLs a second, latency, and how that grows with the number of queues."""
    from afresh.lab.bench_grpc.run import GrpcBenchOptions, bench_grpc  # noqa: PLC0415 (optional extra)

    sizes = [_count(text) for text in queues.split(",") if text]
    figures = bench_grpc(GrpcBenchOptions(store=store, urls=urls, singles=singles, queues=sizes))
    if as_json:
        print_json(figures)
    else:
        print_table(["figure", "value"], [(name, cell(value)) for name, value in figures.items()])
    return 0


@bench_command.command("feeds")
@click.option(
    "--documents",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder of feed documents (default: made-up ones of five kinds).",
)
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1), help="Passes of each; the best counts.")
@json_option
def feeds_command(documents: Path | None, rounds: int, as_json: bool) -> int:
    """Read feed documents with afresh and, where installed, feedparser and fastfeedparser, in turn.

    Prints documents a second, how many times faster afresh is, and the share of documents in which the number of
    entries, their ids, links and dates are the same; with --json also why they differ, and in which documents.
    Documents in which another reader makes a day of a date that no calendar has are counted (impossible_dates), with
    the share of dates without these. afresh reads title, link, id and dates of an entry at once, and its texts when
    somebody asks for them: afresh_in_full has both.
    """
    if documents is not None:
        rows = [bench_feeds(documents.name, documents_in(documents), rounds=rounds)]
    else:
        kinds = {kind: {str(n): body for n, body in enumerate(made_up(kind))} for kind in KINDS}
        rows = [bench_feeds(kind, named, rounds=rounds) for kind, named in kinds.items()]
    if as_json:
        print_json(rows)
    else:
        columns = [str(row["kind"]) for row in rows]
        figures = [name for name in rows[0] if name != "kind" and not name.startswith("differing")]
        print_table(["figure", *columns], [[name, *(cell(row.get(name)) for row in rows)] for name in figures])
    return 0


def _count(text: str) -> int:
    try:
        value = int(float(text))
    except ValueError as error:
        raise UsageError(f"not a number of pages: {text!r}; write it like 1e6,1e7") from error
    if value < 1:
        raise UsageError(f"a number of pages must be positive, not {text}")
    return value
