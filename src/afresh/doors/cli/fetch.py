"""``afresh fetch``: a fetcher for a frontier, here or on another machine."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

import click
import orjson

from afresh.base.clock import SystemClock, first_of
from afresh.base.durations import format_duration, parse_duration
from afresh.base.email_addresses import is_email
from afresh.base.errors import AccessDenied, AfreshError, ServiceAway, UsageError
from afresh.base.executor import Executor
from afresh.base.extras import need
from afresh.base.models import Failure, Outcome
from afresh.base.plain_numbers import amount, counted
from afresh.base.records.frontier import PageReport
from afresh.base.settings import Settings
from afresh.doors.cli.context import settings_of
from afresh.doors.cli.event_loop import ending_on_signals, run_async
from afresh.doors.cli.logs import set_up_logs
from afresh.doors.cli.output import clean, json_option, print_told
from afresh.doors.presenting.times import iso
from afresh.engine.fetching import KeepRobots, make_gate
from afresh.engine.gate import manners_of
from afresh.frontier.client import FrontierClient
from afresh.frontier.delivering import Aside
from afresh.frontier.fetcher import Crawl, CrawlCounts, CrawlSettings
from afresh.frontier.rest_forms import report_form
from afresh.frontier.urls import CrawlUrls
from afresh.links.verdicts.signals import is_error_page
from afresh.parse.child_reader import reading_apart
from afresh.sinks.folders import folder_at
from afresh.sinks.warc_archive import WarcArchive
from afresh.store.sqlite.lockfile import LockFile

T = TypeVar("T")

_PATIENCE = 3_600.0  # seconds a list waits for its site; no longer than its reservation lasts
_PROGRESS = 5.0  # seconds between two lines of progress
_LAST_QUESTION = 5.0  # seconds that the frontier may take to say what it knows, at the end
_SAFE = re.compile(r"[^A-Za-z0-9._-]+")


@click.command("fetch")
@click.option("--from", "frontier", required=True, metavar="URL", help="Address of the frontier (`afresh serve`).")
@click.option("--name", required=True, help="Name of this fetcher; unique with the e-mail address.")
@click.option("--email", required=True, help="Where its operator can be reached; servers are told too.")
@click.option("--token", default="", envvar="AFRESH_JOIN_TOKEN", help="Token that lets it register, if one is needed.")
@click.option(
    "--state", type=click.Path(path_type=Path), help="File that keeps its identity (default: fetcher-NAME.json)."
)
@click.option("--parallel", default=32, show_default=True, help="Sites at a time.")
@click.option("--urls-per-site", default=100, show_default=True, help="Most pages of a site in one list; 0: all due.")
@click.option(
    "--sitemaps",
    default=5,
    show_default=True,
    help="Most sitemaps of a site that are read in a day, where its robots.txt names some; 0: none.",
)
@click.option("--location", default="", help="Where it stands, for geographic partitioning.")
@click.option("--tld", default="", help="Top-level domain it prefers.")
@click.option(
    "--warc", metavar="FOLDER", help="Keep what is fetched in WARC files here; also s3://… and all that fsspec knows."
)
@click.option(
    "--warc-errors",
    type=click.IntRange(0),
    default=1_000_000,
    show_default=True,
    metavar="BYTES",
    help="Most bytes of the body of an error or redirect in WARC files; 0: only their headers.",
)
@click.option("--for", "duration", metavar="DURATION", help="End after this long.")
@click.option("--once", is_flag=True, help="End after one list.")
@click.option("--idle", metavar="DURATION", help="End when there was nothing to do for this long.")
@json_option
@click.pass_context
def fetch_command(ctx: click.Context, /, as_json: bool, **given: Any) -> int:
    """Fetch for a frontier: take lists, honour robots.txt and delays, report what was found."""
    loaded = settings_of(ctx)
    if given["parallel"] < 1 or given["urls_per_site"] < 0 or given["sitemaps"] < 0:
        raise UsageError("--parallel must be at least 1, --urls-per-site and --sitemaps must not be negative")
    if not is_email(given["email"]):
        raise UsageError(f"--email {given['email']!r} is no e-mail address; write it like ops@example.org")
    if given["warc"] is not None:
        need("archive", "--warc")  # before anybody is asked for work
    set_up_logs(loaded.settings.log.level)
    return run_async(_fetch(loaded.settings, given, as_json=as_json))


async def _fetch(settings: Settings, given: dict[str, Any], *, as_json: bool) -> int:
    async with AsyncExitStack() as stack:
        client = FrontierClient(given["frontier"], join_token=given["token"])
        stack.push_async_callback(client.close)
        state = given["state"] or Path(f"fetcher-{_SAFE.sub('-', given['name'])}.json")
        stack.callback(_locked(state).release)
        archive = _archive(
            given
        )  # finishes what the last process left; if it cannot be written, nobody is asked for work
        if archive is not None:
            stack.callback(archive.close)
        ending = stack.enter_context(_ending(given["duration"]))
        registering = client.register(
            state, name=given["name"], contact=given["email"], location=given["location"], tld_preference=given["tld"]
        )
        identity = await _unless(ending, _let_in(registering, given["frontier"], token=given["token"]))
        if identity is None:
            raise ServiceAway(f"the frontier at {given['frontier']} could not be reached")
        executor = Executor()
        stack.callback(executor.close)
        stack.enter_context(reading_apart())
        aside = _AsideFile(state.with_suffix(".aside.ndjson"))
        crawl = await _crawl(stack, settings, given, client, executor, archive, aside)
        click.echo(f"fetcher {given['name']} ({identity.uuid}) works for {given['frontier']}", err=True)
        notes = _Notes(crawl, pause=settings.politeness.delay)
        telling = None if as_json else asyncio.create_task(_tell_progress(crawl, notes))
        stopping = asyncio.create_task(_stop_at(ending, crawl))
        await crawl.run(once=given["once"], patience=parse_duration(given["idle"]) if given["idle"] else None)
        stopping.cancel()
        if telling is not None:
            telling.cancel()
            await asyncio.gather(telling, return_exceptions=True)
        figures = {**asdict(crawl.counts), "retries": client.retries, "archived": archive.records if archive else 0}
        is_idle = not crawl.counts.sites and not as_json
        why_idle = await _why_nothing(client) if is_idle else ""
    if not as_json:
        notes.tell()
    if is_idle:
        click.echo(why_idle, err=True)
    words = ", ".join(f"{name.replace('_', ' ')} {value:,}" for name, value in figures.items())
    # programs find what is left out under its old name, too, until the next version
    return print_told(figures | {"excluded": figures["left_out"]}, words, as_json=as_json)


async def _let_in(registering: Coroutine[Any, Any, T], frontier: str, *, token: str) -> T:
    """Registers; who is not let in hears how."""
    try:
        return await registering
    except AccessDenied as error:
        words = "does not take this token to register with" if token else "wants a token to register with"
        how = "give one of its frontier.join_tokens with --token or AFRESH_JOIN_TOKEN"
        raise AccessDenied(f"{frontier} {words}; {how}") from error


def _locked(state: Path) -> LockFile:
    """The state file is one process's: a second one would tell the frontier that the first has ended."""
    state.parent.mkdir(parents=True, exist_ok=True)
    lock = LockFile(state)
    lock.acquire(advice="stop it, or give this one another --name or --state")
    return lock


