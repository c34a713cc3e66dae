"""Commands that change what is watched, one resource or many: set, remove."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from afresh.base.durations import format_duration, parse_duration
from afresh.base.errors import AfreshError, UsageError
from afresh.base.models import Kind, Resource, ResourceFilter, Status
from afresh.base.plain_numbers import counted
from afresh.base.settings import Settings
from afresh.doors.cli.context import settings_of, with_store
from afresh.doors.cli.main import EXIT_WRONG
from afresh.doors.cli.output import clean, json_option, print_json, print_told
from afresh.doors.cli.refresh import refresh_options, said_refresh
from afresh.doors.cli.resource_facts import in_words
from afresh.doors.cli.watch_options import said_watch, watch_options
from afresh.doors.cli.which_resources import chosen
from afresh.doors.presenting.resources import view_resource
from afresh.doors.presenting.times import own_zone
from afresh.doors.presenting.why_words import allowed_words, asked_words
from afresh.engine.choose_refresh import change_choice, scope_of
from afresh.engine.due_round import asked_round
from afresh.engine.edit_resource import change
from afresh.engine.take_address import change_address
from afresh.engine.waiting_for_budget import held_back
from afresh.engine.watch_pages import change_watch, page_scope
from afresh.store import opened_store

if TYPE_CHECKING:
    from afresh.base.protocols import Store

_NOTHING = "nothing"
_PAUSING = {True: "paused", False: "resumed"}
_MOST_NAMED = 10  # resources that are named one by one after a change of many


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    """What shall be changed of each resource."""

    changes: Mapping[str, Any]
    more_tags: Sequence[str]
    fewer_tags: Sequence[str]
    watched: Mapping[str, Any]  # which parts of a page
    visited: Mapping[str, Any]  # strategy, estimator, targets
    at_once: bool

    def is_empty(self) -> bool:
        return not (self.changes or self.more_tags or self.fewer_tags or self.watched or self.visited or self.at_once)

    def changes_of(self, resource: Resource) -> dict[str, Any]:
        """With the tags it has then."""
        changes = dict(self.changes)
        if self.more_tags or self.fewer_tags:
            tags = dict.fromkeys((*resource.tags, *self.more_tags))
            changes["tags"] = tuple(tag for tag in tags if tag not in self.fewer_tags)
        return changes


def _choice_options(command: Callable[..., int]) -> Callable[..., int]:
    """Several by name, or all of a folder or with a tag."""
    for option in (
        click.option("--with-tag", metavar="TAG", help="Instead of names: all that have this tag."),
        click.option("--in-folder", metavar="FOLDER", help="Instead of names: all in this folder and those below it."),
        click.argument("keys", nargs=-1, metavar="[URL|NUMBER]…"),
    ):
        command = option(command)
    return command


def _chosen(store: Store, keys: Sequence[str], in_folder: str | None, with_tag: str | None) -> list[Resource]:
    if bool(keys) == (in_folder is not None or with_tag is not None):
        raise UsageError("say which: URLs or numbers, or --in-folder FOLDER or --with-tag TAG or both")
    return chosen(store, keys, ResourceFilter(folder=in_folder, tag=with_tag))


@click.command("set")
@_choice_options
@click.option("--kind", type=click.Choice(["page", "link"]), help="Make a page a kept link, or back; versions stay.")
@click.option("--pin", metavar="DURATION", help="Visit at this interval; `none`: its rule decides again.")
@click.option("--rule", help="Rule that decides when to visit it; `none`: predict.rule of the settings.")
@click.option("--shortest", metavar="DURATION", help="Shortest interval of this resource; `none`: the settings'.")
@click.option("--longest", metavar="DURATION", help="Longest interval of this resource; `none`: the settings'.")
@click.option(
    "--weight", type=float, help="How much an entry is worth: at 2, a minute of waiting for it counts as two."
)
@click.option("--folder", help="Folder to put it in, like news/local; empty: none.")
@click.option("--tag", "tags", multiple=True, help="Tag to add; may be repeated.")
@click.option("--untag", "untags", multiple=True, metavar="TAG", help="Tag to take away; may be repeated.")
@click.option("--url", metavar="URL", help="Another address; its entries and what was learnt stay.")
@click.option("--title", help="Title; empty: its own.")
@click.option("--note", help="What you want to remember about it.")
@click.option("--pause/--resume", "paused", default=None, help="Stop or go on visiting.")
@click.option("--now", "at_once", is_flag=True, help="Visit as soon as its site allows, before whatever else is due.")
@refresh_options
@watch_options
@json_option
@click.pass_context
def set_command(
    ctx: click.Context,
    /,
    keys: tuple[str, ...],
    in_folder: str | None,
    with_tag: str | None,
    kind: str | None,
    pin: str | None,
    rule: str | None,
    shortest: str | None,
    longest: str | None,
    weight: float | None,
    folder: str | None,
    tags: tuple[str, ...],
    untags: tuple[str, ...],
    url: str | None,
    title: str | None,
    note: str | None,
    paused: bool | None,
    at_once: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Change a resource, or many: pin an interval, choose a rule or bounds, pause, visit now, say what of a page is
    watched.

    Several numbers, --in-folder or --with-tag change many alike. Exits 1 if one of many could not be changed so.
    """
    changes: dict[str, object] = {
        name: None if text == "none" else parse_duration(text)
        for name, text in (("pinned", pin), ("shortest", shortest), ("longest", longest))
        if text is not None
    }
    if rule is not None:
        changes["rule"] = None if rule == "none" else rule
    if kind is not None:
        changes["kind"] = Kind(kind)
    others = {"weight": weight, "folder": folder, "title": title, "note": note, "paused": paused}
    changes.update({name: value for name, value in others.items() if value is not None})
    wish = _Wish(
        changes=changes,
        more_tags=tags,
        fewer_tags=untags,
        visited=said_refresh(given),  # takes its own; what is left is of pages
        watched=said_watch(given),
        at_once=at_once,
    )
    if wish.is_empty() and not url:
        raise UsageError("nothing to change; `afresh set --help` lists what can be")
    settings = settings_of(ctx).settings
    with opened_store(settings) as store:
        found = _chosen(store, keys, in_folder, with_tag)
        if url and len(keys) != 1:
            raise UsageError("--url is for one resource: two cannot have the same address")
        if len(keys) != 1:
            return _change_many(store, found, wish, settings, as_json=as_json)
        was = found[0]
        resource = _change_one(store, was, wish, settings)
        if url:  # once nothing else is refused
            resource = change_address(store, was.id, url, settings, now=time.time())
        now = time.time()
        allowed = allowed_words(held_back(store, settings.budget, now=now), now, own_zone()) if at_once else ""
        missing = _unmatched(store, resource) if wish.watched else ()
    words = f"{_done_words(was, wish)} {resource.url}"
    if url:
        words = f"#{resource.id} is watched at {resource.url} now" + ("" if wish.is_empty() else f"\n{words}")
    if missing:
        words += f"\nbut nothing of its stored version matches {', '.join(missing)}: `afresh page try` shows what would"
    if pin is not None and resource.kind is Kind.FEED:
        words += _pin_words(resource.pinned, settings.predict.shortest)
    if paused is False and was.status is Status.ACTIVE:
        words += "\nit was not paused"
    if at_once and resource.status is Status.ACTIVE:
        words += "\nit is visited as soon as its site allows"
        words += f", before whatever else is due: {allowed}" if allowed else ""
    if at_once and resource.status is not Status.ACTIVE:
        words += f"\nbut it is {resource.status}, so it is not visited: `afresh set {was.id} --resume` begins again"
    return print_told(view_resource(resource), words, as_json=as_json)


