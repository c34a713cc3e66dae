"""The frontier put together: store, use cases, and the work that goes on beside requests."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from afresh.base.clock import WatchedClock
from afresh.base.errors import AfreshError, ConfigError, ParseError, StoreAway
from afresh.base.executor import Executor, InPlace, give_way
from afresh.base.protocols import Clock
from afresh.base.records.frontier import Partitioning
from afresh.base.records.frontier_store import FrontierStore
from afresh.base.settings.sections import FrontierOptions, Hygiene
from afresh.base.timekeeping import Timekeeper
from afresh.base.troubles import SERVERS
from afresh.frontier.place_table import read_places
from afresh.frontier.scheduling import Frontier
from afresh.frontier.scope import Scope
from afresh.frontier.shared_counters import Tallies
from afresh.frontier.times import FrontierTimes
from afresh.store.frontier import open_frontier

_log = logging.getLogger(__name__)
_POSTGRES = ("postgresql://", "postgres://")
_HOUSEKEEPING = "housekeeping"
_ROWS = "rows"  # of the store, as a trouble
_EXPIRE_EVERY = 5.0  # seconds; a lease looks after what it needs itself
_RANKED = "frontier.ranked"  # when the link graph was last ranked, by whichever process


@asynccontextmanager
async def running_frontier(
    options: FrontierOptions,
    *,
    hygiene: Hygiene | None = None,
    clock: Clock | None = None,
    in_place: bool = True,
    exclusive: bool = True,
    tallies: Tallies | None = None,
) -> AsyncIterator[Frontier]:
    """A frontier over its store, with its housekeeping; closed at the end.

    ``in_place``: this process has nothing else to do, so a store that can be called where it stands is. ``exclusive``:
    a SQLite file is this process's alone; without it several take turns, which suits few of them on one machine.
    ``tallies``: what it counts together with others; None: for itself.
    """
    clock = clock or WatchedClock()
    _check_places(options)
    if hygiene is not None and hygiene.budget and not options.links:
        _log.warning("hygiene.budget will not grow: what raises it, links between sites, needs frontier.links=true")
    # A PostgreSQL is waited for, better in a thread; SQLite works in this process (see ``InPlace``).
    executor = InPlace() if in_place and not options.url.startswith(_POSTGRES) else Executor()
    scope = Scope.of(options)
    store = await executor.write(open_frontier, options.url, links=options.links, hygiene=hygiene, exclusive=exclusive)
    await executor.write(scope.begin, store)
    frontier = Frontier(
        store,
        clock=clock,
        executor=executor,
        allow_private=options.allow_private,
        links=options.links,
        places=bool(options.places),
        tallies=tallies,
        scope=scope,
    )
    keeper = None
    if isinstance(clock, WatchedClock):
        times = FrontierTimes(store, hygiene or Hygiene())
        keeper = Timekeeper(clock, times, executor=executor, troubles=frontier.troubles)
        await executor.write(keeper.begin)
    beside = [asyncio.create_task(_keep_house(frontier, options, clock, keeper))]
    if keeper is not None:
        beside.append(asyncio.create_task(_keep_time(keeper)))
    try:
        yield frontier
    finally:
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
        await executor.write(store.close)
        executor.close()


async def _keep_time(keeper: Timekeeper) -> None:
    """A store that is away does not end it."""
    while True:
        with suppress(AfreshError):
            await keeper.run()
        await asyncio.sleep(_EXPIRE_EVERY)


async def _keep_house(frontier: Frontier, options: FrontierOptions, clock: Clock, keeper: Timekeeper | None) -> None:
    """Frees what expired, forgets old keys, ranks; a failure is logged and tried again."""
    while True:
        await clock.sleep(_EXPIRE_EVERY)
        now = clock.now()
        try:
            await frontier.run(frontier.store.expire, now=now)
            await _look_for_servers(frontier)
            while await frontier.run(frontier.store.follow_open_links, now=now, depth=frontier.scope.depth):
                await give_way()
            if keeper is None or keeper.may_prune():
                await frontier.run(frontier.store.forget_keys, before=now - options.keep_keys)
            if await frontier.run(_is_time_to_rank, frontier.store, options, now):
                mode = (await frontier.settings()).partitioning
                await asyncio.to_thread(rank, options, mode, now)
            stats = await frontier.stats()
            frontier.lately.sample(stats, now)
            _tell_of_damage(frontier, stats.set_aside)
            await frontier.tell_of_asides()
            await frontier.tell_of_silence()
            frontier.troubles.over(_HOUSEKEEPING)
        except StoreAway:  # told already, by whoever asked for it
            pass
        except Exception as error:  # the outermost loop: whatever it was, requests go on
            frontier.troubles.report(_HOUSEKEEPING, str(error) or "it stopped; the log says where")
            _log.exception("housekeeping failed; tried again in %s s", _EXPIRE_EVERY)


async def _look_for_servers(frontier: Frontier) -> None:
    """Says which servers of the store do not answer; when all do, adds the links that waited for one."""
    if away := await frontier.run(frontier.store.servers_away):
        frontier.troubles.report(SERVERS, "; ".join(away))
        return
    frontier.troubles.over(SERVERS)
    while await frontier.run(frontier.store.add_late_links, now=frontier.now(), depth=frontier.scope.depth):
        pass


def _tell_of_damage(frontier: Frontier, set_aside: int) -> None:
    if set_aside:
        frontier.troubles.report(_ROWS, f"{set_aside} damaged rows are set aside; `afresh doctor` tells which")
    else:
        frontier.troubles.over(_ROWS)


def _is_time_to_rank(store: FrontierStore, options: FrontierOptions, now: float) -> bool:
    """Whether this process shall rank now; of several on one store, the first that asks."""
    if not options.rank_every or 0.0 <= now - float(store.get_setting(_RANKED) or 0.0) < options.rank_every:
        return False
    store.put_setting(_RANKED, str(now))
    return True


def rank(options: FrontierOptions, mode: Partitioning, now: float) -> None:
    """PageRank of what was reported, and homes for the partitioning in use; with a connection of its own."""
    # Loads compiled code: not before it is needed, so that a scheduler that was killed is back in a second.
    from afresh.frontier import ranking  # noqa: PLC0415

    store = open_frontier(options.url, links=options.links)
    try:
        if options.links:
            ranking.PageRankBatches(store).run_if_due()
        match mode:
            case Partitioning.RTT:
                ranking.assign_homes_by_round_trip(store, now=now)
            case Partitioning.GEOGRAPHIC if options.places:
                ranking.assign_homes_by_geography(store, read_places(Path(options.places).read_text(encoding="utf-8")))
            case Partitioning.GRAPH if options.links:
                ranking.assign_homes_by_graph(store)
            case _:
                pass
    finally:
        store.close()


def _check_places(options: FrontierOptions) -> None:
    """A table that cannot be read is refused now, not when it is needed."""
    if not options.places:
        return
    try:
        read_places(Path(options.places).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ParseError) as error:
        raise ConfigError(f"cannot read {options.places}: {error}", option="frontier.places") from error
