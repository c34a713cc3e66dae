"""``afresh poll``: ask now, in the pace that sites want; by the daemon where one runs, else by ourselves."""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import click

from afresh.base.durations import format_duration, parse_duration
from afresh.base.errors import StoreBusy, UsageError
from afresh.base.iso_times import from_iso
from afresh.base.models import Kind, Resource, ResourceFilter, Site, Status
from afresh.base.plain_numbers import roughly
from afresh.base.protocols import Store
from afresh.base.records.explained import DueRound, HeldBack
from afresh.base.settings import Loaded
from afresh.doors.cli.check_report import what
from afresh.doors.cli.context import settings_of
from afresh.doors.cli.event_loop import ending_on_signals, run_async
from afresh.doors.cli.main import EXIT_INTERRUPTED, EXIT_WRONG
from afresh.doors.cli.output import json_option, moment, print_json, print_table
from afresh.doors.cli.patience import tell_progress
from afresh.doors.cli.which_resources import chosen
from afresh.doors.presenting.links import LinkView, view_link
from afresh.doors.presenting.resources import VisitView, view_visit
from afresh.doors.presenting.times import own_zone, upcoming
from afresh.doors.presenting.why_words import WORTH_A_WORD, held_words
from afresh.engine.daemon import running_daemon
from afresh.engine.edit_resource import MOST_ASKED, visit_now
from afresh.engine.waiting_for_budget import held_back
from afresh.engine.wanted_visits import IN_ITS_PLACE, Chosen
from afresh.store import opened_store

_LOOK = 0.2  # seconds between two looks whether the daemon has asked
_IS_THERE = 2.0  # seconds between two looks whether it is still there
_NO_ANSWER = "no answer yet; the daemon waits for it as long as fetch.total_timeout allows"


@dataclass(frozen=True, slots=True, kw_only=True)
class Polled:
    """One that was to be asked, and what became of that."""

    resource: int
    url: str
    visit: VisitView | None  # None: there is no answer
    waits: str  # why not; empty: there is
    is_asked: bool = False  # it is being asked at this moment
    link: LinkView | None = None  # how it stands now; None: it is no link, or there is no answer

    @property
    def is_open(self) -> bool:
        """Whether it is still to be asked."""
        return self.visit is None and not self.is_asked


@click.command("poll")
@click.argument("keys", nargs=-1, metavar="[URL|NUMBER]…")
@click.option("--all", "everything", is_flag=True, help="Everything that is watched.")
@click.option("--tag", help="Everything with this tag.")
@click.option("--folder", help="Everything in this folder, and in those below it.")
@click.option("--wait", default="5m", show_default=True, metavar="DURATION", help="Wait for answers at most this long.")
@json_option
@click.pass_context
def poll_command(
    ctx: click.Context,
    keys: tuple[str, ...],
    everything: bool,
    tag: str | None,
    folder: str | None,
    wait: str,
    as_json: bool,
) -> int:
    """Visit now instead of when it is due; each site at its own pace, and within the budget.

    Where a daemon runs on the same store, it does the asking. What a site does not allow within --wait stays due, and
    a daemon asks it then. Exits 1 if a visit failed, was not made or is not over.
    """
    if sum((bool(keys), everything, tag is not None, folder is not None)) != 1:
        raise UsageError("say what to ask for: URLs or numbers, or one of --all, --tag TAG, --folder FOLDER")
    loaded = settings_of(ctx)
    seconds = parse_duration(wait)
    with opened_store(loaded.settings) as store:
        wanted = chosen(store, keys, ResourceFilter(tag=tag, folder=folder))
        held = held_back(store, loaded.settings.budget, now=time.time())
    active = [item.id for item in wanted if item.status is Status.ACTIVE]
    began = time.time()
    if len(active) > 1:
        pause = format_duration(loaded.settings.politeness.delay)
        click.echo(f"asking {len(active)}, with a pause of {pause} at least between two of a site", err=True)
    for line in _held_lines(held, len(active), seconds):
        click.echo(line, err=True)
    was_asked = _ask(loaded, active, seconds)
    tell_progress("")
    with opened_store(loaded.settings) as store:
        held = held_back(store, loaded.settings.budget, now=time.time())
        polled = [_polled(store, item.id, began, held, len(active)) for item in wanted]
    if was_asked:
        return _tell(polled, as_json=as_json)
    _tell([replace(one, waits="due; interrupted") if one.is_open else one for one in polled], as_json=as_json)
    return EXIT_INTERRUPTED