@click.command("remove")
@_choice_options
@click.option("--yes", is_flag=True, help="Do not ask, where entries would be forgotten.")
@json_option
@with_store
def remove_command(
    store: Store, keys: tuple[str, ...], in_folder: str | None, with_tag: str | None, yes: bool, as_json: bool
) -> int:
    """Stop watching, and forget entries and visits too.

    On a terminal it asks before entries are forgotten.
    """
    found = _chosen(store, keys, in_folder, with_tag)
    entries = sum(resource.counters.entries for resource in found)
    if entries and not (yes or as_json) and sys.stdin.isatty():
        what = _named(found[0]) if len(found) == 1 else f"{len(found):,}"
        if not click.confirm(f"Remove {what} and forget {counted(entries, 'entry', 'entries')}?", err=True):
            click.echo("nothing is removed", err=True)
            return EXIT_WRONG
    count = store.remove([resource.id for resource in found])
    words = [f"removed {_named(resource)}" for resource in found[:_MOST_NAMED]]
    words += [f"{count:,} removed"] if count != 1 else []
    return print_told({"removed": count}, "\n".join(words), as_json=as_json)


def _named(resource: Resource) -> str:
    """What a resource is called, for somebody who may have mistaken its number."""
    title = f"  {resource.title}" if resource.title else ""
    return clean(f"#{resource.id} {resource.url}{title}")


