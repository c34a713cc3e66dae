"""``afresh init``: three questions, and everything is ready for ``afresh run``."""

import asyncio
import json
import select
import sys
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

import click

from afresh.base.clock import SystemClock
from afresh.base.errors import ConfigError, ParseError, UsageError
from afresh.base.extras import installing, is_installed
from afresh.base.models import Failure, Kind
from afresh.base.plain_numbers import roughly
from afresh.base.protocols import Store
from afresh.base.records.notices import NewNotice, Topic
from afresh.base.settings import OPTIONS, Settings, load_settings, parse_override
from afresh.doors.cli.context import DEFAULT_FILE, settings_of
from afresh.doors.cli.discover import find_feeds
from afresh.doors.cli.files import read_file
from afresh.doors.cli.main import EXIT_WRONG
from afresh.doors.cli.output import clean, json_option, print_json
from afresh.engine.add import Wanted, add, named_by_document
from afresh.engine.due_round import due_round
from afresh.engine.importing import read_import
from afresh.notices.delivery import make_sender
from afresh.notices.outbox import add_notice, new_secret, shown_target
from afresh.parse.url import is_bare, without_secret
from afresh.store import opened_store

_TOLD = (Topic.ENTRIES, Topic.PAGES, Topic.FAILING, Topic.BROKEN)
_LONG_ROUND = 3600.0  # seconds from which on a first round is worth a word
_MOMENT = 0.5  # s for the first answer of a pipe
_ONCE_TAGGED = "told"  # what init gave what it added, before a notice could be about all entries
_QUESTIONS = (
    "What shall be watched? Addresses of sites, feeds or pages, or files (OPML, bookmarks, lists), with spaces between"
    " them (leave empty to do it later)",
    "Where shall news be told? A webhook (https://…) or an address of apprise (mailto://…, ntfy://…); leave empty for"
    " nowhere",
    "How many requests an hour may it make at most? (leave empty for as many as are worth it)",
)


@dataclass(slots=True, kw_only=True)
class Done:
    """What became of it all."""

    file: str
    is_new_file: bool = False
    requests_per_hour: float | None = None  # as the file has it now; None: no limit
    spend: str = "all"  # whether that number is used up, or a ceiling only
    added: int = 0
    known: int = 0
    refused: list[str] = field(default_factory=list)  # each with the reason
    first_round: float | None = None  # seconds until all that is due was visited once; None: there is no limit
    notices: list[int] = field(default_factory=list)  # made now
    has_daemon: bool = False  # on the same store, running
    secret: str = ""  # of the webhook's signatures; shown this once


@click.command("init")
@click.option("--watch", "watched", multiple=True, metavar="URL|FILE", help="What to watch; may be repeated.")
@click.option("--tell", metavar="TARGET", help="Where news is told: a webhook, or a URL of apprise; '': nowhere.")
@click.option("--requests-per-hour", metavar="NUMBER", help="How many requests it may make at most; '': no limit.")
@click.option("--no-discovery", is_flag=True, help="Ask no site for its feeds: addresses are feeds as they are.")
@json_option
@click.pass_context
def init_command(
    ctx: click.Context,
    watched: tuple[str, ...],
    tell: str | None,
    requests_per_hour: str | None,
    no_discovery: bool,
    as_json: bool,
) -> int:
    """Ask three questions, write afresh.toml, and begin to watch.

    What is given as an option is not asked for; without a terminal the answers are the lines of standard input, if it
    has some. Nothing that is there is overwritten: again with the same answers it changes nothing. A bare site is asked
    for its feeds; one that announces none is watched as a page.
    """
    file = Path(ctx.obj["config_file"] or DEFAULT_FILE)
    _check_file(file)
    if not file.exists():
        ctx.obj["config_file"] = None  # it is about to be made
    settings = settings_of(ctx).settings
    sender = make_sender(settings, clock=SystemClock())
    ask = _ask if sys.stdin.isatty() and not as_json else _piped(sys.stdin)
    what = watched or tuple(ask(0).split())
    where = tell if tell is not None else ask(1, sender.check)
    if where:
        sender.check(where)  # before anything is written
    budget = _budget(requests_per_hour if requests_per_hour is not None else ask(2, _budget))
    wanted = _wanted(settings, what, discovers=not no_discovery)
    done = Done(file=str(file))
    lists = {one.name: list(one.value) for one in settings_of(ctx).origins if isinstance(one.value, tuple)}
    assigned = dict(map(parse_override, ctx.obj["assignments"]))
    _write(file, budget, {name: lists.get(name, text) for name, text in assigned.items()}, done)
    with opened_store(settings, makes=True) as store:
        _add(store, settings, wanted, done)
        if where:
            _tell(store, where, sender.check, done)
        if done.requests_per_hour:
            done.first_round = due_round(store, settings, now=time.time()).takes(3600.0 / done.requests_per_hour)
        done.has_daemon = any(daemon.speaks(time.time()) for daemon in store.daemons.list_daemons())
    return _report(done, where, as_json=as_json)


