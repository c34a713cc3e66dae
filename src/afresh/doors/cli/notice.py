"""``afresh notice``: who is told of new entries, changed pages, failing feeds and pages, broken links."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import click

from afresh.base.clock import SystemClock
from afresh.base.durations import parse_duration
from afresh.base.errors import UsageError
from afresh.base.executor import InPlace
from afresh.base.iso_times import from_iso
from afresh.base.records.notices import NewNotice, Topic
from afresh.base.settings import Settings
from afresh.doors.cli.context import settings_of, with_store
from afresh.doors.cli.lazy import PlainGroup
from afresh.doors.cli.main import EXIT_WRONG
from afresh.doors.cli.output import clean, json_option, print_json, print_table, print_told
from afresh.doors.presenting.notices import notice_page, view_notice
from afresh.doors.presenting.times import relative as distance
from afresh.notices.delivery import make_sender, try_target
from afresh.notices.outbox import add_notice, new_secret
from afresh.store import opened_store

if TYPE_CHECKING:
    from afresh.base.protocols import Store

_LEGEND = (
    "to be sent: events that are gathered, or come after a message before them; not taken: messages (of one event or"
    " more) that their target has not taken yet, tried again"
)


@click.group("notice", cls=PlainGroup)
def notice_command() -> None:
    """Notices: who is told of new entries, changed pages, failing feeds and pages, broken links."""


@notice_command.command("add")
@click.argument("target")
@click.option("--entries", is_flag=True, help="Tell of new entries of all feeds, those added later included.")
@click.option("--query", metavar="NAME", help="Tell of new entries of this query feed.")
@click.option("--tag", metavar="TAG", help="Tell of new entries of feeds with this tag.")
@click.option("--folder", metavar="FOLDER", help="Tell of new entries of feeds in this folder, or in one below it.")
@click.option("--failing", is_flag=True, help="Tell of feeds and pages that fail, are gone, work again.")
@click.option("--broken", is_flag=True, help="Tell of watched links that turn out broken, and that work again.")
@click.option("--pages", is_flag=True, help="Tell of watched pages that change, and how; with --tag only of these.")
@click.option("--digest", metavar="DURATION", default="0", help="Gather events for so long and send them together.")
@click.option("--quiet", metavar="HOURS", default="", help="Send nothing meanwhile: 22:00-07:00 Europe/Paris.")
@click.option("--secret", metavar="TEXT", help="Sign a webhook with this (default: a new one, shown once).")
@json_option
@click.pass_context
def add_command(
    ctx: click.Context,
    target: str,
    entries: bool,
    query: str | None,
    tag: str | None,
    folder: str | None,
    failing: bool,
    broken: bool,
    pages: bool,
    digest: str,
    quiet: str,
    secret: str | None,
    as_json: bool,
) -> int:
    """Tell TARGET of something.

    TARGET is the address of a webhook (https://…) or a URL of apprise (mailto://…, ntfy://…, tgram://… and many more).

    \b
    afresh notice add https://example.org/hook --entries
    afresh notice add https://example.org/hook --query solar
    afresh notice add 'mailto://me:secret@example.org' --failing --digest 1d --quiet '22:00-07:00 Europe/Paris'
    """
    settings = settings_of(ctx).settings
    topic, subject = _topic(query, tag, folder, entries=entries, failing=failing, broken=broken, pages=pages)
    is_webhook = target.startswith(("http://", "https://"))
    if secret and not is_webhook:
        raise UsageError("--secret signs webhooks; other targets carry their keys in their URL")
    made_secret = secret if secret is not None else new_secret() if is_webhook else ""
    new = NewNotice(
        topic=topic, subject=subject, target=target, secret=made_secret, digest=parse_duration(digest), quiet=quiet
    )
    sender = make_sender(settings, clock=SystemClock())
    sender.check(target)  # before a store is made
    with opened_store(settings, makes=True) as store:
        notice = add_notice(store, new, check_target=sender.check, now=time.time())
        view = view_notice(store, notice, secret=made_secret if secret is None else None)
    if as_json:
        return print_json(view)
    click.echo(f"made notice {notice.id}: {clean(view.about)} to {view.target}")
    if view.remark:
        click.echo(clean(view.remark))
    if made_secret and secret is None:
        click.echo(f"its signatures are made with {made_secret} (shown this once)")
    click.echo(f"`afresh notice test {notice.id}` tries it; `afresh run` tells what happens from now on")
    return 0


@notice_command.command("list")
@json_option
@with_store
def list_command(store: Store, as_json: bool) -> int:
    """List notices with what waits and what went wrong."""
    found = notice_page(store, limit=10_000).items
    if as_json:
        return print_json(found)
    if not found:
        click.echo("nobody is told anything yet: `afresh notice add --help` shows how", err=True)
        return 0
    now = time.time()
    rows = [
        (
            notice.id,
            f"{notice.about} ({notice.remark})" if notice.remark else notice.about,
            notice.target,
            notice.sent,
            notice.waiting,
            notice.open,
            distance(from_iso(notice.last_sent), now),
            notice.error or "-",
        )
        for notice in found
    ]
    print_table(["id", "about", "target", "told #", "to be sent #", "not taken #", "last", "error"], rows)
    if any(notice.waiting or notice.open for notice in found):
        click.echo(_LEGEND, err=True)
    return 0


@notice_command.command("test")
@click.argument("number", type=int)
@json_option
@click.pass_context
def test_command(ctx: click.Context, number: int, as_json: bool) -> int:
    """Send a test to a notice's target. If it is taken, what waits for it is sent, too. Exit 1 if it was not taken."""
    settings = settings_of(ctx).settings
    with opened_store(settings) as store:
        error = asyncio.run(_try(settings, store, number))
    if as_json:
        print_json({"id": number, "is_taken": not error, "error": error})
    elif error:
        click.echo(f"afresh: notice {number} was not taken: {clean(error)}", err=True)
    else:
        click.echo(f"notice {number}: the target took the test")
    return EXIT_WRONG if error else 0


@notice_command.command("drop")
@click.argument("number", type=int)
@json_option
@with_store
def drop_command(store: Store, number: int, as_json: bool) -> int:
    """Forget a notice and what waits for it."""
    store.notices.drop_notice(number)
    return print_told({"dropped": number}, f"dropped notice {number}", as_json=as_json)


async def _try(settings: Settings, store: Store, number: int) -> str:
    clock = SystemClock()
    sender = make_sender(settings, clock=clock)
    try:
        return await try_target(store, sender, number, clock=clock, executor=InPlace())
    finally:
        await sender.close()


def _topic(
    query: str | None, tag: str | None, folder: str | None, *, entries: bool, failing: bool, broken: bool, pages: bool
) -> tuple[Topic, str]:
    given = [
        (topic, subject or "")
        for topic, subject, is_given in (
            (Topic.ENTRIES, "", entries),
            (Topic.QUERY, query, query is not None),
            (Topic.TAG, tag, tag is not None and not pages),
            (Topic.FOLDER, folder, folder is not None),
            (Topic.PAGES, tag, pages),
            (Topic.FAILING, "", failing),
            (Topic.BROKEN, "", broken),
        )
        if is_given
    ]
    if len(given) != 1:
        raise UsageError(
            "say what shall be told: one of --entries, --query NAME, --tag TAG, --folder FOLDER, --failing, --broken,"
            " --pages"
        )
    return given[0]
