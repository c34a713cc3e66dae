"""``afresh parse``: what afresh reads in a document, entry by entry."""

from collections.abc import Iterator

import click

from afresh.base.plain_numbers import counted
from afresh.doors.cli.context import settings_of
from afresh.doors.cli.event_loop import run_async
from afresh.doors.cli.fetched_document import ask
from afresh.doors.cli.files import is_address, read_file
from afresh.doors.cli.main import EXIT_WRONG
from afresh.doors.cli.output import clean, json_option, print_json
from afresh.doors.presenting.readings import ListedView, ReadEntryView, ReadingView, view_reading
from afresh.engine.reading_document import Given, NoAnswer, read_one
from afresh.parse.recognising import DocumentKind

_PATHS = {
    "fast": "fast: it is well-formed",
    "tree": "tree: another encoding, a document type, or something to repair",
    "patient": "patient: its tags do not fit together, so one was read after the other",
    "json": "json",
}


@click.command("parse")
@click.argument("document", metavar="FILE|URL")
@click.option(
    "--limit", type=click.IntRange(0), default=20, show_default=True, help="Entries or links shown to people."
)
@json_option
@click.pass_context
def parse_command(ctx: click.Context, document: str, limit: int, as_json: bool) -> int:
    """Show what afresh reads in a document: entry by entry, what was repaired, and by which reader.

    Reads feeds, and says what else a document is: OPML, bookmarks, a sitemap, a page and the feeds it announces. `-`
    reads standard input; an address is asked for as politely as by the daemon. Nothing is kept. Exits 1 if the document
    cannot be had or read.
    """
    try:
        given = _given(ctx, document)
    except NoAnswer as error:
        click.echo(f"afresh: {clean(str(error))}", err=True)
        return EXIT_WRONG
    view = view_reading(read_one(given), given)
    if as_json:
        print_json(view)
    else:
        for line in _lines(view, limit):
            click.echo(line)
    return EXIT_WRONG if view.error or _is_nothing(view) else 0


def _is_nothing(view: ReadingView) -> bool:
    """Neither a feed nor a list, whatever else: any text can be looked at for links, and any JSON."""
    return view.kind in (DocumentKind.TEXT, DocumentKind.JSON) and not view.links


def _given(ctx: click.Context, document: str) -> Given:
    if is_address(document):
        return run_async(ask(settings_of(ctx).settings, document))
    return Given(body=read_file(document), name=document)


def _lines(view: ReadingView, limit: int) -> Iterator[str]:
    yield f"{clean(view.name)}: {view.words}, {view.bytes:,} bytes"
    if view.error:
        yield f"  cannot be read: {clean(view.error)}"
        return
    if view.path is not None:
        yield f"  read by   {_PATHS.get(view.path, view.path)}"
    yield f"  repaired  {clean(', '.join(view.repaired)) or 'nothing'}"
    if view.facts is not None:
        title = clean(view.facts.title) or "(no title)"
        entries = counted(len(view.entries), "entry", "entries")
        yield f"  feed      {title} ({view.facts.format}), {entries}"
        for entry in view.entries[:limit]:
            yield from _entry_lines(entry)
    for link in view.links[:limit]:
        yield _link_line(link)
    for feed in view.feeds[:limit]:
        how = "announces" if feed.announced else "links, by the look of it,"
        yield f"  the page {how} {clean(feed.url)}  {clean(feed.title)}".rstrip()
    if view.kind == "html" and not view.feeds:
        yield "  the page announces no feed"
    elif view.facts is None and not (view.links or view.feeds):
        yield "  no feed and no list: there is neither an entry nor a link in it"
    if (more := max(len(view.entries), len(view.links), len(view.feeds)) - limit) > 0:
        yield f"  and {more:,} more; --limit shows them"


def _entry_lines(entry: ReadEntryView) -> Iterator[str]:
    yield f"{entry.place:>4}  {clean(entry.title)[:100] or '(no title)'}"
    when = (
        f"{entry.published} ({entry.date_source})" if entry.published else "no usable date: the time it is found counts"
    )
    said = {
        "id": entry.id or "none: told by title and link",
        "link": entry.link or "none",
        "date": when,
        "updated": entry.updated,
        "author": entry.author,
        "language": entry.language,
        "tags": ", ".join(entry.categories),
        "text": f"{len(entry.content or entry.summary):,} characters" if entry.content or entry.summary else "",
        "files": ", ".join(file.url for file in entry.enclosures),
    }
    for name, value in said.items():
        if value:
            yield f"      {name:<9} {clean(value)[:300]}"
    if entry.same_as is not None:
        yield f"      dropped   title, link and id are those of entry {entry.same_as}: one entry to afresh"


def _link_line(link: ListedView) -> str:
    about = "  ".join(part for part in (link.title, link.folder and f"in {link.folder}", " ".join(link.tags)) if part)
    return f"  {clean(link.url)}  {clean(about)}".rstrip()