def _ask(number: int, check: Callable[[str], object] | None = None) -> str:
    """The answer; one that will not do is asked for again, so that those before it are not lost."""

    def checked(answer: str) -> str:
        answer = answer.strip()
        if answer and check is not None:
            try:
                check(answer)
            except UsageError as error:
                raise click.BadParameter(str(error)) from error
        return answer

    question = _QUESTIONS[number]
    if number == 1 and not is_installed("notices"):
        question += f" (for all but webhooks first: {installing('notices')})"
    told: str = click.prompt(question, default="", show_default=False, err=True, value_proc=checked)
    return told


def _piped(answers: TextIO) -> Callable[..., str]:
    """What takes the answers that a pipe or a file has, a line each; those that are not there are empty.

    Somebody else's pipe may stay open and silent, as in a job of CI: only a moment is waited for its first word.
    """
    try:
        lines = iter(answers if select.select([answers], [], [], _MOMENT)[0] else ())
    except (OSError, ValueError):  # closed, or nothing that can be waited for
        lines = iter(())
    return lambda _number, _check=None: next(lines, "").strip()


def _budget(text: str) -> float | None:
    """Requests an hour; raises UsageError for what is no number of them."""
    if not text.strip():
        return None
    try:
        return load_settings(overrides={"budget.requests_per_hour": text}).settings.budget.requests_per_hour
    except ConfigError as error:
        raise UsageError(f"{text!r} is no number of requests an hour; write it like 60") from error


def _check_file(file: Path) -> None:
    if file.exists():
        load_settings(file=file)  # one that cannot be read is told now, by the option that is wrong


def _write(file: Path, budget: float | None, assigned: Mapping[str, str | list[str]], done: Done) -> None:
    """The file, or what it lacks at its end; what it says stays. A new one has what ``--set`` said."""
    known = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    done.requests_per_hour = known.get("budget", {}).get("requests_per_hour")
    done.spend = known.get("budget", {}).get("spend", done.spend)
    section = "" if budget is None else _sections(budget, {})
    try:
        if not known and not file.exists():
            text = "# Settings of afresh; `afresh config show` lists them all, with their defaults.\n"
            file.write_text(text + _sections(budget, assigned), encoding="utf-8")
            done.is_new_file, done.requests_per_hour = True, budget
            done.spend = str(assigned.get("budget.spend", "needed"))
            return
        for name, value in assigned.items():
            said = ",".join(value) if isinstance(value, list) else value
            click.echo(f"{file} stays as it is: {name}={said} holds for this command only", err=True)
        if section and "budget" not in known:
            with file.open("a", encoding="utf-8") as end:
                end.write(section)
            done.requests_per_hour, done.spend = budget, "needed"
        elif budget is not None and done.requests_per_hour != budget:
            click.echo(
                f"{file} has a section [budget] already, which stays as it is; for another budget write there:"
                f" requests_per_hour = {budget:g}",
                err=True,
            )
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}") from error


def _sections(budget: float | None, assigned: Mapping[str, str | list[str]]) -> str:
    """Settings as a TOML file has them; secrets are left to the environment."""
    values = {name: json.dumps(value, ensure_ascii=False) for name, value in assigned.items()}
    if budget is not None:
        values["budget.requests_per_hour"] = f"{budget:g}"
        values.setdefault("budget.spend", '"needed"')
    made: dict[str, str] = {}
    for name, value in values.items():
        if name in OPTIONS and not OPTIONS[name].secret:
            section, _, key = name.partition(".")
            made[section] = f"{made.get(section, '')}{key} = {value}\n"
    return "".join(f"\n[{section}]\n{lines}" for section, lines in made.items())


def _wanted(settings: Settings, what: Sequence[str], *, discovers: bool) -> list[Wanted]:
    """What files name, and what sites announce."""
    files = [one for one in what if Path(one).is_file()]
    addresses = [one for one in what if one not in files]
    found = [item for name in files for item in _of_file(name, settings)]
    if not addresses:
        return found
    if not discovers:
        return [*found, *(Wanted(url=url) for url in addresses)]
    return [*found, *_announced(settings, addresses)]


