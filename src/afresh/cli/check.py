"""``afresh check``: are these links still what they were?"""

import asyncio
import gc
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, ExitStack, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from afresh.app.check import Checker
from afresh.app.judge_link import CheckResult
from afresh.app.judging import JudgingProcess
from afresh.app.sites import Sites
from afresh.cli.binding import run_async
from afresh.cli.check_cache import CheckCache
from afresh.cli.check_kept import KeptLinks
from afresh.cli.check_report import print_results
from afresh.cli.context import settings_of
from afresh.cli.main import EXIT_WRONG
from afresh.cli.output import console
from afresh.config import Settings
from afresh.core.durations import parse_duration
from afresh.core.links.status import Standing, Usage
from afresh.core.pacing import Manners
from afresh.core.verdicts import default_model
from afresh.errors import ParseError, UsageError
from afresh.fetch.pacing import Pacer
from afresh.parse.links import LinkRef, read_links
from afresh.wiring.clock import SystemClock
from afresh.wiring.fetching import make_fetcher

_MANY = 400  # links from which on a second process is worth its start
_REDRAW = 0.1  # seconds between two pictures of the progress bar


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
        kept = None
        if has_store:
            kept = KeptLinks(
                settings, usage=usage, **{name: options[name] for name in ("save", "watch", "explain", "owner")}
            )
            stack.enter_context(kept)
        cache = None
        if options["resume"]:
            max_age = parse_duration(options["max_age"])
            cache = stack.enter_context(CheckCache(Path(options["resume"]), max_age=max_age, now=time.time()))
        run = CheckRun(settings, parallel=options["parallel"], usage=usage, probe=options["probe"])
        run.kept, run.cache, run.find_moved, run.is_quiet = kept, cache, options["find_moved"], form is not None
        results = run.check(links)
    reasons = None if kept is None else kept.reasons
    print_results(form, links, results, everything=options["everything"], reasons=reasons)
    return EXIT_WRONG if any(result.standing is Standing.BROKEN for result in results) else 0


class CheckRun:
    """One run over a list of links, with a progress bar where somebody watches."""

    def __init__(self, settings: Settings, *, parallel: int, usage: Usage | None, probe: bool) -> None:
        self._settings, self._parallel, self._usage, self._probe = settings, parallel, usage, probe
        self.kept: KeptLinks | None = None
        self.cache: CheckCache | None = None
        self.find_moved = False
        self.is_quiet = True

    def check(self, links: Sequence[LinkRef]) -> list[CheckResult]:
        """All links; results in their order."""
        results: list[CheckResult] = []

        async def go() -> int:
            results.extend(await self.gather(links))
            return 0

        run_async(go())
        return results

    async def gather(self, links: Sequence[LinkRef]) -> list[CheckResult]:
        """The same within an event loop."""
        urls = list(dict.fromkeys(link.url for link in links))
        found = dict(self.cache.known) if self.cache is not None else {}
        asked = [url for url in urls if url not in found]

        def take(result: CheckResult) -> None:
            found[result.url] = result
            if self.cache is not None:
                self.cache.add(result, time.time())

        if asked:
            await self._check(asked, take)
        return [found[link.url] for link in links]

    async def _check(self, urls: list[str], take: Callable[[CheckResult], None]) -> None:
        is_large = len(urls) >= _MANY and self.kept is None
        async with AsyncExitStack() as stack:
            process = None
            if is_large:
                gc.set_threshold(50_000)  # thousands of short-lived parts of pages, hardly a cycle among them
                gc.freeze()
                if (os.cpu_count() or 1) > 1:
                    process = await stack.enter_async_context(JudgingProcess())
            checker = self._checker(stack, process)
            advance = stack.enter_context(self._progress(len(urls)))

            def done(result: CheckResult) -> None:
                take(result)
                advance()

            if self.kept is None:
                await checker.check_all(urls, parallel=self._parallel, done=done)
            else:
                await self.kept.check_all(checker, urls, self._parallel, done, find_moved=self.find_moved)
        await asyncio.sleep(0)

    def _checker(self, stack: AsyncExitStack, process: JudgingProcess | None) -> Checker:
        """Who asks; its connections are closed with the stack."""
        clock, settings = SystemClock(), self._settings
        # A one-shot check does not wait for a site in trouble: the next link to it is tried after the usual pause.
        delay = settings.politeness.delay
        pacer = Pacer(clock, Manners(delay=delay, backoff_base=delay, backoff_cap=30.0, max_retry_after=30.0))
        fetch = replace(settings.fetch, concurrency=self._parallel)
        fetcher = make_fetcher(replace(settings, fetch=fetch))
        stack.push_async_callback(fetcher.close)
        return Checker(
            fetcher,
            pacer.turn,
            Sites(settings.politeness).of,
            model=default_model(),
            usage=self._usage or Usage.REFERENTIAL,
            probing=self._probe,
            process=process,
        )

    def _progress(self, total: int) -> Any:
        screen = console(stderr=True)
        if self.is_quiet or not screen.is_terminal:
            return nullcontext(lambda: None)
        return _Bar(screen, total)


class _Bar:
    """A progress bar that is drawn now and then, not for every link."""

    def __init__(self, screen: Any, total: int) -> None:
        columns = (TextColumn("checking"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._progress = Progress(*columns, console=screen, transient=True)
        self._task = self._progress.add_task("", total=total)
        self._done, self._drawn = 0, 0.0

    def __enter__(self) -> Callable[[], None]:
        self._progress.start()
        return self._advance

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def _advance(self) -> None:
        self._done += 1
        now = time.monotonic()
        if now - self._drawn > _REDRAW:
            self._drawn = now
            self._progress.update(self._task, completed=self._done)


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
