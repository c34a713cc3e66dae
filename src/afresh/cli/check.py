"""``afresh check``: are these links still what they were?"""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from afresh.app.check import Checker, CheckResult
from afresh.app.sites import Sites
from afresh.cli.context import settings_of
from afresh.cli.main import EXIT_WRONG
from afresh.cli.output import clean, console, print_json, print_table
from afresh.cli.serving import run_async
from afresh.config import Settings
from afresh.core.pacing import Manners
from afresh.core.verdicts import Usage, default_model
from afresh.core.verdicts.status import Standing
from afresh.errors import ParseError, UsageError
from afresh.fetch.pacing import Pacer
from afresh.fetch.robots_cache import RobotsCache, RobotsFetcher
from afresh.parse.links import LinkRef, read_links
from afresh.wiring.daemon import SystemClock, make_fetcher


@click.command("check")
@click.argument("targets", nargs=-1, required=True, metavar="FILE|URL…")
@click.option("--json", "form", flag_value="json", help="Print JSON.")
@click.option("--junit", "form", flag_value="junit", help="Print a JUnit report.")
@click.option("--markdown", "form", flag_value="markdown", help="Print a Markdown table.")
@click.option("--all", "everything", is_flag=True, help="Also list the links that are well.")
@click.option("--delay", metavar="DURATION", help="Pause between two requests to a site (default: the settings').")
@click.option("--parallel", type=click.IntRange(1), default=64, show_default=True, help="Sites asked side by side.")
@click.option(
    "--usage",
    type=click.Choice([str(usage) for usage in Usage]),
    default=str(Usage.REFERENTIAL),
    show_default=True,
    help="What the links mean: a place, or this very content.",
)
@click.option(
    "--probe/--no-probe", default=True, help="Ask a site for a page that cannot exist where a page looks like that."
)
@click.pass_context
def check_command(
    ctx: click.Context,
    targets: tuple[str, ...],
    form: str | None,
    everything: bool,
    delay: str | None,
    parallel: int,
    usage: str,
    probe: bool,
) -> int:
    """Check links of files (bookmarks, Markdown, HTML, OPML, CSV, lists) or given by URL; exit 1 if one is broken."""
    settings = settings_of(ctx, politeness__delay=delay).settings
    links = [link for target in targets for link in _links_of(target)]
    if not links:
        raise UsageError(
            "no links found; files may be bookmarks (HTML, JSON), Markdown, HTML, OPML, CSV or plain lists"
        )
    results = run_async_results(
        settings, links, parallel=parallel, usage=Usage(usage), probe=probe, quiet=form is not None
    )
    _print(form, links, results, everything=everything)
    return EXIT_WRONG if any(result.standing is Standing.BROKEN for result in results) else 0


def run_async_results(
    settings: Settings, links: Sequence[LinkRef], *, parallel: int, usage: Usage, probe: bool, quiet: bool
) -> list[CheckResult]:
    """All links checked, with a progress bar where somebody watches."""
    found: list[CheckResult] = []

    async def go() -> int:
        found.extend(await _check(settings, [link.url for link in links], parallel, usage, probe=probe, quiet=quiet))
        return 0

    run_async(go())
    return found


async def _check(
    settings: Settings, urls: list[str], parallel: int, usage: Usage, *, probe: bool, quiet: bool
) -> list[CheckResult]:
    clock = SystemClock()
    # A one-shot check does not wait for a site in trouble: the next link to it is tried after the usual pause.
    manners = Manners(
        delay=settings.politeness.delay, backoff_base=settings.politeness.delay, backoff_cap=30.0, max_retry_after=30.0
    )
    pacer = Pacer(clock, manners)
    fetch = replace(settings.fetch, concurrency=max(parallel, settings.fetch.concurrency))
    fetcher = make_fetcher(replace(settings, fetch=fetch))
    if settings.fetch.respect_robots:
        cache = RobotsCache(fetcher, clock=clock, agent=settings.fetch.user_agent.partition("/")[0])
        fetcher = RobotsFetcher(fetcher, cache, clock=clock, delay=settings.politeness.delay)
    checker = Checker(
        fetcher, pacer.turn, Sites(settings.politeness).of, model=default_model(), usage=usage, probing=probe
    )
    try:
        screen = console(stderr=True)
        if quiet or not screen.is_terminal:
            return await checker.check_all(urls, parallel=parallel)
        columns = (TextColumn("checking"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=screen, transient=True) as progress:
            task = progress.add_task("", total=len(set(urls)))
            return await checker.check_all(urls, parallel=parallel, done=lambda _: progress.advance(task))
    finally:
        await fetcher.close()
        await asyncio.sleep(0)


def _links_of(target: str) -> list[LinkRef]:
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


def as_dict(link: LinkRef, result: CheckResult) -> dict[str, object]:
    """A result for programs."""
    verdict = result.verdict
    return {
        "url": link.url,
        "line": link.line or None,
        "title": link.title or result.title,
        "standing": result.standing,
        "status": result.status,
        "code": result.status.code,
        "http": result.http,
        "final_url": result.final_url or None,
        "new_url": result.new_url or None,
        "turned": result.turned,
        "probability": None if verdict is None else verdict.probability,
        "detail": result.detail,
    }


def _print(form: str | None, links: Sequence[LinkRef], results: Sequence[CheckResult], *, everything: bool) -> None:
    pairs = list(zip(links, results, strict=True))
    if form == "json":
        print_json([as_dict(link, result) for link, result in pairs])
        return
    if form == "junit":
        click.echo(_junit(pairs))
        return
    shown = [(link, result) for link, result in pairs if everything or result.standing is not Standing.OK]
    rows = [_row(link, result) for link, result in shown]
    if form == "markdown":
        click.echo("| standing | status | link | what |\n|---|---|---|---|")
        for row in rows:
            click.echo("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |")
        return
    if rows:
        print_table(["standing", "status", "link", "what"], rows)
    counts = {standing: sum(result.standing is standing for result in results) for standing in Standing}
    click.echo(
        ", ".join(f"{count} {standing}" for standing, count in counts.items() if count) + f" of {len(results)} links"
    )


def _row(link: LinkRef, result: CheckResult) -> tuple[str, str, str, str]:
    parts = [
        str(result.turned or "").replace("_", " "),
        f"HTTP {result.http}" if result.http and result.http >= 300 else "",
        f"now at {result.new_url}" if result.new_url else "",
        result.detail,
    ]
    where = f"{link.url} (line {link.line})" if link.line else link.url
    return str(result.standing), str(result.status), clean(where), clean("; ".join(part for part in parts if part))


def _junit(pairs: Sequence[tuple[LinkRef, CheckResult]]) -> str:
    broken = sum(result.standing is Standing.BROKEN for _, result in pairs)
    lines = [f'<testsuite name="afresh check" tests="{len(pairs)}" failures="{broken}">']
    for link, result in pairs:
        name = quoteattr(clean(link.url))
        if result.standing is Standing.BROKEN:
            message = quoteattr(clean(_row(link, result)[3] or str(result.status)))
            lines.append(
                f"  <testcase name={name}><failure message={message}>{escape(str(result.status))}</failure></testcase>"
            )
        else:
            lines.append(f"  <testcase name={name}/>")
    return "\n".join([*lines, "</testsuite>"])