def _of_file(name: str, settings: Settings) -> list[Wanted]:
    body = read_file(name)
    try:
        return list(read_import(body, name=name, settings=settings).wanted)
    except ParseError as error:
        raise UsageError(f"cannot import {name}: {error}") from error


def _announced(settings: Settings, addresses: Sequence[str]) -> list[Wanted]:
    """The feeds of each address; a page where there are none; where nobody answers, what was named, unless that is a
    bare site that is not there at all."""
    found: list[Wanted] = []
    for address in addresses:
        shown = clean(without_secret(address))
        click.echo(f"asking {shown} for its feeds …", err=True)
        made = asyncio.run(find_feeds(settings, [address]))
        if made.feeds:
            found += [named_by_document(feed.url, title=feed.title) for feed in made.feeds]
            continue
        silent = made.unreachable[0] if made.unreachable else None
        if silent is None:
            found.append(Wanted(url=made.barren[0].url if made.barren else address, kind=Kind.PAGE))
            click.echo(f"{shown} announces no feed: watched as a page", err=True)
            continue
        why = clean(silent.error)
        # What we refuse is told by add.
        if is_bare(address) and not silent.is_passing and not why.startswith(Failure.ADDRESS):
            click.echo(f"{shown} cannot be asked ({why}): not watched; try again when it answers", err=True)
            continue
        found.append(Wanted(url=address, kind=Kind.FEED))
        what = "watched as a feed"
        if is_bare(address) and silent.is_passing:
            what += "; the daemon asks it when it can, and says which feeds it announces"
        click.echo(f"{shown} cannot be asked now ({why}): {what}", err=True)
    return found


def _add(store: Store, settings: Settings, wanted: Sequence[Wanted], done: Done) -> None:
    results = add(store, wanted, settings, now=time.time()) if wanted else []
    done.added = sum(item.is_new for item in results)
    done.refused = [f"{item.shown[:200]}: {item.error}" for item in results if item.error]
    done.known = len(results) - done.added - len(done.refused)


def _tell(store: Store, target: str, check: Callable[[str], None], done: Done) -> None:
    """A notice for each thing that is told, unless the target is told of it already."""
    known = [notice for notice in store.notices.list_notices(limit=10_000) if notice.target == target]
    missing = [topic for topic in _TOLD if (topic, "") not in {(notice.topic, notice.subject) for notice in known}]
    for notice in known:
        if (notice.topic, notice.subject) == (Topic.TAG, _ONCE_TAGGED):
            click.echo(
                f"notice {notice.id} tells {shown_target(target)} of entries tagged {_ONCE_TAGGED} as before; so that"
                f" these are not told twice: afresh notice drop {notice.id}",
                err=True,
            )
    secret = new_secret() if missing and target.startswith(("http://", "https://")) else ""
    made = []
    for topic in missing:
        new = NewNotice(topic=topic, subject="", target=target, secret=secret, digest=0.0, quiet="")
        made.append(add_notice(store, new, check_target=check, now=time.time()).id)
    done.notices, done.secret = made, secret


def _limit_words(done: Done) -> str:
    if done.requests_per_hour is None:
        return "no limit"
    limit = f"{done.requests_per_hour:g} requests an hour at most"
    if done.spend == "needed":
        words = f'{limit}, and no more than are worth it (budget.spend = "needed")'
    else:
        words = f'{limit}, all of which are spent (budget.spend = "all"; "needed" makes fewer where fewer will do)'
    if done.added and done.first_round is not None and done.first_round > _LONG_ROUND:
        first = roughly(done.first_round)
        words += f"; so the first round of the {done.added:,} that were added takes about {first}"
    return words


def _report(done: Done, target: str, *, as_json: bool) -> int:
    code = EXIT_WRONG if done.refused else 0
    if as_json:
        print_json(done)
        return code
    click.echo(f"{done.file} {'written' if done.is_new_file else 'is there'}")
    click.echo(f"{done.added} added, {done.known} already known")
    for refused in done.refused:
        click.echo(f"refused {clean(refused)}", err=True)
    if done.notices:
        click.echo(
            f"{shown_target(target)} is told of new entries, changed pages, failing feeds and pages, broken links"
        )
    if done.secret:
        click.echo(f"its signatures are made with {done.secret} (shown this once)")
    click.echo(_limit_words(done))
    click.echo("the daemon that is running begins at once" if done.has_daemon else "begin with: afresh run")
    return code
