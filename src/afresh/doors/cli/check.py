"""``afresh check``: are these links still what they were?"""

from __future__ import annotations

import glob
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import afresh.doors.cli.blas  # noqa: F401 (first: once numpy is loaded it is too late)
from afresh.base.durations import parse_duration
from afresh.base.errors import NoStore, NoText, ParseError, UsageError
from afresh.base.plain_numbers import counted
from afresh.base.records.links import LinkRef, Usage
from afresh.base.settings import Settings
from afresh.base.settings.sections import FetchSettings
from afresh.base.value_class import dataclass
from afresh.doors.cli import check_options
from afresh.doors.cli.check_report import forecast, shown_url
from afresh.doors.cli.context import settings_of
from afresh.doors.cli.event_loop import run_async
from afresh.doors.cli.files import read_file
from afresh.doors.cli.lazy import keeping_everything
from afresh.doors.cli.main import EXIT_INTERRUPTED, EXIT_WRONG
from afresh.doors.cli.output import clean, refuse_unwritable
from afresh.http.guard import Guard
from afresh.links.documents.selection import Selection, patterns, remaps
from afresh.links.documents.targets import Occurrence, Place, WebPage, check_base, listed
from afresh.links.github import API, api_address
from afresh.links.status_checker import AcceptedStatuses

if TYPE_CHECKING:
    from collections.abc import Callable

    from afresh.doors.cli.check_rows import Row, Rows
    from afresh.doors.cli.check_run import CheckRun
    from afresh.http.access import Access
    from afresh.parse.listing import LinkList


_SILENCE = 20.0  # seconds, as other checkers wait
_NAMED = 3  # links that cannot be kept
_WISHES = (
    "parallel", "probe", "save", "watch", "explain", "owner", "find_moved", "status_only", "retries", "fragments"
)  # fmt: skip


@click.command("check")
@click.argument("targets", nargs=-1, metavar="FILE|FOLDER|URL…")
@check_options.inputs
@check_options.choosing
@check_options.judging
@check_options.letting_in
@check_options.keeping
@check_options.telling
@click.pass_context
def check_command(ctx: click.Context, /, targets: tuple[str, ...], form: str | None, **options: Any) -> int:
    """Check links of documents, bookmarks or lists, of all documents of a folder, or given by URL; exit 1 if one is
    broken.

    A link that afresh may not ask (robots.txt forbids it, or its address is not public: fetch.allowed_networks) is
    unknown, as one that could not be told this time: the exit code stays 0 unless --fail-on names unknown. 2 means that
    nothing could be read.
    """
    timeout = options["timeout"]
    for given in filter(None, (timeout, options["delay"])):
        parse_duration(given)  # refused as what was typed, not as the setting it stands for
    accepted = None if options["accept"] is None else AcceptedStatuses.parse(options["accept"])
    loaded = settings_of(
        ctx,
        politeness__delay=options["delay"],
        store__url=options["store"],
        fetch__total_timeout=timeout,
        fetch__connect_timeout=timeout,
        fetch__read_timeout=timeout,
    )
    settings = _for_somebody_who_waits(loaded.settings)
    _refuse_contradictions(options)
    failing = check_options.standings(options["fail_on"])
    form = check_options.form_of(form, options["output"])
    if options["output"] is not None:
        refuse_unwritable(options["output"])
    inputs = collect(_targets(targets, options), _where(options))
    _tell_unread(inputs)
    selection = _selection(options, settings)
    found, left_out = selection.choose(inputs.occurrences)
    if options["dump"]:
        from afresh.doors.cli.check_report import print_links  # noqa: PLC0415

        return print_links(found, as_json=form == "json")
    is_crawl = bool(options["links_of"] or options["sitemap"])
    if not inputs.occurrences and not is_crawl and inputs.files <= 1 and not (inputs.documents or inputs.skipped):
        raise UsageError(_NOTHING)
    with ExitStack() as stack:
        run = None
        links = [item.link for item in found if isinstance(item.target, WebPage)]
        if options["offline"]:
            left_out |= {"on the web (--offline)": len(links)} if links else {}
            links = []
        if links or is_crawl:
            run = _open_run(ctx, stack, settings, options, is_quiet=form != "terminal")
            if said := forecast([link.url for link in links], settings.politeness):
                click.echo(f"afresh: {said}", err=True)
        with keeping_everything():
            from afresh.doors.cli import check_report, check_rows  # noqa: PLC0415 (see ``_open_run``)

        endings = tuple(ending.strip(" .") for ending in options["fallback_extensions"].split(",") if ending.strip())
        rows_of = check_rows.Rows(run, endings=endings, with_fragments=options["fragments"], accepted=accepted)
        if run is not None and not is_crawl:
            stack.callback(run.end_other_half)
            run.divide(rows_of.prepare(found))
        try:
            rows = run_async(_gather(rows_of, run, found, selection, options))
        except KeyboardInterrupt:
            rows, wanted = rows_of.so_far()
            shown = form if options["output"] is None else None
            ended = check_report.Report(rows, everything=options["everything"], left_out=left_out)
            ended.tell_ended(shown, wanted=wanted, resume=options["resume"])
            return EXIT_INTERRUPTED
        if run is not None:
            run.finish()
    is_named = options["explain"] and not inputs.files  # who names an address wants to know why it is well, too
    shows_all = options["everything"] or is_named
    report = check_report.Report(rows, everything=shows_all, left_out=left_out, failing=failing)
    report.write(form, options["output"])
    if form == "terminal" and sys.stderr.isatty():
        for step in filter(None, report.next_steps(explained=options["explain"], fixed=options["fix"])):
            click.echo(f"afresh: {step}", err=True)
    if options["save"] and run is not None:
        unkept = {check_rows.address_of(url) for url in run.unkept}
        kept = [address for address in rows_of.kept() if address not in unkept]
        if run.kept_anew or not kept:  # who saves the same list again was told
            _tell_kept(kept, run.unkept)
    if options["fix"]:
        from afresh.doors.cli.check_fix import fix  # noqa: PLC0415 (few checks write anything)

        fix(rows, yes=options["yes"], beside=form != "terminal" and options["output"] is None)
    return EXIT_WRONG if report.fails or inputs.complaints else 0


