"""``afresh lab revisit``: online policies on recorded histories of pages, at equal budgets."""

import math
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime

import click

from afresh.base.calendar import DAY
from afresh.base.durations import format_duration
from afresh.base.errors import UsageError
from afresh.base.extras import need
from afresh.base.plain_numbers import counted
from afresh.doors.cli.lab.options import Duration, scheduler_option
from afresh.doors.cli.main import EXIT_INTERRUPTED
from afresh.doors.cli.output import json_option, print_json, print_table
from afresh.doors.cli.patience import tell_progress
from afresh.lab.on_dask import connected, in_turn
from afresh.lab.revisit.histories import LEAST_DAYS, Histories, histories_of
from afresh.lab.revisit.replay import Revisited, revisit
from afresh.lab.rivals.page_policies import DEFAULT, ONLINE, policy_named
from afresh.lab.traces import read_page_trace

_EQUAL = (0.95, 1.05)  # shares of the budget between which rows are compared without a word
_FEW = 100  # requests that say little
COLUMNS = [
    "policy",
    "budget #",
    "freshness %",
    "age",
    "requests #",
    "of budget %",
    "violations #",
    "hindsight %",
    "told",
]


@click.command("revisit")
@click.option("--trace", "folder", required=True, type=click.Path(), help="Folder with pages.csv and changes.csv.gz.")
@click.option("--where", "where", multiple=True, metavar="COLUMN=VALUE", help="Only these pages; may be repeated.")
@click.option(
    "--budget",
    "budgets",
    default="0.1,0.5,1,2",
    show_default=True,
    help="Requests, as multiples of the total change rate of the scored part.",
)
@click.option(
    "--policy", "names", multiple=True, metavar="NAME", help="May be repeated (default: all that only visit)."
)
@click.option(
    "--delay", type=Duration(), default="30s", show_default=True, help="Least time between requests to a site."
)
@click.option(
    "--least-days",
    type=click.FloatRange(0.0, min_open=True),
    help="Only pages observed for so many days (default: 120; where none was, half the time of the longest).",
)
@scheduler_option
@click.option("--seed", type=int, default=0, show_default=True)
@json_option
def revisit_command(
    folder: str,
    where: tuple[str, ...],
    budgets: str,
    names: tuple[str, ...],
    delay: float,
    least_days: float | None,
    scheduler: str | None,
    seed: int,
    as_json: bool,
) -> int:
    """Replay online policies on recorded changes of pages: how fresh is the copy for how many requests?

    The first third of the time for which a page was observed is warm-up, the rest is scored.
    """
    need("lab", "afresh lab revisit")
    policies = [policy_named(name) for name in dict.fromkeys(names)] or list(ONLINE)
    multiples = _budgets(budgets)
    chosen = _where(where)
    trace = read_page_trace(folder)
    histories = histories_of(trace, where=chosen, least_days=least_days)
    if scheduler:
        each = [(policy.name, budget, delay, seed) for budget in multiples for policy in policies]
        with connected(scheduler) as client:
            rows = in_turn(client, _revisited, histories, each)
    else:
        told = _Told(len(policies) * len(multiples))
        click.echo(_announced(len(policies), len(multiples), len(histories)), err=True)
        with _interrupted_by_sigterm(), suppress(KeyboardInterrupt):
            revisit(
                histories,
                policies,
                multiples,
                delay=delay,
                seed=seed,
                default=DEFAULT.name,
                progress=_progress,
                finished=told.finished,
            )
        rows = told.rows
    tell_progress("")
    is_part = len(rows) < len(policies) * len(multiples)
    if as_json:
        print_json([asdict(row) | days_of(histories) for row in rows])
    else:
        print_table(COLUMNS, [_cells(row) for row in rows])
        click.echo("\n".join((*footnotes(rows), _used(histories, len(trace)))))
    if is_part:
        click.echo(f"interrupted: {len(rows)} of {len(policies) * len(multiples)} replays are finished", err=True)
    return EXIT_INTERRUPTED if is_part else 0


def _announced(policies: int, budgets: int, pages: int) -> str:
    return f"{counted(policies, 'policy', 'policies')} × {counted(budgets, 'budget')} on {counted(pages, 'page')}"


class _Told:
    """Replays as they finish, each with a line and how long the rest will take."""

    def __init__(self, total: int) -> None:
        self.rows: list[Revisited] = []
        self._total, self._begun = total, time.monotonic()

    def finished(self, row: Revisited) -> None:
        self.rows.append(row)
        done = len(self.rows)
        left = (time.monotonic() - self._begun) / done * (self._total - done)
        tell_progress("")
        click.echo(_finished_words(row, done, self._total, left), err=True)


