"""``afresh lab recommend``: the rule to use for a trace and what matters to you."""

import click

from afresh.base.errors import UsageError
from afresh.doors.cli.lab.options import Trial, trial_options, where_option
from afresh.doors.cli.lab.replay import COLUMNS, cells
from afresh.doors.cli.output import json_option, print_json, print_table
from afresh.lab.compare import all_specs, compare
from afresh.lab.metrics import Weights
from afresh.lab.traces import read_trace

#: what people call it: the field of the weights
_NAMES = {"delay": "delay", "polls": "ape", "ape": "ape", "recall": "recall"}
_MODES = ("feeds", "entries")


@click.command("recommend")
@click.option("--trace", "folder", required=True, type=click.Path(), help="Folder with feeds.csv and entries.csv.gz.")
@click.option(
    "--weights",
    default="delay=1,polls=1,recall=1",
    show_default=True,
    help="What matters: delay=2,polls=1,recall=1; feeds=1,entries=1 weigh averages over feeds and over entries.",
)
@click.option(
    "--match-polls", "match", default="mavsync", show_default=True, metavar="NAME", help="What a priced rule may spend."
)
@where_option
@trial_options
@json_option
def recommend_command(
    folder: str,
    weights: str,
    match: str,
    where: tuple[str, ...],
    trial: Trial,
    as_json: bool,
) -> int:
    """Name the rule with the best goodness on a trace, by your weights."""
    weighed, modes = _weights(weights)
    trace = read_trace(folder)
    rows = compare(
        trace,
        all_specs(),
        period=trial.period(trace),
        bounds=trial.bounds,
        match=match,
        where=where,
        weights=weighed,
        modes=modes,
        jobs=trial.jobs,
        seed=trial.seed,
    )
    ranked = sorted((row for row in rows if row.goodness == row.goodness), key=lambda row: -row.goodness)
    if as_json:
        return print_json(
            {
                "recommended": ranked[0].spec,
                "weights": weighed,
                "modes": dict(zip(_MODES, modes, strict=True)),
                "ranking": [row.as_dict() for row in ranked],
            }
        )
    print_table(COLUMNS, [cells(row) for row in ranked[:10]])
    click.echo(f"recommended: {ranked[0].spec}")
    return 0


def _weights(text: str) -> tuple[Weights, tuple[float, float]]:
    """What matters, and what averages over feeds and over entries count."""
    given: dict[str, float] = {}
    for part in text.split(","):
        name, equals, value = part.strip().partition("=")
        if not equals or (name not in _NAMES and name not in _MODES):
            raise UsageError(f"not a weight: {part!r}; write it like delay=2,polls=1,recall=1,feeds=1,entries=2")
        try:
            given[_NAMES.get(name, name)] = float(value)
        except ValueError as error:
            raise UsageError(f"not a number: {value!r} in {part!r}") from error
    modes = given.pop("feeds", 1.0), given.pop("entries", 1.0)
    return Weights(**given), modes
