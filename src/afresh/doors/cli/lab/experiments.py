"""``afresh lab run``: an experiment by name, with its report."""

import os
from pathlib import Path

import click

from afresh.base.extras import need
from afresh.doors.cli.output import json_option, print_json, print_table
from afresh.doors.cli.patience import tell_progress
from afresh.lab.experiments import Options, Outcome, experiment
from afresh.lab.experiments.model import failing_first
from afresh.lab.experiments.report import notes_of, write_report
from afresh.lab.experiments.tables import cell

_VERDICT = {True: "holds         ", False: "does not hold ", None: "cannot be told"}


@click.command("run")
@click.argument("name")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--jobs", type=click.IntRange(1), default=os.cpu_count() or 1, help="Threads (default: all cores).")
@click.option(
    "--scale", type=click.FloatRange(0, min_open=True), default=1.0, show_default=True, help="Size of synthetic data."
)
@click.option("--trace", type=click.Path(), help="A recorded history instead of the synthetic one.")
@click.option(
    "--output", "-o", type=click.Path(), help="Folder for results.csv, report.md and report.html (default: out/NAME)."
)
@click.option("--progress", "as_lines", is_flag=True, help="Tell the progress as lines on standard error.")
@json_option
def run_command(
    name: str,
    seed: int,
    jobs: int,
    scale: float,
    trace: str | None,
    output: str | None,
    as_lines: bool,
    as_json: bool,
) -> int:
    """Run an experiment: published numbers (or those of a reference trial of ours) beside ours, claims, a report."""
    need("lab", "afresh lab run")
    chosen = experiment(name)
    options = Options(
        seed=seed,
        jobs=jobs,
        scale=scale,
        trace=Path(trace) if trace else None,
        progress=_line if as_lines else tell_progress,
    )
    outcome = chosen.run(options)
    if as_json:
        return print_json(list(outcome.rows))
    _tell(outcome)
    for path in write_report(chosen, outcome, Path(output) if output else Path("out") / name, options):
        if path.name == "report.html":
            click.echo(f"report: {path}")
    return 0


def _tell(outcome: Outcome) -> None:
    columns = list(dict.fromkeys(column for row in outcome.rows for column in row))
    headings = [column.replace("_", " ") for column in columns]  # a long one breaks between its words
    print_table(headings, [[cell(row.get(column), column) for column in columns] for row in outcome.rows])
    for claim in failing_first(outcome.claims):
        click.echo(f"{_VERDICT[claim.holds]}  {claim.text}" + (f"  ({claim.why})" if claim.why else ""))
    if notes := notes_of(outcome):
        click.echo(notes)


def _line(text: str) -> None:
    click.echo(text, err=True)
