"""``afresh discover``: find the feeds that sites announce."""

import asyncio
import time

import click

from afresh.base.errors import UsageError
from afresh.base.settings import Settings
from afresh.doors.cli.context import settings_of
from afresh.doors.cli.main import EXIT_WRONG
from afresh.doors.cli.output import clean, json_option, print_json
from afresh.doors.cli.patience import tell_progress
from afresh.doors.cli.polite_gate import polite_gate
from afresh.engine import accepted_values as values
from afresh.engine.add import add, named_by_document
from afresh.feeds.discovery import Discoverer, Discovery
from afresh.store import opened_store


@click.command("discover")
@click.argument("sites", nargs=-1, metavar="SITE…")
@click.option("--query", metavar="WORDS", help="Ask a search engine for sites.")
@click.option("--engine", metavar="URL", help="Its address with {query} in it; it may answer with links or a feed.")
@click.option("--limit", type=int, default=20, show_default=True, help="Sites taken from the search engine.")
@click.option("--add", "adding", is_flag=True, help="Watch the feeds found.")
@click.option("--folder", default="", help="With --add: folder to put them in.")
@json_option
@click.pass_context
def discover_command(
    ctx: click.Context,
    sites: tuple[str, ...],
    query: str | None,
    engine: str | None,
    limit: int,
    adding: bool,
    folder: str,
    as_json: bool,
) -> int:
    """Find the feeds that sites announce; duplicates and dead ones are told apart."""
    if bool(query) != bool(engine):
        raise UsageError(
            "--query and --engine go together, e.g. --query 'night trains' --engine 'https://…/?q={query}'"
        )
    if engine and "{query}" not in engine:
        raise UsageError(f"--engine needs {{query}} where the words go, not {engine!r}")
    if not sites and not query:
        raise UsageError("name a site, or --query WORDS with --engine URL")
    values.check({"folder": folder})  # before anybody is asked for anything
    settings = settings_of(ctx).settings
    tell_progress(f"asking {f'{len(sites)} sites' if len(sites) > 1 else 'a site'} and the feeds named there …")
    found = asyncio.run(find_feeds(settings, list(sites), query, engine, limit))
    tell_progress("")
    added = known = 0
    if adding:
        wanted = [named_by_document(feed.url, title=feed.title, below=folder) for feed in found.feeds]
        with opened_store(settings, makes=True) as store:
            results = add(store, wanted, settings, now=time.time())
        added = sum(item.is_new for item in results)
        known = sum(item.id is not None and not item.is_new for item in results)
    if as_json:
        print_json(
            {
                "feeds": found.feeds,
                "dead": found.dead,
                "duplicates": found.duplicates,
                "unreachable": found.unreachable,
                "barren": found.barren,
                "added": added,
                "known": known,
            }
        )
    else:
        _tell(found)
        if adding and found.feeds:
            click.echo(f"{added} added, {known} {'was' if known == 1 else 'were'} watched already")
    return 0 if found.feeds else EXIT_WRONG


async def find_feeds(
    settings: Settings, sites: list[str], query: str | None = None, engine: str | None = None, limit: int = 50
) -> Discovery:
    """What sites announce, and those that a search names."""
    async with polite_gate(settings) as gate:
        discoverer = Discoverer(gate)
        if query and engine:
            sites = [*sites, *await discoverer.search(query, engine, limit=limit)]
        return await discoverer.discover(sites)


def _tell(found: Discovery) -> None:
    for feed in found.feeds:
        click.echo(f"feed       {feed.url}  ({feed.format}, {feed.entries} entries) {clean(feed.title)}")
    for dropped in found.duplicates:
        click.echo(f"duplicate  {dropped.url}  of {dropped.kept} ({dropped.reason})")
    for feed in found.dead:
        click.echo(f"{'forbidden' if feed.is_forbidden else 'dead     '}  {feed.url}  {clean(feed.error)}")
    for site in found.unreachable:
        click.echo(f"{'forbidden' if site.is_forbidden else 'no answer'}  {site.url}  {clean(site.error)}")
    for site in found.barren:
        click.echo(f"no feed    {site.url}  {clean(site.error)}")
    if not found.feeds:
        click.echo("no living feed found", err=True)
