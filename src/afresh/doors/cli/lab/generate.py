"""``afresh lab generate``: synthetic histories."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from afresh.base.errors import UsageError
from afresh.doors.cli.lab.options import history_output
from afresh.doors.cli.lazy import PlainGroup
from afresh.doors.cli.output import json_option, print_told
from afresh.lab.population import RECIPES, generate, readme
from afresh.lab.population.pages import generate_pages, pages_readme
from afresh.lab.traces import write_page_trace, write_trace

F = TypeVar("F", bound=Callable[..., Any])


@click.group("generate", cls=PlainGroup)
def generate_command() -> None:
    """Make synthetic histories."""


_seed_option = click.option("--seed", type=int, default=0, show_default=True)


def _days_option(days: float) -> Callable[[F], F]:
    return click.option(
        "--days",
        type=click.FloatRange(0, min_open=True),
        default=days,
        show_default=True,
        help="Length of the history.",
    )


@generate_command.command("feeds")
@click.option("--count", type=click.IntRange(1), default=10_000, show_default=True, help="Number of feeds.")
@_days_option(84.0)
@click.option("--kind", type=click.Choice(sorted(RECIPES)), default="stationary", show_default=True)
@_seed_option
@history_output
@json_option
def feeds_command(count: int, days: float, kind: str, seed: int, output: str, as_json: bool) -> int:
    """Feeds with the statistics of the published data set: classes, rates, windows, rhythms, sizes, ttl."""
    trace = generate(count, seed, days, kind)
    folder = _written(lambda to: write_trace(trace, to, readme=readme(trace, seed=seed, days=days, kind=kind)), output)
    summary = {"folder": folder, "feeds": len(trace), "entries": len(trace.times), "seed": seed, "kind": kind}
    return print_told(
        summary, f"{len(trace):,} feeds with {len(trace.times):,} entries written to {folder}", as_json=as_json
    )


@generate_command.command("pages")
@click.option("--count", type=click.IntRange(1), default=2_000, show_default=True, help="Number of pages, about.")
@click.option("--sites", type=click.IntRange(1), help="Number of sites (default: one for 20 pages).")
@_days_option(365.0)
@_seed_option
@history_output
@json_option
def pages_command(count: int, sites: int | None, days: float, seed: int, output: str, as_json: bool) -> int:
    """Pages that change at steady rates, those of a site at similar ones: a history for `lab revisit`."""
    trace = generate_pages(count, seed, days, sites=sites)
    folder = _written(lambda to: write_page_trace(trace, to, readme=pages_readme(trace, seed=seed, days=days)), output)
    changes, hosts = len(trace.times) - len(trace), len(set(trace.columns["host"]))
    summary = {"folder": folder, "pages": len(trace), "sites": hosts, "changes": changes, "seed": seed}
    return print_told(
        summary,
        f"{len(trace):,} pages of {hosts:,} sites with {changes:,} changes written to {folder}",
        as_json=as_json,
    )


def _written(write: Callable[[Path], Path], output: str) -> str:
    """The folder, when it has been written."""
    try:
        return str(write(Path(output)))
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror}") from error