def _change_one(store: Store, resource: Resource, wish: _Wish, settings: Settings) -> Resource:
    changes = wish.changes_of(resource)
    if wish.watched and changes.get("kind", resource.kind) is not Kind.PAGE:
        raise UsageError("parts are watched of pages; this is none")
    if wish.watched:
        change_watch(store, page_scope(resource.id), wish.watched)
    if wish.visited:
        change_choice(store, scope_of(store, feed=resource.id), wish.visited)
    return change(store, resource.id, changes, now=time.time(), at_once=wish.at_once, settings=settings)


def _unmatched(store: Store, resource: Resource) -> tuple[str, ...]:
    from afresh.pages.comparing import unmatched  # noqa: PLC0415 (for pages alone, with what reads them)

    return unmatched(store, resource)


def _change_many(store: Store, found: Sequence[Resource], wish: _Wish, settings: Settings, *, as_json: bool) -> int:
    """Each by itself: one that cannot be changed so is told, and the others are changed."""
    done: list[Resource] = []
    refused: list[str] = []
    for resource in found:
        try:
            done.append(_change_one(store, resource, wish, settings))
        except AfreshError as error:
            refused.append(f"#{resource.id} {resource.url}: {error}")
    if as_json:
        print_json([view_resource(resource) for resource in done])
    else:
        click.echo(f"{_done_words(None, wish)} {len(done)} of {len(found)}")
        if wish.at_once:
            click.echo(_asked_words(store, done, settings))
    for line in refused[:_MOST_NAMED]:
        click.echo(clean(f"not changed: {line}"), err=True)
    if len(refused) > _MOST_NAMED:
        click.echo(f"not changed: {len(refused) - _MOST_NAMED} more", err=True)
    return EXIT_WRONG if refused else 0


def _asked_words(store: Store, done: Sequence[Resource], settings: Settings) -> str:
    """When those are visited that were asked for, and which of them are not."""
    asked = [resource for resource in done if resource.status is Status.ACTIVE]
    takes = asked_words(asked_round(asked, settings), held_back(store, settings.budget, now=time.time()))
    words = f"{len(asked):,} will be visited as soon as their sites allow, before whatever else is due"
    resting = f"; {len(done) - len(asked):,} not: `--resume` begins again" if len(asked) < len(done) else ""
    return words + (f": {takes}" if takes else "") + resting


def _done_words(was: Resource | None, wish: _Wish) -> str:
    """What was done to a resource, to be said before its address."""
    pausing = wish.changes.get("paused")
    done = "" if pausing is None or (was is not None and _is_active(was, pausing)) else _PAUSING[pausing]
    changed = _changed_words(was, wish)
    return done if done and changed == _NOTHING else f"{done + ', ' if done else ''}changed {changed} of"


def _is_active(was: Resource, pausing: object) -> bool:
    """Whether somebody resumes what is visited anyway."""
    return was.status is Status.ACTIVE and pausing is False


def _changed_words(was: Resource | None, wish: _Wish) -> str:
    """What else is different now; of one resource (``was``) without what was so before."""
    changes = dict(wish.changes) if was is None else wish.changes_of(was)
    changes.pop("paused", None)
    named = [f"{name} to {in_words(name, value)}" for name, value in changes.items()]
    if was is None and (tags := [f"+{tag}" for tag in wish.more_tags] + [f"-{tag}" for tag in wish.fewer_tags]):
        named.append(f"tags by {' '.join(tags)}")
    named += [name.replace("_", " ") for name in (*wish.watched, *wish.visited)]
    return ", ".join(named) or ("the next visit" if wish.at_once else _NOTHING)


def _pin_words(pinned: float | None, shortest: float) -> str:
    """What a pinned interval means that no rule would choose; empty: nothing unusual."""
    if pinned is None or pinned >= shortest:
        return ""
    return f": asked every {format_duration(pinned)}, shorter than predict.shortest ({format_duration(shortest)})"
