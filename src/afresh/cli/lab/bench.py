"""``afresh lab bench``: a part at full size."""

import click

from afresh.cli.output import json_option, print_json, print_table
from afresh.errors import UsageError
from afresh.lab.experiments.report import cell
from afresh.lab.revisit.bench import bench_revisit


@click.group("bench")
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


def _count(text: str) -> int:
    try:
        value = int(float(text))
    except ValueError as error:
        raise UsageError(f"not a number of pages: {text!r}; write it like 1e6,1e7") from error
    if value < 1:
        raise UsageError(f"a number of pages must be positive, not {text}")
    return value
