"""``afresh lab revisit``: online policies on recorded histories of pages, at equal budgets."""

import math

import click

from afresh.base.durations import format_duration
from afresh.base.errors import UsageError
from afresh.base.extras import need
from afresh.doors.cli.lab.options import Duration, scheduler_option
from afresh.doors.cli.output import json_option, print_json, print_table
from afresh.doors.cli.patience import tell_progress
from afresh.lab.on_dask import connected, in_turn
from afresh.lab.revisit.histories import Histories, histories_of
from afresh.lab.revisit.replay import Revisited, revisit
from afresh.lab.rivals.page_policies import DEFAULT, ONLINE, policy_named
from afresh.lab.traces import read_page_trace

COLUMNS = ["policy", "budget #", "freshness %", "age", "requests #", "violations #", "hindsight %", "told"]


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
@scheduler_option
@click.option("--seed", type=int, default=0, show_default=True)
@json_option
def revisit_command(
    folder: str,
    where: tuple[str, ...],
    budgets: str,
    names: tuple[str, ...],
    delay: float,
    scheduler: str | None,
    seed: int,
    as_json: bool,
) -> int:
    """Replay online policies on recorded changes of pages: how fresh is the copy for how many requests?"""
    need("lab", "afresh lab revisit")
    policies = [policy_named(name) for name in dict.fromkeys(names)] or list(ONLINE)
    multiples = _budgets(budgets)
    chosen = _where(where)
    histories = histories_of(read_page_trace(folder), where=chosen)
    if scheduler:
        each = [(policy.name, budget, delay, seed) for budget in multiples for policy in policies]
        with connected(scheduler) as client:
            rows = in_turn(client, _revisited, histories, each)
    else:
        rows = revisit(histories, policies, multiples, delay=delay, seed=seed, default=DEFAULT.name, progress=_progress)
    tell_progress("")
    if as_json:
        print_json(rows)
    else:
        print_table(COLUMNS, [_cells(row) for row in rows])
    return 0


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
