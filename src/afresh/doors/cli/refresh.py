"""``afresh refresh``: say how feeds are visited, for one, a folder, a tag or a query feed; or show it."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import click

from afresh.base.durations import parse_duration
from afresh.base.errors import UsageError
from afresh.doors.cli.context import settings_of
from afresh.doors.cli.output import clean, json_option, print_json, print_told
from afresh.doors.presenting.refreshing import RefreshView, view_choice, view_refresh
from afresh.engine.budget_report import kept_report
from afresh.engine.choose_refresh import (
    change_choice,
    choices_of,
    kept_groups,
    scope_of,
)
from afresh.store import opened_store
from afresh.store.finding import find_one

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--strategy",
        metavar="NAME",
        help="Who decides about visits: priced (rules and a price), 2steps (feeds that lose entries, then the most "
        "useful ones), only_tau (the most useful ones), only_sat (those about to lose entries) or uniform (all equally "
        "often); `none`: the setting. docs/howto/choose-a-strategy.md explains each.",
    ),
    click.option(
        "--estimator",
        metavar="NAME",
        help="How often a strategy other than priced believes that a feed publishes: last_interval, single, periodic, "
        "hybrid, shapes, censored or moving_average; `none`. docs/howto/choose-a-strategy.md explains each.",
    ),
    click.option(
        "--mean-delay", metavar="DURATION", help="The mean delay of entries to reach, like 20m; `none` takes it back."
    ),
    click.option(
        "--completeness", metavar="SHARE", help="The share of entries to find, like 0.99; `none` takes it back."
    ),
)


def refresh_options(command: F) -> F:
    """Adds the options; the command gets what was said as keyword arguments, for ``said_refresh``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def said_refresh(given: dict[str, Any]) -> dict[str, Any]:
    """Takes what was said out of the arguments of a command; `none` takes a value back."""
    texts = {name: given.pop(name, None) for name in ("strategy", "estimator", "mean_delay", "completeness")}
    return {name: _value(name, text) for name, text in texts.items() if text is not None}


def _value(name: str, text: str) -> str | float | None:
    if text == "none":
        return None
    if name == "mean_delay":
        return parse_duration(text)
    if name != "completeness":
        return text
    try:
        return float(text)
    except ValueError as error:
        raise UsageError(f"--completeness: a share like 0.99, not {text!r}") from error


@click.command("refresh")
@click.argument("feed", metavar="[URL|NUMBER]", required=False)
@click.option("--folder", metavar="NAME", help="For all feeds of a folder and the folders below it.")
@click.option("--tag", metavar="TAG", help="For all feeds with a tag.")
@click.option("--query", metavar="NAME", help="For all feeds that a query feed reads.")
@refresh_options
@json_option
@click.pass_context
def refresh_command(
    ctx: click.Context,
    /,
    feed: str | None,
    folder: str | None,
    tag: str | None,
    query: str | None,
    as_json: bool,
    **given: Any,
) -> int:
    """Set how feeds are visited and how fresh they shall be, or show what was set and what was reached.

    \b
    afresh refresh --folder news --mean-delay 20m
    afresh refresh --tag archive --completeness 0.99
    afresh refresh --query solar --strategy 2steps --estimator periodic
    afresh refresh --folder news --mean-delay none
    """
    said = said_refresh(given)
    named = [value for value in (feed, folder, tag, query) if value is not None]
    if len(named) > 1 or bool(said) is not bool(named):
        raise UsageError("name one feed, --folder, --tag or --query and say what holds for it; or nothing at all")
    with opened_store(settings_of(ctx).settings, makes=bool(said)) as store:
        if said:
            number = None if feed is None else find_one(store, feed)
            scope = scope_of(store, feed=number, folder=folder, tag=tag, query=query)
            choice = change_choice(store, scope, said)
            return print_told(view_choice(scope, choice), f"{scope}: {choice.words}", as_json=as_json)
        report = kept_report(store)
        shown = view_refresh(choices_of(store), kept_groups(store), () if report is None else report.targets)
    if as_json:
        return print_json(shown)
    for line in refresh_lines(shown) or ["no choice was made: feeds are visited as the settings have it"]:
        click.echo(clean(line))
    return 0


def refresh_lines(shown: RefreshView) -> list[str]:
    """What was said, what strategies do, and what has become of targets; nothing where nothing was said."""

    def lines() -> Iterator[str]:
        for choice in shown.choices:
            yield f"chosen    {choice.scope}: {choice.words}"
        for group in shown.groups:
            yield f"strategy  {group.words}"
        for target in shown.targets:
            yield f"target    {target.words}"

    return list(lines())
