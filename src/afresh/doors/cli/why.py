"""``afresh why``: explain when a resource is visited next, and why."""

import time
from collections.abc import Iterator

import click

from afresh.base.models import Explanation, Resource, Status
from afresh.base.plain_numbers import amount
from afresh.doors.cli.context import settings_of
from afresh.doors.cli.output import clean, json_option, moment, print_json
from afresh.doors.cli.patience import while_compiling
from afresh.doors.presenting.explained_numbers import told_numbers
from afresh.doors.presenting.prices import view_price
from afresh.doors.presenting.resources import next_visit, view_why
from afresh.doors.presenting.times import own_zone, upcoming
from afresh.doors.presenting.why_words import held_words, next_at, why_sentence
from afresh.engine.explaining import Explained, explain_stored
from afresh.store import opened_store


@click.command("why")
@click.argument("key", metavar="URL|NUMBER")
@click.option("--estimators", is_flag=True, help="Also what each estimator of changes would expect.")
@json_option
@click.pass_context
def why_command(ctx: click.Context, key: str, estimators: bool, as_json: bool) -> int:
    """Explain when a resource is visited next, and why."""
    settings = settings_of(ctx).settings
    now = time.time()
    with opened_store(settings) as store, while_compiling():
        found = explain_stored(store, settings, key, now=now)
        is_alone = not any(daemon.speaks(now) for daemon in store.daemons.list_daemons())
    if as_json:
        return print_json(view_why(found.resource, found.told, found.site, now))
    click.echo(clean(found.resource.url))
    click.echo(clean(_sentence(found, now)))
    for name, words in _facts(found, now, is_alone=is_alone):
        click.echo(f"  {name:<12}{clean(words)}")
    for name, words in _beliefs(found) if estimators else ():
        click.echo(f"  {name:<12}{clean(words)}")
    for name, words in told_numbers(found.told.numbers) if _is_planned(found.resource) else ():
        click.echo(f"    {name:<32}{clean(words)}")
    return 0


def _sentence(found: Explained, now: float) -> str:
    resource, zone = found.resource, own_zone()
    said = why_sentence(resource, found.told, zone)
    return f"{said}; {next_at(resource.due, now, zone)}." if resource.status is Status.ACTIVE else f"{said}."


def _facts(found: Explained, now: float, *, is_alone: bool) -> Iterator[tuple[str, str]]:
    """What else has a say, one fact a line."""
    resource, told, site = found.resource, found.told, found.site
    due = next_visit(resource)
    if due is not None:
        yield "next visit", f"{moment(due)}, {upcoming(resource.due, now)}"
    if found.is_let_through and resource.due > now:
        how = f"`afresh poll {resource.id}` asks at once" if is_alone else "a daemon that is started anew asks at once"
        yield "but", f"it was refused by a setting that lets it through now: {how}"
    if is_alone:
        yield "but", "no daemon is running: start one with `afresh run`, or ask now with `afresh poll`"
    if due is not None and site and site.next_allowed > max(now, resource.due):
        why = f", because {told.site_rests}" if told.site_rests else ""
        yield "but", f"its site {site.name} is left alone until {moment(site.next_allowed)}{why}"
    if told.held is not None and not (is_alone and (told.held.free_at or 0.0) <= now):  # then nobody draws on it
        yield "but", held_words(told.held, now, own_zone())
    if told.redirect:
        yield "redirect", told.redirect
    if _is_planned(resource):
        yield from _plan(told)
    elif resource.status is Status.DAMAGED:
        yield "because", told.summary
    for reader in told.readers:
        yield "reader", reader
    for words in told.watched:
        yield "watched", words
    if others := resource.facts.also_announced:
        yield "also", f"the page that was named for it announces {', '.join(others)}; `afresh add URL` watches one"
    if missed := resource.counters.misses:
        times = "once" if missed == 1 else f"{missed:,} times"
        yield "lost", f"{times} nothing of the visit before was left, so entries may be lost; --longest asks more often"
    if resource.repaired:
        yield "repaired", f"{', '.join(resource.repaired)}: its document is damaged"


def _is_planned(resource: Resource) -> bool:
    """Whether a rule has a say in the next visit: not of what is not visited, and not after a failure."""
    has_failed = resource.last_result is not None and not resource.last_result.is_success
    return resource.status is Status.ACTIVE and not has_failed


def _plan(told: Explanation) -> Iterator[tuple[str, str]]:
    yield "rule", told.rule or "none"
    yield "because", told.summary or "it was never visited: as soon as its site allows"
    if (price := view_price(told.price)) is not None:
        yield "price", price.words
    if told.target:
        yield "target", told.target


def _beliefs(found: Explained) -> Iterator[tuple[str, str]]:
    for belief in found.told.beliefs:
        yield (
            "estimator",
            (
                f"{belief.estimator}: {amount(belief.per_day)} entries in the next day, {amount(belief.next_hour)} in"
                f" the next hour, {amount(belief.unseen)} since the last visit"
            ),
        )
