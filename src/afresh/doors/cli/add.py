"""Commands that begin to watch something: add, import."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from afresh.base.durations import parse_duration
from afresh.base.errors import ParseError, UsageError
from afresh.base.models import Kind
from afresh.base.settings import Settings
from afresh.doors.cli.context import settings_of
from afresh.doors.cli.files import is_address, read_file
from afresh.doors.cli.lazy import keeping_everything
from afresh.doors.cli.main import EXIT_WRONG
from afresh.doors.cli.output import clean, json_option, print_json
from afresh.doors.cli.watch_options import said_watch, watch_options
from afresh.engine.add import AddResult, Wanted, add, complete_known
from afresh.parse.url import is_bare, names_scheme
from afresh.store import opened_store

if TYPE_CHECKING:
    from afresh.base.protocols import Store
    from afresh.engine.importing import Import


_STAYS = "       #{0} stays as it was, without the options given here: `afresh set {0} …` changes it"


@click.command("add")
@click.argument("urls", nargs=-1, metavar="URL…")
@click.option(
    "--kind",
    type=click.Choice([str(kind) for kind in Kind]),
    default="feed",
    show_default=True,
    help="What to watch for.",
)
@click.option(
    "--sitemap",
    "sitemaps",
    multiple=True,
    metavar="URL",
    help="Watch the pages this sitemap names, now and later; a bare site means the sitemaps of its robots.txt.",
)
@click.option("--folder", default="", help="Folder to put them in, like news/local.")
@click.option("--tag", "tags", multiple=True, help="Tag; may be repeated.")
@click.option("--rule", help="Rule that decides when to visit them (default: the setting predict.rule).")
@click.option("--pin", metavar="DURATION", help="Visit at this interval; no rule decides.")
@click.option(
    "--weight",
    type=float,
    default=1.0,
    show_default=True,
    help="How much an entry is worth: at 2, a minute of waiting for it counts as two.",
)
@watch_options
@json_option
@click.pass_context
def add_command(
    ctx: click.Context,
    /,
    urls: tuple[str, ...],
    kind: str,
    sitemaps: tuple[str, ...],
    folder: str,
    tags: tuple[str, ...],
    rule: str | None,
    pin: str | None,
    weight: float,
    as_json: bool,
    **given: Any,
) -> int:
    """Watch feeds for new entries, pages for changes of their text, or links for whether they still lead there.

    Sitemaps are read by the daemon, at its pace and again every day; their pages are watched as pages.
    """
    if not urls and not sitemaps:
        raise UsageError("nothing to add; name a URL, or a sitemap with --sitemap")
    watched = said_watch(given)
    if watched and Kind(kind) is not Kind.PAGE:
        raise UsageError("parts are watched of pages; add --kind page")
    if watched:
        _check_watch(watched)  # before anything is added
    settings = settings_of(ctx).settings
    pinned = parse_duration(pin) if pin else None
    wanted = [
        Wanted(url=url, kind=Kind(kind), folder=folder, tags=tags, rule=rule, pinned=pinned, weight=weight)
        for url in urls
    ]
    wanted += [Wanted(url=url, kind=Kind.SITEMAP, folder=folder, tags=tags, weight=weight) for url in sitemaps]
    with opened_store(settings, makes=True) as store:
        results = add(store, wanted, settings, now=time.time())
        if watched:
            _watch_parts(store, results, watched)
    said = bool(folder or tags or rule or pin or watched) or weight != 1.0
    code = _tell(results, as_json=as_json, hint=_STAYS if said else "")
    if not as_json:
        _tell_doubts(results, is_feed=Kind(kind) is Kind.FEED, urls=urls)
    return code


def _tell_doubts(results: Sequence[AddResult], *, urls: Sequence[str], is_feed: bool) -> None:
    """What may not be meant: a site in the place of its feed, https where nobody wrote it."""
    for item in results:
        if item.error or not item.is_new or item.wanted not in urls:
            continue
        if is_feed and is_bare(item.wanted):
            words = f"{item.url} looks like a site; `afresh discover {item.wanted} --add` looks for its feeds"
            click.echo(words, err=True)
        if not names_scheme(item.wanted):
            plain = "http" + item.url.removeprefix("https")
            words = f"{item.wanted} names no scheme, so https is asked; for http: afresh set {item.id} --url {plain}"
            click.echo(words, err=True)


def _check_watch(watched: Mapping[str, Any]) -> None:
    from afresh.base.records.watches import USUAL  # noqa: PLC0415 (few say what of a page)
    from afresh.engine.watch_pages import checked  # noqa: PLC0415

    checked(replace(USUAL, **watched))


def _watch_parts(store: Store, results: Sequence[AddResult], watched: Mapping[str, Any]) -> None:
    from afresh.engine.watch_pages import change_watch, page_scope  # noqa: PLC0415

    for number in {item.id for item in results if item.id is not None and item.is_new}:
        change_watch(store, page_scope(number), watched)


@click.command("import")
@click.argument("file", type=click.Path())
@click.option(
    "--kind",
    type=click.Choice(["feed", "page", "link", "sitemap"]),
    help="What to watch them for (default: what the file says; bookmarks are links, pages of a sitemap pages, all else "
    "feeds). An address that is said to be a sitemap is not asked for now.",
)
@click.option("--folder", default="", help="Put all of them below this folder.")
@click.option("--tag", "tags", multiple=True, help="Tag for all of them; may be repeated.")
@click.option(
    "--keep-intervals",
    is_flag=True,
    help="Ask no less often than the program that wrote the list (time_between_check of changedetection.io).",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["urlfrontier"]),
    help="A dump of URLFrontier (one JSON item a line, .gz), into the frontier's store (default: what the file is).",
)
@json_option
@click.pass_context
def import_command(
    ctx: click.Context,
    file: str,
    kind: str | None,
    folder: str,
    tags: tuple[str, ...],
    keep_intervals: bool,
    form: str | None,
    as_json: bool,
) -> int:
    """Watch all that a file names: OPML, bookmarks (HTML, JSON), CSV, a plain list, or the pages of a sitemap.

    Pages of changedetection.io (its url-watches.json), of urlwatch (urls.yaml) and of CSV with a column `selector` come
    with what is watched of them; what has no equal here is told.

    `-` reads standard input. An address may stand for a file: a list is read at once, a sitemap by the daemon, and
    again every day. Folders, tags, titles, notes and dates are kept. Exits 2 if the file names nothing to watch, or the
    address cannot be had; with `--kind sitemap` the daemon asks for it when it can.
    """
    settings = settings_of(ctx).settings
    if form is not None:
        from afresh.doors.cli.dumps import import_dump  # noqa: PLC0415 (what is watched needs no frontier)

        return import_dump(ctx, file, as_json=as_json)
    body = _asked(settings, file, kind) if is_address(file) else read_file(file)
    if body is None:
        from afresh.engine.importing import of_sitemap_at  # noqa: PLC0415 (a URL given by hand is in no file)

        found = of_sitemap_at(file, folder=folder, tags=tags)
        results, _ = _add(settings, found.wanted)
        return _tell_import(found, results, as_json=as_json, each=True)
    with keeping_everything():
        found = _read(
            body,
            file,
            kind=None if kind is None else Kind(kind),
            folder=folder,
            tags=tags,
            keep_intervals=keep_intervals,
            settings=settings,
        )
        results, completed = _add(settings, found.wanted)
    if found.repaired:
        places = f"{found.repaired} places" if found.repaired > 1 else "one place"
        click.echo(f"{file} is damaged: {places} had to be repaired to read it", err=True)
    for words in found.lost:
        click.echo(f"not carried over: {clean(words)}", err=True)
    return _tell_import(found, results, as_json=as_json, completed=completed)


def _add(settings: Settings, wanted: Sequence[Wanted]) -> tuple[list[AddResult], int]:
    """What became of each, and how many that were known got something they had not."""
    with opened_store(settings, makes=True) as store:
        results = add(store, wanted, settings, now=time.time())
        return results, complete_known(store, wanted, [None if one.is_new else one.id for one in results])


def _asked(settings: Settings, address: str, kind: str | None) -> bytes | None:
    """What an address holds; None for a sitemap, which the daemon reads; UsageError if nothing can be had."""
    if kind == Kind.SITEMAP:
        return None
    from afresh.doors.cli.event_loop import run_async  # noqa: PLC0415
    from afresh.doors.cli.fetched_document import ask  # noqa: PLC0415 (a file is not asked for)
    from afresh.engine.reading_document import NoAnswer  # noqa: PLC0415
    from afresh.parse.packed import unpacked  # noqa: PLC0415
    from afresh.parse.recognising import DocumentKind, recognise  # noqa: PLC0415

    try:
        with opened_store(settings, makes=True):  # where the pause is kept that the daemon has to heed
            body = unpacked(run_async(ask(settings, address)).body)
    except NoAnswer as error:
        if error.for_now and "sitemap" in urlsplit(address).path.lower():  # by its name, and the daemon is patient
            click.echo(f"{clean(str(error))}; the daemon will read it as a sitemap", err=True)
            return None
        raise UsageError(
            f"nothing imported: {clean(str(error))}; `--kind sitemap` lets the daemon read a sitemap later"
        ) from error
    return None if recognise(body, address).kind is DocumentKind.SITEMAP else body


def _read(body: bytes, name: str, **wishes: Any) -> Import:
    from afresh.engine.importing import read_import  # noqa: PLC0415 (a URL given by hand is in no file)

    try:
        return read_import(body, name=name, **wishes)
    except ParseError as error:
        raise UsageError(f"cannot import {name}: {error}") from error


def _tell(results: Sequence[AddResult], *, as_json: bool, hint: str = "") -> int:
    """``hint``: what is said of those that were known."""
    if as_json:
        from afresh.doors.presenting.resources import view_added  # noqa: PLC0415 (people need no form of programs)

        print_json(view_added(results))
        return _code(results)
    for item in results:
        if not item.error:
            click.echo(f"{'added' if item.is_new else 'known'}  #{item.id}  {item.url}")
            if hint and not item.is_new:
                click.echo(hint.format(item.id))
    return _tell_refused(results)


def _tell_import(
    found: Import, results: Sequence[AddResult], *, as_json: bool, each: bool = False, completed: int = 0
) -> int:
    """What a file brought; ``each``: link by link."""
    from afresh.doors.presenting.imports import import_lines, view_import, view_imported  # noqa: PLC0415 (as above)

    if as_json:
        print_json(view_imported(found, results, completed=completed))
        return _code(results)
    if each:
        return _tell(results, as_json=False)
    for line in import_lines(view_import(found, results, completed=completed)):
        click.echo(clean(line))
    return _tell_refused(results)


def _tell_refused(results: Sequence[AddResult]) -> int:
    for item in results:
        if item.error:
            click.echo(f"refused {item.shown[:200]!r}: {item.error}", err=True)
    return _code(results)


def _code(results: Sequence[AddResult]) -> int:
    return EXIT_WRONG if any(item.error for item in results) else 0