def _tell_kept(addresses: Sequence[str], refused: Mapping[str, str]) -> None:
    """That fewer links are kept than were checked: some cannot be, and an address is one."""
    if refused:
        named = [clean(f"{shown_url(url)} ({why})") for url, why in [*refused.items()][:_NAMED]]
        more = f" and {len(refused) - _NAMED:,} more" if len(refused) > _NAMED else ""
        click.echo(f"afresh: {counted(len(refused), 'link')} cannot be kept: {', '.join(named)}{more}", err=True)
    if (different := len(set(addresses))) < len(addresses):
        told = f"{len(addresses):,} links are kept as {different:,}: an address is kept once"
        click.echo(f"afresh: {told} (`afresh link export --moved --like FILE` writes each)", err=True)


def _for_somebody_who_waits(settings: Settings) -> Settings:
    """Nobody waits a minute for a server that says nothing, unless the settings or --timeout say so."""
    fetch = settings.fetch
    if fetch.read_timeout != FetchSettings().read_timeout:
        return settings
    return replace(settings, fetch=replace(fetch, read_timeout=_SILENCE))


async def _gather(
    rows_of: Rows, run: CheckRun | None, found: list[Occurrence], selection: Selection, options: dict[str, Any]
) -> list[Row]:
    """All rows, on one way to the web."""
    if run is None:
        return await rows_of.of(found)
    async with run:
        if options["links_of"] or options["sitemap"]:
            from afresh.doors.cli.check_crawl import Crawl  # noqa: PLC0415 (few checks follow links)

            crawl = Crawl(run, selection, is_recursive=options["recursive"], max_pages=options["max_pages"])
            rows = await crawl.rows(rows_of, found, pages=options["links_of"], sitemaps=options["sitemap"])
        else:
            rows = await rows_of.of(found)
        if options["archive"]:
            from afresh.doors.cli.check_archive import with_copies  # noqa: PLC0415 (only where it was asked for)

            rows = await with_copies(rows, run, options["archive"])
    return rows


_NOTHING = "no links found; files may be documents (Markdown, HTML, RST, AsciiDoc, …), bookmarks, OPML, CSV or lists"


def _tell_unread(inputs: Inputs) -> None:
    """Says what could not be read; UsageError if nothing is left to be checked."""
    unread = [*inputs.complaints, *inputs.skipped]
    if (inputs.complaints or inputs.mistaken) and not inputs.occurrences and not inputs.documents:
        raise UsageError("; ".join(unread))
    for told in unread:
        click.echo(f"afresh: {told}", err=True)


