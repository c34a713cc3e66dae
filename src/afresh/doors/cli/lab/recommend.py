"""``afresh lab recommend``: the rule to use for a trace and what matters to you."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from afresh.base.default_rule import DEFAULT_RULE
from afresh.base.durations import format_duration
from afresh.base.errors import UsageError
from afresh.base.extras import need
from afresh.doors.cli.lab.options import Trial, trace_option, trial_options, where_option
from afresh.doors.cli.lab.picture import scatter
from afresh.doors.cli.lab.replay import days_of, goodness_told, print_rows
from afresh.doors.cli.output import json_option, print_json
from afresh.feeds.rules import parameters
from afresh.lab.compare import Compared, all_specs, compare, with_goodness
from afresh.lab.experiments.report import draw
from afresh.lab.experiments.rules import PRICES, trade_off
from afresh.lab.metrics import Averages, Weights
from afresh.lab.replay.matched import at_price, has_price
from afresh.lab.traces import read_trace

#: what people call it: the field of the weights
_NAMES = {"delay": "delay", "polls": "ape", "ape": "ape", "recall": "recall"}
_MODES = ("feeds", "entries")


@click.command("recommend")
@trace_option
@click.option(
    "--weights",
    default="delay=1,polls=1,recall=1",
    show_default=True,
    help="What matters: with polls=2, half the polls make up for four times the delay instead of twice; what is not "
    "told weighs 1, and polls as much as delay; feeds=1,entries=1 weigh averages over feeds and over entries.",
)
@click.option("--picture", type=click.Path(dir_okay=False), help="Also draw delay against polls of all rules, as SVG.")
@click.option(
    "--match-polls",
    "match",
    default="mavsync",
    show_default=True,
    metavar="NAME",
    help="Priced rules are also tried at the price of as many polls as this rule makes.",
)
@where_option
@trial_options
@json_option
def recommend_command(
    folder: str,
    weights: str,
    match: str,
    picture: str | None,
    where: tuple[str, ...],
    trial: Trial,
    as_json: bool,
) -> int:
    """Name the best rule for a trace: delay, polls and entries found, weighed as you say; why, and what delay costs."""
    need("lab", "afresh lab recommend")
    weighed, modes = _weights(weights)
    trace = read_trace(folder)
    period = trial.period(trace)

    def replayed(specs: Sequence[str], **matched: Any) -> list[Compared]:
        return compare(trace, specs, period=period, where=where, weights=weighed, modes=modes, **trial.how, **matched)

    # prices that stay, for one is to be written into settings: the rule's own, that of so many polls, and a few others
    rows = replayed(all_specs())
    priced = [row.spec for row in rows if has_price(row.result.rule)]
    rows += replayed(priced, match=match, steer=False)
    rows += replayed([at_price(DEFAULT_RULE, price) for price in PRICES if price != parameters(DEFAULT_RULE)["price"]])
    ranked = _ranked(with_goodness(rows, weighed, modes))
    if not has_price(ranked[0].result.rule):  # what would the default rule do with the polls of this one?
        [rival] = replayed([DEFAULT_RULE], match=ranked[0].spec, steer=False)
        ranked = _ranked(with_goodness([*ranked, rival], weighed, modes))
    if picture:
        drawing = draw(trade_off("entries", ranked, (), trace.name))
        Path(picture).write_text(drawing, encoding="utf-8")
    sentences = explained(ranked, match, weighed, modes)
    if as_json:
        return print_json(
            {
                "recommended": ranked[0].spec,
                "why": sentences,
                **days_of(period),
                "weights": weighed,
                "modes": dict(zip(_MODES, modes, strict=True)),
                "ranking": [row.as_dict() for row in ranked],
            }
        )
    _tell(ranked, match, weighed)
    click.echo(trial.told(trace, period))
    setting = f'To use it: predict.rule = "{ranked[0].spec}" in afresh.toml.'
    click.echo("\n".join((f"recommended: {ranked[0].spec}", *sentences, setting)))
    return 0


def _ranked(rows: Sequence[Compared]) -> list[Compared]:
    """The best first, each specification once; of some nothing can be said."""
    once = {row.spec: row for row in rows if row.goodness == row.goodness}  # a price that is found may be one of ours
    return sorted(once.values(), key=lambda row: -row.goodness)


def _tell(ranked: Sequence[Compared], match: str, weights: Weights) -> None:
    best = best_of_each(ranked, match)
    print_rows(best)
    click.echo(goodness_told(weights))
    click.echo("Of each rule its best parameters, of those tried; --json has all.")
    click.echo(
        "\nmean delay of an entry (upwards) against polls an entry (to the right); better is lower and further left"
    )
    others = [row for row in ranked if row.result.rule.name == DEFAULT_RULE]  # what other prices of it would buy
    points = {row.spec: (row.averages.ape_entries, row.averages.delay_entries) for row in (*best, *others)}
    click.echo("\n".join(scatter(points, x="{:.3g}".format, y=format_duration)) + "\n")


def best_of_each(ranked: Sequence[Compared], match: str) -> list[Compared]:
    """The ten best rules, each as it did best, and the one that is compared with."""
    first: dict[str, Compared] = {}
    for row in ranked:
        first.setdefault(row.result.rule.name, row)
    best = list(first.values())[:10]
    return best + [row for row in ranked if row.spec == match and all(row is not shown for shown in best)]


def explained(
    ranked: Sequence[Compared], match: str, weights: Weights, modes: tuple[float, float] = (1.0, 1.0)
) -> list[str]:
    """Why the first of these, in sentences: what it costs, what that is beside a rule people know, what more buys."""
    pick = ranked[0].averages
    said = [f"An entry waits {format_duration(pick.delay_entries)} on average, for {_polls(pick)}."]
    known = next((row for row in ranked if row.spec == match), None)
    if known is not None and known is not ranked[0]:
        delay, polls = pick.delay_entries / known.averages.delay_entries, pick.polls / known.averages.polls
        said.append(f"That is {delay:.2f} of the delay of {match} at {polls:.2f} of its polls.")
    shorter = [row for row in ranked[1:] if row.averages.delay_entries < pick.delay_entries]
    if shorter:
        next_up = min(shorter, key=lambda row: row.averages.ape_entries)
        wait = format_duration(next_up.averages.delay_entries)
        said.append(f"The cheapest with a shorter delay is {next_up.spec}: {wait}, for {_polls(next_up.averages)}.")
    if weights.ape < weights.delay:
        said.append(_in_balance(ranked, weights, modes))
    return said


def _in_balance(ranked: Sequence[Compared], weights: Weights, modes: tuple[float, float]) -> str:
    """Twice the polls halve the delay of any fixed interval: if polls count less than delay, the shortest wins."""
    even = with_goodness(ranked, replace(weights, ape=weights.delay), modes)
    best = max(even, key=lambda row: row.goodness)
    wait = format_duration(best.averages.delay_entries)
    return (
        "Polls count less than delay here, so those who poll most often win, whatever it costs servers; if they "
        f"counted the same (polls={weights.delay:g}), it would be {best.spec}: {wait}, for {_polls(best.averages)}."
    )


def _polls(averages: Averages) -> str:
    return f"{averages.ape_entries:.1f} polls an entry"


def _weights(text: str) -> tuple[Weights, tuple[float, float]]:
    """What matters, and what averages over feeds and over entries count."""
    given: dict[str, float] = {}
    for part in text.split(","):
        name, equals, value = part.strip().partition("=")
        if not equals or (name not in _NAMES and name not in _MODES):
            raise UsageError(f"not a weight: {part!r}; write it like delay=1,polls=2,recall=1,feeds=1,entries=2")
        try:
            given[_NAMES.get(name, name)] = float(value)
        except ValueError as error:
            raise UsageError(f"not a number: {value!r} in {part!r}") from error
    modes = given.pop("feeds", 1.0), given.pop("entries", 1.0)
    # a fixed interval twice as long halves polls and doubles delay: with less weight on polls, the shortest always wins
    given.setdefault("ape", given.get("delay", 1.0))
    return Weights(**given), modes
