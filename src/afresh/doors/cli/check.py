"""``afresh check``: are these links still what they were?"""

import os
import sys
import time
from collections.abc import Container, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

import afresh.doors.cli.blas  # noqa: F401 (first: once numpy is loaded it is too late)
from afresh.base.durations import parse_duration
from afresh.base.errors import ParseError, UsageError
from afresh.base.records.link_status import Standing, Usage
from afresh.doors.cli.context import settings_of
from afresh.doors.cli.lazy import loading
from afresh.doors.cli.main import EXIT_WRONG
from afresh.links.judging_start import JudgingChild
from afresh.parse.links import LinkRef, read_links

_MANY = 400  # links from which on a second process is worth its start


@click.command("check")
@click.argument("targets", nargs=-1, required=True, metavar="FILE|URL…")
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
    """Check links of files (bookmarks, Markdown, HTML, OPML, CSV, lists) or given by URL; exit 1 if one is broken."""
    settings = settings_of(ctx, politeness__delay=options["delay"], store__url=options["store"]).settings
    links = [link for target in targets for link in links_of(target)]
    if not links:
        raise UsageError(
            "no links found; files may be bookmarks (HTML, JSON), Markdown, HTML, OPML, CSV or plain lists"
        )
    if options["watch"] and not options["save"]:
        raise UsageError("--watch needs --save: what is watched has to be kept")
    usage = None if options["usage"] is None else Usage(options["usage"])
    has_store = options["save"] or options["store"] is not None or ctx.obj["store"] is not None
    with ExitStack() as stack:
        child = kept = cache = None
        if not has_store and not options["resume"] and are_many(links):
            child = stack.enter_context(JudgingChild())
        # Only now, for it takes the better part of a second: the other process loads at the same time.
        with loading():
            from afresh.doors.cli import check_cache, check_report, check_run  # noqa: PLC0415

        if has_store:
            from afresh.doors.cli.check_kept import KeptLinks  # noqa: PLC0415 (loads the stores)

            wishes = {name: options[name] for name in ("save", "watch", "explain", "owner")}
            kept = stack.enter_context(KeptLinks(settings, usage=usage, **wishes))
        if options["resume"]:
            path, max_age = Path(options["resume"]), parse_duration(options["max_age"])
            cache = stack.enter_context(check_cache.CheckCache(path, max_age=max_age, now=time.time()))
            if not has_store and are_many(links, cache.known):
                child = stack.enter_context(JudgingChild())
        run = check_run.CheckRun(settings, parallel=options["parallel"], usage=usage, probe=options["probe"])
        run.kept, run.cache, run.child = kept, cache, child
        run.find_moved, run.is_quiet = options["find_moved"], form is not None
        results = run.check(links)
    reasons = None if kept is None else kept.reasons
    check_report.print_results(form, links, results, everything=options["everything"], reasons=reasons)
    return EXIT_WRONG if any(result.standing is Standing.BROKEN for result in results) else 0


def are_many(links: Sequence[LinkRef], known: Container[str] = ()) -> bool:
    """Whether a second process is worth its start: many links, and somewhere to run it."""
    if (os.cpu_count() or 1) < 2:
        return False
    return len({link.url for link in links if link.url not in known}) >= _MANY


def links_of(target: str) -> list[LinkRef]:
    """The links of a file, of standard input (``-``), or the one given by URL."""
    if target.startswith(("http://", "https://")):
        return [LinkRef(url=target)]
    try:
        body = sys.stdin.buffer.read() if target == "-" else Path(target).read_bytes()
    except OSError as error:
        raise UsageError(
            f"cannot read {target}: {error.strerror}; a link must start with http:// or https://"
        ) from error
    try:
        return read_links(body, name=target)
    except ParseError as error:
        raise UsageError(f"{target}: {error}") from error