def _refuse_contradictions(options: dict[str, Any]) -> None:
    if options["watch"] and not options["save"]:
        raise UsageError("--watch needs --save: what is watched has to be kept")
    if options["status_only"] and (options["save"] or options["explain"] or options["find_moved"]):
        raise UsageError("--status-only reads no page: it cannot --save, --explain or --find-moved")
    if options["status_only"] and options["fix"]:
        raise UsageError(
            "--fix needs to see that a page is there before its address is replaced: not with --status-only"
        )
    if options["recursive"] and not options["links_of"]:
        raise UsageError("--recursive needs --links-of URL: the page to begin at")
    if options["offline"] and (options["links_of"] or options["sitemap"]):
        raise UsageError("--links-of and --sitemap ask servers, which --offline does not")


def _targets(targets: tuple[str, ...], options: dict[str, Any]) -> list[str]:
    """What is named on the command line, and in a file."""
    named = list(targets)
    if (source := options["files_from"]) is not None:
        lines = read_file(source).decode("utf-8", "surrogateescape").splitlines()
        named += [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if not named and not options["links_of"] and not options["sitemap"]:
        raise UsageError("name a file, a folder or a URL; `afresh check .` checks the documents of this folder")
    return named


def _where(options: dict[str, Any]) -> Where:
    base = options["base_url"]
    excluded = patterns(options["exclude_path"], "--exclude-path") if options["exclude_path"] else ()
    return Where(
        base_url=check_base(base) if base else "",
        root_dir=options["root_dir"],
        keep_ignored=options["no_ignore"],
        hidden=options["hidden"],
        excluded=(lambda path: any(pattern(path) for pattern in excluded)) if excluded else None,
    )


_LYCHEES = ".lycheeignore"


def _lychees() -> list[str]:
    """Patterns that a repository has for lychee."""
    path = Path(_LYCHEES)
    lines = path.read_text("utf-8", "replace").splitlines() if path.is_file() else []
    return [text for line in lines if (text := line.strip()) and not text.startswith("#")]


def _selection(options: dict[str, Any], settings: Settings) -> Selection:
    return Selection(
        include=patterns(options["include"], "--include"),
        exclude=(*patterns(options["exclude"], "--exclude"), *patterns(_lychees(), _LYCHEES)),
        schemes=frozenset(name.lower() for name in options["scheme"]),
        remaps=remaps(options["remap"]),
        guard=Guard.of(settings.fetch),
        examples=options["examples"],
        mail=options["mail"],
    )


def _open_run(
    ctx: click.Context,
    stack: ExitStack,
    settings: Settings,
    options: dict[str, Any],
    *,
    is_quiet: bool,
) -> CheckRun:
    """Who asks."""
    store = cache = None
    with keeping_everything():
        from afresh.doors.cli import check_run, polite_gate  # noqa: PLC0415 (where there is somebody to ask)
    if options["save"] or options["store"] is not None or ctx.obj["store"] is not None:
        from afresh.store import opened_store  # noqa: PLC0415 (loads the stores)

        try:
            store = stack.enter_context(opened_store(settings, makes=options["save"]))
        except NoStore as error:
            click.echo(f"afresh: nothing to compare with: {error}", err=True)
    elif not options["status_only"]:  # what is kept here is compared with, where there is something
        store = polite_gate.shared_store(settings, stack)
    if options["resume"]:
        from afresh.doors.cli.check_cache import CheckCache  # noqa: PLC0415 (loads what reads its lines)

        path, max_age = Path(options["resume"]), parse_duration(options["max_age"])
        cache = stack.enter_context(CheckCache(path, max_age=max_age, now=time.time()))
    wish = check_run.Wish(
        usage=None if options["usage"] is None else Usage(options["usage"]),
        is_quiet=is_quiet,
        access=_access(options),
        elsewhere=api_address if options["github_token"] else None,
        **{name: options[name] for name in _WISHES},
    )
    return check_run.CheckRun(settings, wish, store=store, cache=cache)


def _access(options: dict[str, Any]) -> Access | None:
    """What some hosts are told; None: all are told the same."""
    names = ("header", "basic_auth", "token", "github_token", "cookie_jar", "insecure")
    if not any(options[name] for name in names):
        return None
    from afresh.http import access  # noqa: PLC0415 (few checks have anything to tell)

    headers = []
    for host, line in options["header"]:
        name, colon, value = line.partition(":")
        if not colon:
            raise UsageError(f"not a header: {name!r}; write it like 'Accept-Language: en'")
        headers.append(access.HostHeader(host, name, check_options.secret(value.strip())))
    for host, pair in options["basic_auth"]:
        headers.append(access.HostHeader(host, "Authorization", access.basic(check_options.secret(pair))))
    for host, token in options["token"]:
        headers.append(access.HostHeader(host, "Authorization", f"Bearer {check_options.secret(token)}"))
    if options["github_token"]:
        token = check_options.secret(options["github_token"])
        headers.append(access.HostHeader(API, "Authorization", f"Bearer {token}"))
    cookies = access.CookieFile(Path(options["cookie_jar"])) if options["cookie_jar"] else None
    return access.access(headers, cookies=cookies, insecure=options["insecure"])


def links_of(target: str) -> LinkList:
    """The links of a file, of standard input (``-``), or the one given by URL."""
    from afresh.parse.links import read_link_list  # noqa: PLC0415 (not where links are only checked)
    from afresh.parse.listing import LinkList  # noqa: PLC0415

    if target.startswith(("http://", "https://")):
        return LinkList(format="a URL", links=(LinkRef(url=target),))
    body = read_file(target, advice="; a link must start with http:// or https://")
    try:
        return read_link_list(body, name=target)
    except ParseError as error:
        raise UsageError(f"{target}: {error}") from error


_ADVICE = "; a link must start with http:// or https://"


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """How files are found, and what their relative links mean."""

    base_url: str = ""
    root_dir: str | None = None  # None: the repository a file is in
    keep_ignored: bool = False  # also what .gitignore names
    hidden: bool = False
    excluded: Callable[[str], bool] | None = None  # paths that are left out of folders


@dataclass(slots=True)
class Inputs:
    """Links that were found, and what could not be read."""

    occurrences: list[Occurrence] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)  # pictures and the like: whoever names all files names these
    files: int = 0
    documents: int = 0  # of those: by their name documents, which need not have links
    mistaken: int = 0  # by their name documents, and no text