async def _crawl(
    stack: AsyncExitStack,
    settings: Settings,
    given: dict[str, Any],
    client: FrontierClient,
    executor: Executor,
    archive: WarcArchive | None,
    aside: "_AsideFile",
) -> Crawl:
    """The loop with its way to the web."""
    clock = SystemClock()
    agent = (
        f"{settings.fetch.user_agent.rstrip(')')}; {given['email']})"
        if "(" in settings.fetch.user_agent
        else (f"{settings.fetch.user_agent} ({given['email']})")
    )
    told = replace(
        settings.fetch,
        user_agent=agent.encode("ascii", "ignore").decode(),
        concurrency=max(settings.fetch.concurrency, given["parallel"]),
    )
    # A site that fails goes on at its pace until its list is given back; how long it rests then, the frontier says.
    manners = replace(manners_of(settings.politeness), backoff_cap=settings.politeness.delay)
    keeping = None if archive is None else KeepRobots(_into(archive, executor), given["warc_errors"])
    gate = make_gate(
        replace(settings, fetch=told), clock=clock, manners=manners, patience=_PATIENCE, keep_robots=keeping
    )
    stack.push_async_callback(gate.close)
    return Crawl(
        client,
        gate,
        settings=CrawlSettings(
            parallel=given["parallel"],
            pages=given["urls_per_site"],
            delay=settings.politeness.delay,
            error_bytes=given["warc_errors"],
            links=settings.fetch.max_links,
            sitemaps=given["sitemaps"],
        ),
        urls=CrawlUrls(allow_private=settings.fetch.allow_private or bool(settings.fetch.allowed_networks)),
        clock=clock,
        executor=executor,
        is_error_page=is_error_page,
        archive=archive,
        settle=None if archive is None else archive.settle,
        blocked=client.left_alone,
        keep_aside=aside.keep,
    )


def _into(archive: WarcArchive, executor: Executor) -> Callable[[Outcome], Awaitable[None]]:
    async def keep(outcome: Outcome) -> None:
        await executor.write(archive, outcome)

    return keep


