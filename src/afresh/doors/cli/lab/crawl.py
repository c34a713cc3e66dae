"""``afresh lab crawl``: simulated fetchers on an example database, every permutation of a project's settings."""

from collections.abc import Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import click

from afresh.base.errors import UsageError
from afresh.doors.cli.output import json_option, print_json, print_table
from afresh.lab.crawl.executor import run_live, run_project
from afresh.lab.crawl.files import read_project, write_results
from afresh.lab.crawl.results import RunResult
from afresh.lab.crawl.serving import Served, served_frontier
from afresh.lab.crawl.settings import Project
from afresh.lab.experiments.tables import cell
from afresh.store.frontier import open_frontier

_SHOWN = ("seconds", "visited_pages", "db_visited_ratio", "freshness_prime", "throughput", "speed_factor", "violations")


@click.command("crawl")
@click.argument("project", type=click.Path())
@click.option("--live", is_flag=True, help="Over HTTP and in real time, against a frontier started for it.")
@click.option(
    "--from", "base", metavar="URL", help="The same against this frontier (`afresh serve --dev`): it is emptied!"
)
@click.option("--token", default="", envvar="AFRESH_TOKEN", help="Administrator's token of that frontier.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Cases side by side, each in a process: worth it from a few seconds a case on.",
)
@click.option("--output", "-o", type=click.Path(), help="Folder for summary.csv, iterations.csv, samples.csv, cpu.csv.")
@json_option
def crawl_command(
    project: str, live: bool, base: str | None, token: str, seed: int, jobs: int, output: str | None, as_json: bool
) -> int:
    """Run a test project (TOML) in virtual time: lists of values are varied, cases start from the same pages."""
    try:
        chosen = read_project(Path(project).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the project {project}: {error}") from error
    results = list(_run(chosen, live=live, base=base, token=token, seed=seed, jobs=jobs))
    if output:
        write_results(results, Path(output))
    rows = [result.row(chosen.varying()) for result in results]
    if as_json:
        print_json(rows)
    else:
        columns = [*chosen.varying(), "repetition", *_SHOWN]
        print_table(columns, [[cell(row[name]) for name in columns] for row in rows])
    return 0


def _run(project: Project, *, live: bool, base: str | None, token: str, seed: int, jobs: int) -> Iterator[RunResult]:
    if not live and base is None:
        store = partial(open_frontier, ":memory:", links=project.needs_links(), seed=seed)
        yield from run_project(project, seed=seed, store=store, progress=_tell, jobs=jobs)
        return
    with nullcontext(Served(base, ())) if base else served_frontier() as frontier:
        yield from run_live(
            project, seed=seed, base=frontier.base, scheduler=frontier.pids, token=token, progress=_tell
        )


def _tell(text: str) -> None:
    click.echo(text, err=True)
