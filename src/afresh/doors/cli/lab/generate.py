"""``afresh lab generate``: synthetic histories."""

from pathlib import Path

import click

from afresh.base.errors import UsageError
from afresh.doors.cli.lab.options import history_output
from afresh.doors.cli.lazy import PlainGroup
from afresh.doors.cli.output import json_option, print_told
from afresh.lab.population import RECIPES, generate, readme
from afresh.lab.traces import write_trace


@click.group("generate", cls=PlainGroup)
def generate_command() -> None:
    """Make synthetic histories."""


@generate_command.command("feeds")
@click.option("--count", type=click.IntRange(1), default=10_000, show_default=True, help="Number of feeds.")
@click.option(
    "--days", type=click.FloatRange(0, min_open=True), default=84.0, show_default=True, help="Length of the history."
)
@click.option("--kind", type=click.Choice(sorted(RECIPES)), default="stationary", show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@history_output
@json_option
def feeds_command(count: int, days: float, kind: str, seed: int, output: str, as_json: bool) -> int:
    """Feeds with the statistics of the published data set: classes, rates, windows, rhythms, sizes, ttl."""
    trace = generate(count, seed, days, kind)
    folder = Path(output)
    try:
        write_trace(trace, folder, readme=readme(trace, seed=seed, days=days, kind=kind))
    except OSError as error:
        raise UsageError(f"cannot write {folder}: {error.strerror}") from error
    summary = {"folder": str(folder), "feeds": len(trace), "entries": len(trace.times), "seed": seed, "kind": kind}
    return print_told(
        summary, f"{len(trace):,} feeds with {len(trace.times):,} entries written to {folder}", as_json=as_json
    )
