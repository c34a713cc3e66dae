"""``afresh link``: links that are kept: their standing, their versions, and what a person says of them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from afresh.base.errors import AfreshError, ParseError, ResourceNotFound, UsageError
from afresh.base.plain_numbers import counted
from afresh.base.records.links import (
    CheckStatus,
    KeptLink,
    LinkFilter,
    LinkNotFound,
    LinkRef,
    ModelChoice,
    Standing,
    Usage,
)
from afresh.base.value_class import alike
from afresh.doors.cli.check import links_of
from afresh.doors.cli.check_fix import tell_left
from afresh.doors.cli.check_report import Explained, print_difference, print_reasons, what
from afresh.doors.cli.context import settings_of, with_store
from afresh.doors.cli.empty_answers import tell_nothing
from afresh.doors.cli.files import read_file
from afresh.doors.cli.lazy import PlainGroup
from afresh.doors.cli.link_demo import demo_command
from afresh.doors.cli.main import EXIT_WRONG
from afresh.doors.cli.output import (
    clean,
    json_option,
    moment,
    output_option,
    print_json,
    print_table,
    print_told,
    tell_more,
    write_out,
)
from afresh.doors.cli.set import remove_command
from afresh.doors.presenting.checks import alike_words, status_words, view_check
from afresh.doors.presenting.comparisons import view_diff
from afresh.doors.presenting.links import view_link, view_version
from afresh.doors.presenting.times import relative as distance
from afresh.engine.add import add, complete, wanted_links, watch_again
from afresh.engine.importing import in_words
from afresh.engine.take_address import take_address
from afresh.links.archive import BY_ARCHIVE, import_versions
from afresh.links.comparing import compare_versions
from afresh.links.documents.fixing import fixed
from afresh.links.models import ActiveModel
from afresh.links.reasons import in_brief, reasons_of
from afresh.links.repairs import repaired_address, why_no_repair
from afresh.parse.archived import ArchivedPage, archived_address, is_warc, read_warc, strip_archive, timestamp
from afresh.parse.bookmarks import write_bookmarks
from afresh.parse.listing import for_servers, with_all_tags
from afresh.parse.url import kept_url, page_of, with_part
from afresh.store import opened_store
from afresh.store.finding import find_address, find_one

if TYPE_CHECKING:
    from afresh.base.protocols import Store
    from afresh.parse.listing import LinkList

_MOST_ARCHIVED = 512_000_000  # bytes of a file with old versions of pages

_WHO = "operator"
_PIECES = 2_000


profile_option = click.option(
    "--profile",
    type=click.Choice([str(usage) for usage in Usage]),
    help="What a link means: a place (referential, the default), this very content (attributive), or a page that"
    " changes by nature, of which only its end is told (changing).",
)


@click.group("link", cls=PlainGroup)
def link_command() -> None:
    """Kept links: is each still the page that was saved?"""


link_command.add_command(demo_command)
link_command.add_command(remove_command)


@link_command.command("add")
@click.argument("targets", nargs=-1, required=True, metavar="FILE|URL…")
@click.option("--folder", default="", help="Folder to put them in; folders of the file go below it.")
@profile_option
@json_option
@click.pass_context
def add_command(ctx: click.Context, targets: tuple[str, ...], folder: str, profile: str | None, as_json: bool) -> int:
    """Watch links: those of a bookmarks file, a list or a document, or given by URL."""
    settings = settings_of(ctx).settings
    named: dict[str, LinkList] = {}
    unread = 0
    for target in targets:
        try:
            named[target] = for_servers(with_all_tags(links_of(target)))
        except UsageError as error:
            if len(targets) == 1:
                raise
            unread += 1
            click.echo(f"afresh: {clean(str(error))}", err=True)
    without = [target for target, found in named.items() if not found]
    left_out = Counter[str]()
    for found in named.values():
        left_out.update(found.left_out)
    told = ", ".join(map(clean, without)) + (" names no links" if len(without) == 1 else " name no links")
    if len(without) == len(named):
        left = f"; left out: {in_words(left_out)}" if left_out else ""
        raise UsageError(f"{told}{left}" if without else "nothing could be read")
    if without:
        click.echo(f"afresh: {told}", err=True)
    links = [link for found in named.values() for link in found]
    wanted = wanted_links(links, folder=folder)
    with opened_store(settings, makes=True) as store:
        results = add(store, wanted, settings, now=time.time())
        resumed = watch_again(store, results)
        for item, link in zip(results, links, strict=True):
            if item.id is not None and not item.is_new:
                complete(store, item.id, link, adds_tags=True)
        for item in results:
            if profile is not None and item.id is not None:
                store.links.set_usage(item.id, Usage(profile))
    if as_json:
        print_json([{"url": i.url or i.shown, "id": i.id, "is_new": i.is_new, "error": i.error} for i in results])
    else:
        new, refused = sum(item.is_new for item in results), {item.wanted for item in results if item.error}
        everywhere = [link for found in named.values() for link in (*found.links, *found.repeats)]
        places = sum(link.url not in refused for link in everywhere)
        resting = f" ({resumed} of them not watched so far)" if resumed else ""
        pages = len({item.id for item in results if item.id is not None})
        told = f"{new} added, {pages - new} known already{resting}, {len(refused)} refused"
        click.echo(f"{told}; `afresh run` watches them")
        if places > pages:
            click.echo(f"{places:,} links are kept as {pages:,}: an address is kept once, with the tags of all")
        if left_out:
            click.echo(f"left out: {in_words(left_out)}")
        for item in results:
            if item.error:
                click.echo(f"  {clean(item.shown)}: {clean(item.error)}", err=True)
    return EXIT_WRONG if unread or any(item.error for item in results) else 0


@link_command.command("list")
@click.option("--standing", type=click.Choice([str(standing) for standing in Standing]), help="Only these.")
@click.option(
    "--status",
    type=click.Choice([str(status) for status in CheckStatus]),
    help="Only those whose last check said so; content_similar: well, but changed.",
)
@click.option("--folder", help="Only this folder, and those below it.")
@click.option("--tag", help="Only with this tag.")
@click.option("--text", default="", help="Only with these words in URL, title, tags or folder.")
@click.option("--after", type=click.IntRange(0), default=0, help="Only numbers above this one (paging).")
@click.option("--limit", type=click.IntRange(1, 10_000), default=100, show_default=True)
@json_option
@click.pass_context
def list_command(
    ctx: click.Context,
    standing: str | None,
    status: str | None,
    folder: str | None,
    tag: str | None,
    text: str,
    after: int,
    limit: int,
    as_json: bool,
) -> int:
    """List kept links and how they stand."""
    chosen = None if standing is None else Standing(standing)
    said = None if status is None else CheckStatus(status)
    where = LinkFilter(standing=chosen, status=said, folder=folder, tag=tag, text=text)
    with opened_store(settings_of(ctx).settings) as store:
        found = store.links.list_links(where, after=after, limit=limit)
        more = store.links.count_links(where, after=found[-1].id) if len(found) == limit else 0
        counts = _standings(store, where)
        if not found:
            tell_nothing(store, folder=folder, tag=tag)
    if as_json:
        print_json([view_link(link) for link in found])
    else:
        _print_links(found, counts, is_filtered=where != LinkFilter())
    if more:
        tell_more(more, shown=len(found), last=found[-1].id)
    return 0


def _standings(store: Store, where: LinkFilter) -> Mapping[Standing, int]:
    """How many links stand how, of those that are asked for."""
    if where == LinkFilter():
        return store.links.link_standings()
    wanted = Standing if where.standing is None else (where.standing,)
    counts = {standing: store.links.count_links(replace(where, standing=standing)) for standing in wanted}
    return {standing: count for standing, count in counts.items() if count}


def _print_links(found: Sequence[KeptLink], counts: Mapping[Standing, int], *, is_filtered: bool) -> None:
    now = time.time()
    rows = [
        (
            link.id,
            link.state.standing,
            link.state.status or "-",
            distance(link.state.checked, now),
            link.url,
            what(link.state),
        )
        for link in found
    ]
    if rows:
        print_table(["#", "standing", "status", "checked", "link", "what"], rows)
    told = ", ".join(f"{count} {name}" for name, count in counts.items()) or "none"
    click.echo(
        f"links: {told}"
        if rows or counts or is_filtered
        else "no links yet: `afresh link add FILE` or `afresh check --save FILE`"
    )


@link_command.command("export")
@click.option("--standing", type=click.Choice([str(standing) for standing in Standing]), help="Only these.")
@click.option("--moved", "follow", is_flag=True, help="Write the new address of links that have moved.")
@click.option(
    "--like",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="With --moved: write this file, with new addresses and otherwise as it is, byte for byte.",
)
@output_option
@json_option
@click.pass_context
def export_command(
    ctx: click.Context, standing: str | None, follow: bool, like: str | None, output: str, as_json: bool
) -> int:
    """Write the links as bookmarks that browsers import."""
    if like is not None:
        if as_json:
            raise UsageError("--like writes a file as it is: it has no JSON")
        return _write_like(ctx, like, output, follow=follow)
    where = LinkFilter(standing=None if standing is None else Standing(standing))
    found: list[LinkRef] = []
    left: dict[str, str] = {}  # addresses that stay, and why
    with opened_store(settings_of(ctx).settings) as store:
        after = 0
        while page := store.links.list_links(where, after=after, limit=1_000):
            after = page[-1].id
            for link in page:
                url = _moved_to(link, left) if follow else ""
                found.append(alike(LinkRef, link, url=with_part(url or link.url, link.url)))
    tell_left(left)
    if as_json:
        return print_json(found)
    click.echo(
        "written: names, folders, tags, dates and notes; --moved --like FILE leaves all else as it is, too", err=True
    )
    return write_out(write_bookmarks(found), output, counted(len(found), "link"))


def _write_like(ctx: click.Context, name: str, output: str, *, follow: bool) -> int:
    """A file somebody has, with the addresses that its links have now."""
    if not follow:
        raise UsageError("--like needs --moved: without it the file stays as it is")
    body = read_file(name)
    left: dict[str, str] = {}
    with opened_store(settings_of(ctx).settings) as store:
        made = fixed(body, name, partial(_new_address, store, left))
    tell_left(left)
    click.echo(f"{counted(0 if made is None else made.changes, 'address', 'addresses')} replaced", err=True)
    return write_out(body if made is None else made.body, output, name)


def _moved_to(link: KeptLink, left: dict[str, str]) -> str:
    """Where a link has moved to; empty: nowhere, or it is no repair, and ``left`` says why."""
    if link.state.standing is not Standing.MOVED:
        return ""
    if why := why_no_repair(link.url, link.state):
        left[link.url] = why
        return ""
    return link.state.new_url


def _new_address(store: Store, left: dict[str, str], target: str) -> str:
    """Where a link of a file is now: where it has moved to, or the address somebody gave it; empty: where it was."""
    try:
        known = kept_url(target)
        kept = store.links.link(find_address(store, target))
    except AfreshError:  # no address, or none that is kept
        return ""
    now = _moved_to(kept, left) or kept.url
    return with_part(now, target) if page_of(now) != known else ""


@link_command.command("show")
@click.argument("link")
@json_option
@with_store
def show_command(store: Store, link: str, as_json: bool) -> int:
    """Show how a link stands, and why; by URL or number."""
    kept = store.links.link(_find(store, link))
    if as_json:
        return print_json(view_link(kept))
    state, now = kept.state, time.time()
    click.echo(f"{kept.id}  {clean(kept.url)}  {clean(kept.title)}")
    if kept.folder or kept.tags:
        click.echo(f"  in       {clean(kept.folder) or '-'}{clean(''.join(f'  #{tag}' for tag in kept.tags))}")
    for place, line in enumerate(kept.note.splitlines()):
        click.echo(f"  {'' if place else 'note':<8} {clean(line)}")
    found = status_words(state.status) if state.status is not None else "none yet"
    click.echo(f"  stands   {state.standing}; last check: {found}")
    click.echo(
        f"  checked  {distance(state.checked, now)}, next {distance(kept.due, now) if kept.is_watched else 'never'}"
    )
    click.echo(f"  means    {state.usage.in_words} ({state.usage})")
    click.echo(f"  judged   by {clean(_judged_by(kept))}")
    if state.is_candidate:
        click.echo(f"  kept     version {state.reference} as a candidate: `afresh link accept` if it is the page")
    elif state.reference is not None:
        click.echo(f"  compared with version {state.reference}, {_taken_how(kept)}")
    if alike := alike_words(state.probability, state.status):
        click.echo(f"  alike    {alike}{'; drifted' if state.drifted else ''}")
    if state.failures:
        times, days = counted(state.failures, "time"), counted(state.failing_days, "day")
        click.echo(f"  failing  {times} on {days} since {moment(state.failing_since)}")
    if found := what(state):
        click.echo(f"  what     {found}")
    for reason in reasons_of(state.turned, state.detail) if state.turned is not None else ():
        click.echo(f"  because  {clean(reason)}")
    if kept.archived:
        click.echo(f"  archive  {clean(kept.archived)}")
    return 0


@link_command.command("history")
@click.argument("link")
@click.option("--limit", type=click.IntRange(1, 1_000), default=20, show_default=True)
@json_option
@with_store
def history_command(store: Store, link: str, limit: int, as_json: bool) -> int:
    """List the checks of a link and its stored versions, newest first."""
    kept = store.links.link(_find(store, link))
    checks = store.links.link_checks(kept.id, limit=limit)
    versions = store.links.versions(kept.id, limit=limit)
    if as_json:
        shown = [view_version(version, kept) for version in versions]
        return print_json(
            {
                "checks": [view_check(check) for check in checks],
                "versions": shown,
                "reference": kept.state.reference,
            }
        )
    rows = [
        (
            moment(check.at),
            f"{check.status}{f' (said to be {check.overruled})' if check.overruled else ''}",
            check.http or "-",
            check.size,
            check.version or "-",
            check.final_url,
            in_brief(check.turned, check.detail),
        )
        for check in checks
    ]
    print_table(["checked", "status", "http", "bytes", "version", "at", "what"], rows)
    mark = "candidate" if kept.state.is_candidate else "reference"
    marks = {kept.state.reference: mark, kept.state.rejected: "rejected"}
    return print_table(
        ["version", "from", "last seen", "bytes", "title", ""],
        [
            (v.id, f"{moment(v.at)} ({v.origin})", moment(v.last_seen), v.size, v.title, marks.get(v.id, ""))
            for v in versions
        ],
        title="stored versions",
    )


@link_command.command("diff")
@click.argument("link")
@click.option("--old", type=click.IntRange(1), help="Version to compare with (default: the reference).")
@click.option("--new", type=click.IntRange(1), help="Version to compare (default: the newest).")
@json_option
@with_store
def diff_command(store: Store, link: str, old: int | None, new: int | None, as_json: bool) -> int:
    """Show what changed between two versions, and what the verdict over them rests on."""
    number = _find(store, link)
    made = compare_versions(store.links, number, old=old, new=new, model=ActiveModel(store.learning))
    if as_json:
        return print_json(view_diff(made))
    verdict = made.verdict
    told = ", ".join(filter(None, (verdict.content, alike_words(verdict.probability, verdict.status))))
    click.echo(
        f"version {made.old.id} ({moment(made.old.at)}) and version {made.new.id} ({moment(made.new.at)}): {told}"
    )
    for reason in made.verdict.reasons:
        click.echo(f"  {clean(reason)}")
    print_reasons(made.new.url, Explained(influences=made.influences))
    print_difference(made.difference, limit=_PIECES)
    return 0


@link_command.command("accept")
@click.argument("link")
@click.option("--version", type=click.IntRange(1), help="The version to accept (default: the newest).")
@click.option(
    "--teach/--no-teach", default=False, help="Also an example for the next training: old and new are one page."
)
@json_option
@with_store
def accept_command(store: Store, link: str, version: int | None, teach: bool, as_json: bool) -> int:
    """Say that the page is now this version: it is compared with from now on."""
    number = _find(store, link)
    kept = store.links.accept_version(number, version, by=_WHO, now=time.time(), teach=teach)
    told = f"version {kept.state.reference} is the page from now on"
    if kept.state.usage is Usage.CHANGING:
        told += f"; means {kept.state.usage.in_words}"
    return _tell(kept, told, as_json=as_json)


@link_command.command("reject")
@click.argument("link")
@click.option("--version", type=click.IntRange(1), help="The version to reject (default: the newest).")
@click.option("--teach/--no-teach", default=True, help="Also an example of two pages for the next training.")
@json_option
@with_store
def reject_command(store: Store, link: str, version: int | None, teach: bool, as_json: bool) -> int:
    """Say that a version is not the page: the link is broken until the page comes back."""
    number = _find(store, link)
    kept = store.links.reject_version(number, version, by=_WHO, now=time.time(), teach=teach)
    return _tell(kept, f"version {kept.state.rejected} is not the page", as_json=as_json)


@link_command.command("set")
@click.argument("link")
@click.option("--address", metavar="URL", help="Where its page is now.")
@click.option("--moved", is_flag=True, help="Take the address where its last check says that its page is now.")
@profile_option
@click.option("--model", metavar="MODEL", help="Who judges it: everybody, owner:NAME, shipped, or a model's number.")
@json_option
@click.pass_context
def set_command(
    ctx: click.Context,
    link: str,
    address: str | None,
    moved: bool,
    profile: str | None,
    model: str | None,
    as_json: bool,
) -> int:
    """Say where a link's page is now, what it means, and which model judges it.

    It means a place (referential), this very content (attributive), or a page that changes by nature, of which only its
    end is told (changing).
    """
    if address is None and not moved and profile is None and model is None:
        raise UsageError("say what to change: --address, --moved, --profile or --model")
    if address is not None and moved:
        raise UsageError("--moved takes the address that is known; --address gives another one: not both")
    choice = None if model is None else ModelChoice.parse(model)
    settings = settings_of(ctx).settings
    with opened_store(settings) as store:
        number = _find(store, link)
        if moved:
            before = store.links.link(number)
            address = repaired_address(before.url, before.state)
        if address is not None:
            take_address(store, number, address, settings, now=time.time())
        if choice is not None:
            store.learning.choose_model(number, choice)
        kept = store.links.link(number) if profile is None else store.links.set_usage(number, Usage(profile))
    told = [f"now at {clean(kept.url)}"] if address is not None else []
    if profile is not None or model is not None:
        told.append(f"means {kept.state.usage}, judged by {_judged_by(kept)} from its next check on")
    words = f"link {number}: {'; '.join(told)}" if address is not None else f"{clean(kept.url)}: {told[0]}"
    return print_told(view_link(kept), f"{words}; stands {kept.state.standing}", as_json=as_json)


@link_command.command("import")
@click.argument("link")
@click.argument("files", nargs=-1, required=True, type=click.Path(dir_okay=False), metavar="FILE…")
@click.option("--at", metavar="YYYYMMDD[hhmmss]", help="Time of a file that does not say it itself.")
@json_option
@click.pass_context
def import_command(ctx: click.Context, link: str, files: tuple[str, ...], at: str | None, as_json: bool) -> int:
    """Take versions from an archive: WARC files, or pages saved from it; what the archive added is taken out."""
    settings = settings_of(ctx).settings
    with opened_store(settings) as store:
        number = _find(store, link)
        kept = store.links.link(number)
        pages = [page for file in files for page in _archived(file, kept.url, at)]
        count = import_versions(store.links, number, pages, settings.links)
        kept = store.links.link(number)
    return _tell(kept, f"{count} versions of {len(pages)} read were new", as_json=as_json)


def _archived(file: str, url: str, at: str | None) -> list[ArchivedPage]:
    """The versions of one page in a file."""
    body = read_file(file, most=_MOST_ARCHIVED)
    if is_warc(body):
        try:
            return [page for page in read_warc(body, name=file) if _same_address(page.url, url)]
        except ParseError as error:
            raise UsageError(str(error)) from error
    when = timestamp(at) if at else Path(file).stat().st_mtime
    if when is None:
        raise UsageError(f"{at!r} is not a time; write it like 20030401 or 20030401123000")
    return [ArchivedPage(url=url, at=when, body=strip_archive(body))]


def _same_address(found: str, url: str) -> bool:
    original = archived_address(found)
    name = (original[0] if original else found).partition("://")[2].rstrip("/").removeprefix("www.")
    return name == url.partition("://")[2].rstrip("/").removeprefix("www.")


def _find(store: Store, key: str) -> int:
    """The number of the link a person means."""
    try:
        return find_one(store, key)
    except ResourceNotFound as error:
        raise LinkNotFound(key) from error


def _taken_how(link: KeptLink) -> str:
    """How the version that a link is compared with became that."""
    by, when = link.state.accepted_by, moment(link.state.accepted)
    if by == BY_ARCHIVE:
        return f"an archive's of {when}"
    return f"accepted {when} by {by}" if by else f"saved {when}"


def _judged_by(link: KeptLink) -> str:
    choice = link.model
    if choice.number is not None:
        return f"model {choice.number}" if choice.number else "the shipped model"
    return f"the model of {choice.owner}" if choice.owner else "everybody's model"


def _tell(link: KeptLink, told: str, *, as_json: bool) -> int:
    return print_told(view_link(link), f"{clean(link.url)}: {told}; stands {link.state.standing}", as_json=as_json)