def _held_lines(held: HeldBack | None, count: int, seconds: float) -> Iterator[str]:
    """What the budget makes of so many requests."""
    if held is None or not count:
        return
    now = time.time()
    wait = held.next_free(now) - now
    if count > 1 and held.pace:
        takes = wait + DueRound(visits=count).takes(held.pace, saved=max(1, held.saved))  # the first leaves then
        if takes <= WORTH_A_WORD:
            return
        longer = f", longer than --wait {format_duration(seconds)}" if takes > seconds else ""
        yield f"a request every {roughly(held.pace)} by the budget of {held.budget}: about {roughly(takes)}{longer}"
    elif wait > WORTH_A_WORD:
        yield held_words(replace(held, free_at=now + wait), now, own_zone())


def _ask(loaded: Loaded, numbers: Sequence[int], seconds: float) -> bool:
    """Until all were asked or the time is over; they stay due in the store, so that nothing is forgotten.

    False: somebody has interrupted it.
    """
    try:
        return not numbers or _ask_in_time(loaded, numbers, seconds)
    except KeyboardInterrupt:  # while a daemon was waited for
        return False


def _ask_in_time(loaded: Loaded, numbers: Sequence[int], seconds: float) -> bool:
    began = time.time()
    with opened_store(loaded.settings) as store:
        visit_now(store, numbers, now=began)
        waiting = _Waiting(store, numbers, began=began, end=began + seconds)
        was_there = waiting.for_daemon()
    while waiting.is_open:
        if was_there:
            click.echo("the daemon is not there any more: asking without it", err=True)
        try:
            return run_async(_visit(loaded, Chosen(waiting.numbers), waiting.left))
        except StoreBusy:  # somebody has just begun, and said nothing yet; or is silent and yet alive
            with opened_store(loaded.settings) as store:
                waiting.store = store
                waiting.look_for(_IS_THERE)
                was_there = waiting.for_daemon()
    return True


async def _visit(loaded: Loaded, chosen: Chosen, seconds: float) -> bool:
    """False: interrupted. The first time what is under way is finished, which may take as long as a server does."""
    async with running_daemon(loaded, purpose="poll") as daemon:
        daemon.loop.chosen = chosen
        telling = asyncio.create_task(_tell_how_far(chosen))
        end = None if seconds == float("inf") else asyncio.get_running_loop().call_later(seconds, daemon.loop.stop)
        running = asyncio.create_task(daemon.loop.run())
        ending = _Ending(daemon.loop.stop, running)
        with ending_on_signals(ending.interrupt):
            await asyncio.wait({running})
        telling.cancel()
        if end is not None:
            end.cancel()
    if not ending.is_asked:
        running.result()
    return not ending.is_asked


class _Ending:
    """What Ctrl-C does: the first waits for what is under way, the second does not."""

    def __init__(self, stop: Callable[[], None], running: asyncio.Task[None]) -> None:
        self._stop, self._running = stop, running
        self.is_asked = False

    def interrupt(self) -> None:
        if self.is_asked:
            self._end_now()
            return
        self.is_asked = True
        tell_progress("")
        click.echo("ending: what is under way is finished; Ctrl-C again ends at once", err=True)
        self._stop()

    def _end_now(self) -> None:
        """Until it has: whoever ends in good order waits for visits, and is interrupted once more."""
        if not self._running.done():
            self._running.cancel()
            asyncio.get_running_loop().call_later(_LOOK, self._end_now)


async def _tell_how_far(chosen: Chosen) -> None:
    count = len(chosen.open)
    while True:
        await asyncio.sleep(_LOOK)
        _tell_asked(count - len(chosen.open), count)


def _tell_asked(asked: int, count: int) -> None:
    tell_progress(f"{asked} of {count} asked" if asked < count else "")