def collect(targets: Iterable[str], where: Where) -> Inputs:
    """The links of all targets. What cannot be read is told and does not keep the others from being checked."""
    found = Inputs()
    for target in targets:
        if _is_link(target):
            found.occurrences.append(listed(LinkRef(url=target)))
            continue
        try:
            for name in names_of(target, where):
                found.files += 1
                _read(name, where, found)
        except UsageError as error:
            found.complaints.append(str(error))
    return found


def names_of(target: str, where: Where) -> Iterator[str]:
    """The files a target means: itself, those of a folder, or those that a pattern names."""
    path = Path(target)
    if target != "-" and path.is_dir():
        from afresh.links.documents.folders import documents_below  # noqa: PLC0415 (where a folder is given)

        yield from documents_below(
            path, keep_ignored=where.keep_ignored, hidden=where.hidden, excluded=where.excluded or (lambda _: False)
        )
    elif any(sign in target for sign in "*?[") and not path.exists():
        names = sorted(name for name in glob.iglob(target, recursive=True) if Path(name).is_file())  # noqa: PTH207
        if not names:
            raise UsageError(f"no file is called {target}")
        yield from names
    else:
        yield target


def _read(name: str, where: Where, found: Inputs) -> None:
    """Adds the links of a file to what was found."""
    body = read_file(name, advice=_ADVICE)
    from afresh.links.documents.reading import (  # noqa: PLC0415 (a URL is in no file)
        is_document,
        is_page,
        occurrences_in,
        root_of,
    )

    shown = "" if name == "-" else Path(name).as_posix()
    root = where.root_dir
    if root is None and not is_page(shown):  # "/" of a page is its site, which nobody named
        root = root_of(shown)
    try:
        found.occurrences += occurrences_in(body, Place(name=shown, root=root, base=where.base_url))
        found.documents += is_document(shown)
    except NoText as error:
        found.skipped.append(f"{name}: {error}")
        found.mistaken += is_document(shown)
    except ParseError as error:
        raise UsageError(f"{name}: {error}") from error


def _is_link(target: str) -> bool:
    """Whether it is an address: of files only those that are there have a colon and two slashes in their name."""
    return target.startswith(("http://", "https://")) or ("://" in target and not Path(target).exists())