class _AsideFile:
    """Reports that the frontier could not take, one a line, as they were sent; told one by one, since they are few."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def keep(self, one: Aside) -> None:
        line = {"at": iso(SystemClock().now()), "why": one.why, "report": report_form(one.report)}
        with self._path.open("ab") as file:
            file.write(orjson.dumps(line) + b"\n")
        url = one.report.pages[0].url if one.report.pages else one.report.name
        words = f"the frontier could not take the report of {clean(url)} ({clean(one.why)})"
        click.echo(f"{words}; it is put aside in {self._path}, the others go on", err=True)


async def _why_nothing(client: FrontierClient) -> str:
    """Why there was no list, as far as the frontier still says."""
    known, is_active = 0, True
    with suppress(AfreshError, TimeoutError):
        async with asyncio.timeout(_LAST_QUESTION):
            known = await client.known_urls()
            is_active = await client.is_active()
    return _nothing_words(known, is_active=is_active)


def _nothing_words(known: int, *, is_active: bool) -> str:
    if not is_active:
        return 'the frontier is paused and hands out nothing: PUT /api/v1/active with {"active": true} resumes it'
    if not known:
        return "the frontier had nothing to hand out: add URLs on its page, or with `afresh serve --seed URL`"
    return (
        f"the frontier had nothing to hand out: it knows {counted(known, 'URL')}, but their sites rest after a request "
        "or a failure, another fetcher has them, or nothing is due; its page /fetchers tells"
    )


class _Notes:
    """What is told once. ``pause``: our own between two requests to a site."""

    def __init__(self, crawl: Crawl, *, pause: float) -> None:
        self._crawl, self._pause = crawl, pause
        self._told: set[Failure] = set()  # why pages were not asked for
        self._has_told_pause = self._has_told_links = False

    def tell(self) -> None:
        """What has come since the last time."""
        shorter = self._crawl.shorter_pause
        if shorter is not None and not self._has_told_pause:
            self._has_told_pause = True
            click.echo(_pause_words(self._pause, shorter), err=True)
        large = self._crawl.many_links
        if large is not None and not self._has_told_links:
            self._has_told_links = True
            click.echo(_links_words(large), err=True)
        for cause, some in self._crawl.not_asked.items():
            if cause not in self._told:
                self._told.add(cause)
                click.echo(f"{counted(some.pages, 'page')} not asked: {clean(some.why)}", err=True)


def _pause_words(own: float, shorter: float) -> str:
    return (
        f"own pause {format_duration(own)} is longer than the frontier's {format_duration(shorter)} and is kept; "
        "politeness.delay in the fetcher's settings changes it"
    )


def _links_words(page: PageReport) -> str:
    left_out = counted(page.links_left_out, "link")
    return (
        f"{clean(page.url)}: {left_out} left out, {len(page.links):,} reported; "
        "fetch.max_links in the fetcher's settings changes how many"
    )


async def _tell_progress(crawl: Crawl, notes: _Notes) -> None:
    """A line now and then of what was done since the last one; once, what is waited for while nothing happens."""
    before, is_waiting = crawl.counts.pages, False
    while True:
        await asyncio.sleep(_PROGRESS)
        notes.tell()
        counts = crawl.counts
        if counts.pages != before:
            click.echo(_progress_line(counts, (counts.pages - before) / _PROGRESS), err=True)
            before, is_waiting = counts.pages, False
        elif not is_waiting:
            is_waiting = True
            click.echo(_what_is_waited_for(crawl), err=True)


def _progress_line(counts: CrawlCounts, a_second: float) -> str:
    asked = f"{counted(counts.pages, 'page')} of {counted(counts.sites, 'site')} asked for, {amount(a_second)} a second"
    rest = f"{counts.failed:,} failed, {counts.left_out:,} left out, {counted(counts.links, 'link')} found"
    cut = f" ({counts.links_left_out:,} more of large pages left out)" if counts.links_left_out else ""
    return f"{asked}; {rest}{cut}"


def _what_is_waited_for(crawl: Crawl) -> str:
    if crawl.sites_at_work:
        return f"waiting for sites ({crawl.sites_at_work:,}): a pause, robots.txt or a slow answer"
    return "waiting: the frontier has nothing to hand out now (Ctrl-C ends; --idle 1m ends by itself)"


@contextmanager
def _ending(duration: str | None) -> Iterator[asyncio.Event]:
    """Set by a signal, or when the time is up."""
    ending = asyncio.Event()
    with ending_on_signals(ending.set):
        if duration:
            asyncio.get_running_loop().call_later(parse_duration(duration), ending.set)
        yield ending


async def _unless(ending: asyncio.Event, wanted: Coroutine[Any, Any, T]) -> T | None:
    """What is wanted; None if the end comes first."""
    task = asyncio.create_task(wanted)
    await first_of(asyncio.shield(task), ending.wait())
    if task.done():
        return task.result()
    task.cancel()
    await asyncio.wait({task})
    return None


async def _stop_at(ending: asyncio.Event, crawl: Crawl) -> None:
    """What is in flight is finished and reported."""
    await ending.wait()
    crawl.stop()


def _archive(given: dict[str, Any]) -> WarcArchive | None:
    where = given["warc"]
    if where is None:
        return None
    name = _SAFE.sub("-", given["name"])
    is_here = "://" not in where
    folder = Path(where) if is_here else Path(f"fetcher-{name}-warc")
    target = None if is_here else folder_at(where)
    try:
        archive = WarcArchive(folder, prefix=f"afresh-{name}", target=target)
        archive.try_writing()
    except OSError as error:
        why = "that is a file" if isinstance(error, FileExistsError | NotADirectoryError) else error.strerror or error
        raise UsageError(f"--warc {clean(str(folder))}: {why}; name a folder that can be written") from error
    return archive
