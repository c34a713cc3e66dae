"""``afresh lab list``: experiments and rules by name."""

import click

from afresh.doors.cli.output import json_option, print_json, print_table
from afresh.doors.cli.patience import while_compiling
from afresh.feeds.rules import names, parameters
from afresh.lab.experiments import catalogue
from afresh.lab.experiments.works import WORKS


@click.command("list")
@json_option
def list_command(as_json: bool) -> int:
    """List the experiments and the rules, with their parameters."""
    with while_compiling():
        rules = {name: dict(parameters(name)) for name in names()}
    if as_json:
        return print_json(
            {
                "experiments": catalogue(),
                "rules": [{"name": name, "parameters": values} for name, values in rules.items()],
            }
        )
    rows = [(e["name"], e["title"], e["takes"], e["source"]) for e in catalogue()]
    print_table(["experiment", "title", "takes", "source"], rows)
    click.echo()
    for key, work in WORKS.items():
        click.echo(f"[{key}] {work}")
    click.echo()
    return print_table(
        ["rule", "parameters"],
        [(name, ", ".join(f"{key}={value}" for key, value in values.items())) for name, values in rules.items()],
    )
