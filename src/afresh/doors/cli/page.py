"""``afresh page``: versions of a watched page, what changed between them, and what of it is watched."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from afresh.base.difference import Difference, Mark, Row
from afresh.base.errors import ResourceNotFound, UsageError
from afresh.base.models import Fetched, Kind, describe
from afresh.base.plain_numbers import counted
from afresh.base.records.watches import USUAL, Watch
from afresh.base.settings import Settings
from afresh.doors.cli.context import settings_of, with_store
from afresh.doors.cli.lazy import PlainGroup
from afresh.doors.cli.main import EXIT_WRONG
from afresh.doors.cli.output import clean, console, json_option, moment, print_json, print_table
from afresh.doors.cli.polite_gate import polite_gate, shared_store
from afresh.doors.cli.watch_options import said_watch, watch_options
from afresh.doors.presenting.changes import TriedView, view_comparison, view_page_version, view_watch
from afresh.engine.accepted_values import tag_scope
from afresh.engine.watch_pages import change_watch, checked, page_scope, site_scope, watch_of
from afresh.pages.changes.wording import as_lines, headline, watch_words
from afresh.pages.comparing import compare_pages, compare_pictures, picture_of
from afresh.pages.kind import page_request
from afresh.pages.watching import Watches, advice, shown_by
from afresh.parse.url import Sites, kept_url
from afresh.parse.watched_lines import Shown
from afresh.store import opened_store
from afresh.store.finding import find_one

if TYPE_CHECKING:
    from afresh.base.protocols import Store

_STYLES = {Mark.ADDED: "green", Mark.REMOVED: "red", Mark.MOVED: "cyan"}
_AROUND = 2  # lines that stay, before and after those that differ


@click.group("page", cls=PlainGroup)
def page_command() -> None:
    """Watched pages: their versions, what changed, and what of them is watched."""


@page_command.command("versions")
@click.argument("page", metavar="URL|NUMBER")
@click.option("--limit", type=click.IntRange(1, 1_000), default=20, show_default=True)
@json_option
@with_store
def versions_command(store: Store, page: str, limit: int, as_json: bool) -> int:
    """List the stored versions of a page, newest first."""
    number = find_one(store, page)
    found = store.links.versions(number, limit=limit)
    if as_json:
        return print_json([view_page_version(version, number) for version in found])
    if not found:
        click.echo("no version is stored yet: the page has not been visited since versions are kept", err=True)
        return 0
    rows = [(v.number, moment(v.at), moment(v.last_seen), v.size, v.stored, v.title[:60] or "-") for v in found]
    return print_table(["#", "first seen", "last seen", "bytes", "stored", "title"], rows)


@page_command.command("diff")
@click.argument("page", metavar="URL|NUMBER")
@click.argument("old", type=click.IntRange(1), required=False)
@click.argument("new", type=click.IntRange(1), required=False)
@click.option("--unified", is_flag=True, help="As `diff -u` writes it.")
@click.option("--picture", metavar="FILE", help="Write the pictures of both, changes marked, to a PNG file.")
@json_option
@with_store
def diff_command(
    store: Store, page: str, old: int | None, new: int | None, unified: bool, picture: str | None, as_json: bool
) -> int:
    """Show what changed: between the two newest versions, or the two that are named."""
    number = find_one(store, page)
    if (of := store.get(number)).kind in (Kind.FEED, Kind.SITEMAP):
        raise UsageError(f"{of.url} is a {of.kind}, of which no versions are kept: `afresh entries --feed {number}`")
    made = compare_pages(store, number, old, new)
    if picture is not None:
        _write(picture, compare_pictures(store, number, old, new))
    resource = store.get(number)
    if as_json or unified:
        view = view_comparison(made, resource)
        if as_json:
            return print_json(view)
        click.echo("\n".join(map(clean, view.unified.splitlines())))
        return 0
    difference = made.difference
    click.echo(
        f"version {made.old.number} ({moment(made.old.at)}) and version {made.new.number} ({moment(made.new.at)}) of"
        f" {resource.url}: {clean(headline(difference.news))}"
    )
    _print_difference(difference)
    return 0


@page_command.command("picture")
@click.argument("page", metavar="URL|NUMBER")
@click.argument("version", type=click.IntRange(1), required=False)
@click.option("--output", "-o", required=True, metavar="FILE", help="PNG file to write; `-`: standard output.")
@json_option
@click.pass_context
def picture_command(ctx: click.Context, page: str, version: int | None, output: str, as_json: bool) -> int:
    """Write the picture of a version to a file: of the newest, or of the one that is named.

    Pictures are taken of pages that are watched with --screenshot.
    """
    if as_json and output == "-":
        raise UsageError("standard output takes the picture or JSON: name a file with --output")
    with opened_store(settings_of(ctx).settings) as store:
        picture = picture_of(store, find_one(store, page), version)
    _write(output, picture)
    return print_json({"file": output, "bytes": len(picture)}) if as_json else 0


def _write(name: str, picture: bytes) -> None:
    try:
        with click.open_file(name, "wb") as file:
            file.write(picture)
    except OSError as error:
        raise UsageError(f"cannot write {name}: {error.strerror}") from error


@page_command.command("watch")
@click.argument("page", metavar="[URL|NUMBER]", required=False)
@click.option("--site", metavar="NAME", help="For all pages of a site.")
@click.option("--tag", metavar="TAG", help="For all pages with a tag.")
@watch_options
@json_option
@click.pass_context
def watch_command(
    ctx: click.Context, /, page: str | None, site: str | None, tag: str | None, as_json: bool, **given: Any
) -> int:
    """Say what of a page is watched, or show it.

    \b
    afresh page watch https://shop.example/ --css .price --only numbers
    afresh page watch --site news.example --without-css .ticker
    afresh page watch https://shop.example/ --css none
    """
    if sum(value is not None for value in (page, site, tag)) != 1:
        raise UsageError("name one page, or a site with --site, or a tag with --tag")
    changes = said_watch(given)
    settings = settings_of(ctx).settings
    with opened_store(settings, makes=bool(changes)) as store:
        if page is not None:
            scope = page_scope(find_one(store, page))
        else:
            scope = tag_scope(tag) if tag is not None else site_scope(site or "", Sites(settings.politeness))
        watch = change_watch(store, scope, changes) if changes else watch_of(store, scope)
    if as_json:
        return print_json({"scope": scope, **_fields(watch)})
    click.echo(f"{scope}: {clean(watch_words(watch))}")
    return 0


@page_command.command("try")
@click.argument("url", metavar="URL|NUMBER")
@watch_options
@json_option
@click.pass_context
def try_command(ctx: click.Context, /, url: str, as_json: bool, **given: Any) -> int:
    """Show what would be watched of a page, before it is saved. Asks for the page once."""
    settings = settings_of(ctx).settings
    address, watch = _known(settings, url)
    watch = checked(replace(watch, **said_watch(given)))
    shown, helps = asyncio.run(_look(settings, address, watch))
    view = TriedView(url=address, title=shown.title, kind=shown.kind, lines=shown.lines, missing=shown.missing)
    if as_json:
        print_json(view)
    else:
        click.echo(f"{clean(shown.title) or address}: {counted(len(shown.lines), 'line')} of {shown.kind}", err=True)
        for line in shown.lines:
            click.echo(clean(line))
        for selector in shown.missing:
            click.echo(f"nothing matches {clean(selector)}", err=True)
        if helps:
            click.echo(helps, err=True)
    return 0 if shown.lines and not shown.missing else EXIT_WRONG


def _known(settings: Settings, key: str) -> tuple[str, Watch]:
    """Where a page is, and what is watched of it already; an address need not be kept, a number must."""
    with ExitStack() as stack:
        store = shared_store(settings, stack)
        if key.isdigit():
            if store is None:
                raise UsageError(f"there is no store that has number {key}; name the address")
            page = store.get(int(key))
            return page.url, Watches(store).of(page)
        address = kept_url(key)
        with suppress(ResourceNotFound):
            if store is not None:
                return address, Watches(store).of(store.get(address))
    return address, USUAL


async def _look(settings: Settings, url: str, watch: Watch) -> tuple[Shown, str]:
    async with polite_gate(settings) as gate:
        outcome = await gate.fetch(page_request(url, render=watch.renders))
    if not isinstance(outcome, Fetched):
        raise UsageError(f"{url} brought no page: {describe(outcome)}")
    shown = shown_by(outcome, watch)
    return shown, advice(shown.lines, watch, outcome.body) if shown.kind in ("html", "empty") else ""


def _fields(watch: Watch) -> dict[str, object]:
    view = view_watch(watch)
    return {name: getattr(view, name) for name in type(view).__dataclass_fields__}


def _print_difference(difference: Difference) -> None:
    from rich.text import Text  # noqa: PLC0415 (only where it is shown)

    out, rows = console(), difference.rows
    if not out.is_terminal:  # signs instead of colours
        for line in as_lines(difference.news):
            click.echo(clean(line))
        return
    near = {
        place
        for at, row in enumerate(rows)
        if row.mark is not Mark.SAME
        for place in range(at - _AROUND, at + _AROUND + 1)
    }
    was_shown = True
    for at, row in enumerate(rows):
        if at in near:
            for line in _lines(row):
                out.print(line)
        elif was_shown:
            out.print(Text("  …", style="dim"))
        was_shown = at in near


def _lines(row: Row) -> list[Any]:
    from rich.text import Text  # noqa: PLC0415

    if row.mark is Mark.CHANGED:
        line, was = Text("± "), Mark.SAME
        for words in row.words:
            style = _STYLES.get(words.mark, "")
            style += " strike" if words.mark is Mark.REMOVED else ""
            if words.mark is Mark.ADDED and was is Mark.REMOVED:
                line.append(" ")
            was = words.mark
            line.append(clean(words.text), style=f"{style} bold".strip() if words.is_number else style)
        return [line]
    signs = {Mark.ADDED: "+ ", Mark.REMOVED: "- ", Mark.MOVED: "~ "}
    return [Text(signs.get(row.mark, "  ") + clean(row.new or row.old), style=_STYLES.get(row.mark, ""))]