class _Waiting:
    """Those that a daemon shall ask, until it has, the time is over, or it is gone."""

    def __init__(self, store: Store, numbers: Sequence[int], *, began: float, end: float) -> None:
        self.store, self.numbers = store, list(numbers)
        self._began, self._end, self._count = began, end, len(numbers)

    @property
    def left(self) -> float:
        return self._end - time.time()

    @property
    def is_open(self) -> bool:
        return bool(self.numbers) and self.left > 0

    def for_daemon(self) -> bool:
        """As long as one is there; whether one was."""
        was_there = False
        while self.is_open and _is_served(self.store):
            was_there = True
            self.look_for(_IS_THERE)
        return was_there

    def look_for(self, seconds: float) -> None:
        """For so long, or until all were asked."""
        until = min(self._end, time.time() + seconds)
        while True:
            self.numbers = [one for one in self.numbers if _answer(self.store, one, self._began, self._count) is None]
            _tell_asked(self._count - len(self.numbers), self._count)
            if not self.numbers or time.time() >= until:
                return
            time.sleep(_LOOK)
            # of very many the store forgets who was asked for while a visit was under way that planned the next one
            visit_now(self.store, self.numbers, now=self._began, seen=self._began)


def _is_served(store: Store) -> bool:
    """Whether a daemon is there."""
    return any(daemon.speaks(time.time()) for daemon in store.daemons.list_daemons())


def _answer(store: Store, number: int, began: float, count: int) -> VisitView | None:
    """The last visit, if it started since then; of very many, if it ended since then. Of a page: that of its feed."""
    if store.get(number).reason == IN_ITS_PLACE:
        return None
    for row, visit in store.visits(resource=number, limit=1):
        if (visit.started if count <= MOST_ASKED else visit.finished) >= began:
            return view_visit(row, visit)
    return None


def _polled(store: Store, number: int, began: float, held: HeldBack | None, count: int) -> Polled:
    resource = store.get(number)
    answer = _answer(store, number, began, count)
    if answer is not None:
        link = view_link(store.links.link(number)) if resource.kind is Kind.LINK else None
        return Polled(resource=number, url=resource.url, visit=answer, waits="", link=link)
    site = store.site(resource.site)
    is_asked = site is not None and site.leased_resource == number and _is_served(store)
    waits = _NO_ANSWER if is_asked else _why_not(resource, site, held)
    return Polled(resource=number, url=resource.url, visit=None, waits=waits, is_asked=is_asked)


def _why_not(resource: Resource, site: Site | None, held: HeldBack | None) -> str:
    if resource.status is not Status.ACTIVE:
        return f"{resource.status}: `afresh set {resource.id} --resume` lets it be visited again"
    if site is not None and site.next_allowed > time.time():
        return f"due; its site is left alone until {moment(site.next_allowed)}"
    if held is not None:
        return f"due; {held_words(held, time.time(), own_zone())}"
    return "due; not asked within --wait"


def _tell(polled: Sequence[Polled], *, as_json: bool) -> int:
    if as_json:
        print_json(polled)
    else:
        print_table(["#", "url", "result", "new", "next", "remark"], _rows(polled))
        further = "`afresh entries` shows what is new"
        if all(one.link is not None for one in polled):
            further = "`afresh link show URL` says more of a link"
        click.echo(f"`afresh why URL` explains when one is asked next; {further}")
    is_well = all(one.visit is not None and one.visit.result.is_success for one in polled)
    return 0 if is_well else EXIT_WRONG


def _rows(polled: Sequence[Polled]) -> Iterator[tuple[object, ...]]:
    now = time.time()
    for one in polled:
        if (visit := one.visit) is None:
            yield one.resource, one.url, "being asked" if one.is_asked else "not asked", "-", "-", one.waits
        else:
            due = upcoming(from_iso(visit.next_due), now)
            if (link := one.link) is not None:
                status = f" ({str(link.status).replace('_', ' ')})" if link.status else ""
                yield (
                    one.resource,
                    one.url,
                    f"{link.standing}{status}",
                    "-",
                    due,
                    what(link),
                )
            else:
                yield one.resource, one.url, visit.result, visit.new, due, visit.error