def _finished_words(row: Revisited, done: int, total: int, left: float) -> str:
    rest = f"; about {format_duration(math.ceil(left))} left" if done < total else ""
    return f"{done} of {total}: {row.policy} at {row.budget:g}, {100 * row.freshness:.2f} % fresh{rest}"


@contextmanager
def _interrupted_by_sigterm() -> Iterator[None]:
    """What is finished is shown, whoever ends it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def days_of(histories: Histories) -> dict[str, float]:
    """When the first page was observed, when the first was scored, and until when, for JSON."""
    return {
        "observed_from": float(histories.born.min()),
        "scored_from": float(histories.scored.min()),
        "scored_to": float(histories.ends.max()),
    }


def footnotes(rows: Sequence[Revisited]) -> list[str]:
    """What cannot be guessed from the headings: what hindsight is no bound of, and what the default differs in."""
    said = [*_unequal(rows)]
    said += [
        "hindsight: the best fixed frequencies, had all changes been known; no bound for policies that change theirs "
        "as they learn, and these may be above it."
    ]
    if any(row.is_default for row in rows):
        said.append(
            f"{DEFAULT.name}: what the daemon does, {DEFAULT.settings.policy} with its own order and prices of sites "
            f"(revisit.policy = {DEFAULT.settings.policy}); a row {DEFAULT.settings.policy} is the policy alone, every "
            "page when it is due."
        )
    return said


def _unequal(rows: Sequence[Revisited]) -> Iterator[str]:
    """A word on rows that are not comparable."""
    shares = [row.spent for row in rows]
    if shares and (min(shares) < _EQUAL[0] or max(shares) > _EQUAL[1]):
        yield (
            f"Not every row is comparable: the policies made {100 * min(shares):.0f} % to {100 * max(shares):.0f} % of "
            "the requests that their budget allows. Prices take some weeks to settle, and a site bears no more than "
            "its delay lets through (--delay)."
        )
    if len({row.policy for row in rows}) > 1 and len({f"{row.freshness:.4f}" for row in rows}) == 1:
        yield "All rows are equally fresh: this history is too short, or changes too little, to tell policies apart."
    if any(row.allowed < _FEW for row in rows):
        yield f"Fewer than {_FEW} requests are allowed at the smallest budget: take its rows for anecdotes."


def _used(histories: Histories, pages: int) -> str:
    """Which pages and days were used, in words."""
    days = (histories.ends - histories.born) / DAY
    first, scored, last = (datetime.fromtimestamp(moment, UTC).date() for moment in days_of(histories).values())
    shortest, longest = (format_duration(_rounded(DAY * float(span))) for span in (days.min(), days.max()))
    spans = shortest if shortest == longest else f"{shortest} to {longest}"
    least = "" if days.max() >= LEAST_DAYS else f"; none for the usual {LEAST_DAYS:g}d"
    return (
        f"{len(histories):,} of {pages:,} pages, observed from {first} to {last} ({spans} each{least}): the first "
        f"third of each is warm-up, the rest is scored, from {scored} on."
    )


def _rounded(seconds: float) -> float:
    """To whole days, or to minutes where a day is long."""
    return round(seconds / DAY) * DAY if seconds >= 3.0 * DAY else round(seconds / 60.0) * 60.0 or seconds


def _revisited(histories: Histories, name: str, budget: float, delay: float, seed: int) -> Revisited:
    """One policy at one budget, on a worker."""
    [row] = revisit(histories, [policy_named(name)], [budget], delay=delay, seed=seed, default=DEFAULT.name)
    return row


def _cells(row: Revisited) -> tuple[object, ...]:
    return (
        row.policy + (" (default)" if row.is_default else ""),
        f"{row.budget:g}",
        f"{100 * row.freshness:.2f}",
        format_duration(row.age),
        f"{row.requests:,}",
        f"{100 * row.spent:.0f}",
        f"{row.violations:,}",
        f"{100 * row.hindsight:.2f}",
        row.observation,
    )


def _budgets(text: str) -> list[float]:
    out = []
    for part in text.split(","):
        try:
            number = float(part)
        except ValueError as error:
            raise UsageError(f"not a budget: {part.strip()!r}; write multiples like 0.1,0.5,1,2") from error
        if not (math.isfinite(number) and number > 0.0):
            raise UsageError(f"budget {part.strip()} makes no sense: it must be a finite number above 0")
        out.append(number)
    return out


def _where(parts: tuple[str, ...]) -> dict[str, str]:
    out = {}
    for part in parts:
        column, equals, value = part.partition("=")
        if not equals or not column:
            raise UsageError(f"not a condition: {part!r}; write it like source=ota")
        out[column.strip()] = value.strip()
    return out


def _progress(policy: str, budget: float) -> None:
    tell_progress(f"replaying {policy} at {budget:g}")
