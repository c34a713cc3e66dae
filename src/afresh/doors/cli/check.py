"""``afresh check``: are these links still what they were?"""

import os
import time
from collections.abc import Container, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import afresh.doors.cli.blas  # noqa: F401 (first: once numpy is loaded it is too late)
from afresh.base.durations import parse_duration
from afresh.base.errors import ParseError, UsageError
from afresh.base.records.link_status import Standing, Usage
from afresh.base.records.links import LinkRef
from afresh.doors.cli.check_inputs import Where, collect
from afresh.doors.cli.context import settings_of
from afresh.doors.cli.event_loop import run_async
from afresh.doors.cli.files import read_file
from afresh.doors.cli.lazy import loading
from afresh.doors.cli.main import EXIT_WRONG
from afresh.links.documents.occurrences import Occurrence
from afresh.links.documents.targets import NotAsked, WebPage, check_base

if TYPE_CHECKING:
    from afresh.links.judging_start import JudgingChild

_WISHES = ("parallel", "probe", "save", "watch", "explain", "owner", "find_moved")
_MANY = 400  # links from which on a second process is worth its start


@click.command("check")
@click.argument("targets", nargs=-1, required=True, metavar="FILE|FOLDER|URL…")
@click.option("--offline", is_flag=True, help="Ask nobody: look only at links to files.")
@click.option("--base-url", metavar="URL", default="", help="Relative links are pages of this site, not files.")
@click.option("--root-dir", metavar="DIR", help='What "/" at the beginning of a link means (default: the repository).')
@click.option("--mail", is_flag=True, help="Also list mailto: and tel: links, which nobody is asked about.")
@click.option("--json", "form", flag_value="json", help="Print JSON.")
@click.option("--junit", "form", flag_value="junit", help="Print a JUnit report.")
@click.option("--markdown", "form", flag_value="markdown", help="Print a Markdown table.")
@click.option("--all", "everything", is_flag=True, help="Also list the links that are well.")
@click.option("--delay", metavar="DURATION", help="Pause between two requests to a site (default: the settings').")
@click.option("--parallel", type=click.IntRange(1), default=64, show_default=True, help="Sites asked side by side.")
@click.option(
    "--profile",
    "--usage",
    "usage",
    type=click.Choice([str(usage) for usage in Usage]),
    help="What the links mean: a place (referential, the default), or this very content (attributive).",
)
@click.option(
    "--probe/--no-probe", default=True, help="Ask a site for a page that cannot exist where a page looks like that."
)
@click.option("--store", metavar="URL", help="Compare with the versions stored there.")
@click.option("--save", is_flag=True, help="Keep what is seen: the first version of a link is its reference.")
@click.option("--watch", is_flag=True, help="With --save: let the daemon go on watching these links.")
@click.option("--explain", is_flag=True, help="Show the measures that decided, and what changed.")
@click.option("--owner", default="", help="Judge by this person's trained model; empty: everybody's.")
@click.option("--find-moved", is_flag=True, help="Look on the site for pages that are gone; asks its home page.")
@click.option("--resume", type=click.Path(dir_okay=False), metavar="FILE", help="Keep results there; go on from them.")
@click.option("--max-age", metavar="DURATION", default="1d", show_default=True, help="Of results taken from --resume.")
@click.pass_context
def check_command(ctx: click.Context, /, targets: tuple[str, ...], form: str | None, **options: Any) -> int:
    """Check links of documents, bookmarks or lists, of all documents of a folder, or given by URL; exit 1 if one is
    broken.
    """
    settings = settings_of(ctx, politeness__delay=options["delay"], store__url=options["store"]).settings
    if options["watch"] and not options["save"]:
        raise UsageError("--watch needs --save: what is watched has to be kept")
    inputs = collect(targets, _where(options))
    found = [item for item in inputs.occurrences if is_asked(item, mail=options["mail"])]
    if inputs.complaints and not inputs.occurrences:
        raise UsageError("; ".join(inputs.complaints))
    for complaint in inputs.complaints:
        click.echo(f"afresh: {complaint}", err=True)
    if not inputs.occurrences:
        return _found_nothing(inputs.files, form)
    with ExitStack() as stack:
        child = store = cache = None
        has_store = options["save"] or options["store"] is not None or ctx.obj["store"] is not None
        links = [] if options["offline"] else links_to_ask(found)
        if not has_store and not options["resume"] and are_many(links):
            child = _second_process(stack)
        # Only now, for it takes the better part of a second: the other process loads at the same time.
        with loading():
            from afresh.doors.cli import check_report, check_rows  # noqa: PLC0415
            from afresh.links.documents.local_files import LocalFiles  # noqa: PLC0415

        run = None
        if links:
            with loading():
                from afresh.doors.cli import check_run  # noqa: PLC0415

            if has_store:
                from afresh.store import opened_store  # noqa: PLC0415 (loads the stores)

                store = stack.enter_context(opened_store(settings))
            if options["resume"]:
                from afresh.doors.cli.check_cache import CheckCache  # noqa: PLC0415 (loads what reads its lines)

                path, max_age = Path(options["resume"]), parse_duration(options["max_age"])
                cache = stack.enter_context(CheckCache(path, max_age=max_age, now=time.time()))
                if not has_store and are_many(links, cache.known):
                    child = _second_process(stack)
            usage = None if options["usage"] is None else Usage(options["usage"])
            wanted = {name: options[name] for name in _WISHES}
            wish = check_run.Wish(usage=usage, is_quiet=form is not None, **wanted)
            run = check_run.CheckRun(settings, wish, store=store, cache=cache, child=child)
        rows = run_async(check_rows.rows_of(found, run, LocalFiles()))
    check_report.print_rows(form, rows, everything=options["everything"])
    is_broken = any(row.check.standing is Standing.BROKEN for row in rows)
    return EXIT_WRONG if is_broken or inputs.complaints else 0


