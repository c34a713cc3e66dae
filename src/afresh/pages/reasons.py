"""Why a page is visited when it is: rate, belief, prices, expected freshness and what announced its changes."""

from collections.abc import Mapping
from dataclasses import asdict

from afresh.base.durations import format_duration
from afresh.base.models import Bounds, Explanation, Resource, Site
from afresh.base.plain_numbers import amount
from afresh.base.records.pages import SignalCounts
from afresh.pages.beliefs.signals import SignalRecord
from afresh.pages.planner import PagePlanner


def record_of(counts: SignalCounts) -> SignalRecord:
    """The counts as what they say about a signal."""
    return SignalRecord(**asdict(counts))


def explain_page(
    pages: PagePlanner,
    resource: Resource,
    price: float,
    bounds: Bounds,
    *,
    now: float,
    site: Site | None,
    signals: Mapping[str, SignalCounts] | None = None,
) -> Explanation:
    """In words and numbers; the price in force is the larger of the price of all and the site's own."""
    own = site.state.price if site is not None else 0.0
    row = pages.row(resource)
    told = pages.explain(row, max(price, own), bounds)
    numbers = {**told.numbers, "price": price, "site_price": own}
    if pages.is_exploring(row):
        wait = numbers["interval"]
        numbers |= {"usual_interval": wait, "interval": pages.wait(row, wait, bounds)}
    summary = told.summary
    if resource.pinned is not None or (resource.last_result is not None and not resource.last_result.is_success):
        summary = resource.reason or summary
    elif own > price:
        summary += f"; its site bears no more, which makes a visit there {amount(own / price)} times as dear"
    if resource.last_ok is not None:
        numbers["fresh_now"] = pages.fresh_now(resource, now)
    if resource.turn is not None and site is not None:
        ahead = max(0.0, resource.turn - site.state.turn_now(now))
        numbers |= {"turns_ahead": ahead, "site_frequency_per_hour": 3600.0 * site.state.frequency}
        if site.state.frequency > 0.0:
            waits = max(0.0, (site.state.next_turn or now) - now) + ahead / site.state.frequency
            if now + waits < resource.due:  # else it is visited before its turn
                numbers["turn_comes_in_s"] = waits
    for kind, counts in (signals or {}).items():
        worth = record_of(counts).applied(pages.rate(row))
        heard = counts.announced_changes + counts.false_alarms
        numbers |= {
            f"{kind}_announced": float(resource.announced.get(kind, 0)),
            f"{kind}_recall": worth.recall,
            f"{kind}_precision": 1.0 - (counts.false_alarms + 1.0) / (heard + 2.0),
            f"{kind}_worth_s": worth.worth,
        }
    if resource.announced and resource.last_result is not None:
        told_by = ", ".join(sorted(resource.announced))
        summary += f"; a change was announced by {told_by} since the last visit"
        since = "" if resource.last_ok is None else f", {format_duration(max(0.0, now - resource.last_ok))} ago"
        summary += since
    return Explanation(rule=told.rule, summary=summary, numbers=numbers)
