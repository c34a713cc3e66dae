"""``afresh why``: explain when a resource is visited next, and why."""

import math
import time

import click

from afresh.base.durations import format_duration
from afresh.doors.cli.context import settings_of
from afresh.doors.cli.output import clean, json_option, moment, print_json
from afresh.doors.cli.patience import while_compiling
from afresh.doors.presenting.prices import view_price
from afresh.doors.presenting.resources import view_why
from afresh.doors.presenting.times import relative as distance
from afresh.engine.explaining import explain_stored
from afresh.store import opened_store

#: Numbers of an explanation that are seconds; all others are printed as they are.
_SECONDS = {"interval", "mean_gap", "shortest", "longest", "standard", "age", "waited"}


@click.command("why")
@click.argument("key", metavar="URL|NUMBER")
@json_option
@click.pass_context
def why_command(ctx: click.Context, key: str, as_json: bool) -> int:
    """Explain when a resource is visited next, and why."""
    settings = settings_of(ctx).settings
    now = time.time()
    with opened_store(settings) as store, while_compiling():
        found = explain_stored(store, settings, key, now=now)
    resource, told, site = found.resource, found.told, found.site
    if as_json:
        return print_json(view_why(resource, told, site))
    click.echo(f"{resource.url}")
    click.echo(f"  next visit  {moment(resource.due)} UTC ({distance(resource.due, now)})")
    click.echo(f"  rule        {told.rule}")
    click.echo(f"  because     {clean(told.summary) or 'it was never visited: as soon as its site allows'}")
    if (price := view_price(told.price)) is not None:
        click.echo(f"  price       {clean(price.words)}")
    if told.target:
        click.echo(f"  target      {clean(told.target)}")
    for reader in told.readers:
        click.echo(f"  reader      {clean(reader)}")
    if site and site.next_allowed > resource.due:
        click.echo(f"  but         its site {site.name} is left alone until {moment(site.next_allowed)} UTC")
    for words in told.watched:
        click.echo(f"  watched     {clean(words)}")
    if resource.repaired:
        click.echo(f"  repaired    {clean(', '.join(resource.repaired))}: its document is damaged")
    for belief in told.beliefs:
        click.echo(
            f"  {belief.estimator:<15} expects {belief.per_day:.3g} entries in the next day,"
            f" {belief.next_hour:.2g} in the next hour, {belief.unseen:.2g} since the last visit"
        )
    for name, value in told.numbers.items():
        if not math.isnan(value):
            shown = format_duration(value) if name in _SECONDS or name.endswith("_s") else f"{value:.4g}"
            click.echo(f"    {name.removesuffix('_s'):<18} {shown}")
    return 0