def _where(options: dict[str, Any]) -> Where:
    base = options["base_url"]
    return Where(base_url=check_base(base) if base else "", root_dir=options["root_dir"])


def _found_nothing(files: int, form: str | None) -> int:
    """Documents without links are well; a file in which somebody expected links is not what they meant."""
    if files <= 1:
        raise UsageError(
            "no links found; files may be documents (Markdown, HTML), bookmarks (HTML, JSON), OPML, CSV or plain lists"
        )
    from afresh.doors.cli import check_report  # noqa: PLC0415

    check_report.print_rows(form, [], everything=False)
    return 0


def is_asked(item: Occurrence, *, mail: bool) -> bool:
    """Whether somebody wants to know of it: mail and templates of documents only if wanted."""
    target = item.target
    return not isinstance(target, NotAsked) or (mail and target.scheme in ("mailto", "tel"))


def links_to_ask(found: Sequence[Occurrence]) -> list[LinkRef]:
    return [item.link for item in found if isinstance(item.target, WebPage)]


def _second_process(stack: ExitStack) -> "JudgingChild":
    from afresh.links.judging_start import JudgingChild  # noqa: PLC0415 (few checks need one)

    return stack.enter_context(JudgingChild())


def are_many(links: Sequence[LinkRef], known: Container[str] = ()) -> bool:
    """Whether a second process is worth its start: many links, and somewhere to run it."""
    if (os.cpu_count() or 1) < 2:
        return False
    return len({url for link in links if (url := link.url.partition("#")[0]) not in known}) >= _MANY


def links_of(target: str) -> list[LinkRef]:
    """The links of a file, of standard input (``-``), or the one given by URL."""
    if target.startswith(("http://", "https://")):
        return [LinkRef(url=target)]
    body = read_file(target, advice="; a link must start with http:// or https://")
    from afresh.parse.links import read_links  # noqa: PLC0415 (a link given by URL is in no file)

    try:
        return read_links(body, name=target)
    except ParseError as error:
        raise UsageError(f"{target}: {error}") from error
