"""The clockwork of a replay: pages are born, visited, re-priced and die in the order of time.

One loop serves every policy (``pages.policies``). Four things can happen next: a page appears, a page ends, the
price is set anew, or the page with the earliest due time is visited. Between two visits of a page freshness and age are
integrated exactly from its recorded changes: it is fresh until the first change after the visit and its age grows from
there (spec: closed form, nothing is sampled).
"""

import math
from typing import NamedTuple

import numpy as np

from afresh.base.compiled import compiled
from afresh.base.signatures import WF, WF2, WN, WN2, F, function_type, types
from afresh.lab.replay.trace import Floats, Ints
from afresh.lab.revisit.replay_heap import heapify, insert, move, remove
from afresh.pages.policies.policy import ANNOUNCED, DUE, INTERVAL, LEARN, Due, Interval, Learn

#: columns of the accounts kept for each page
FRESH, AGE, REQUESTS, SCORED = 0, 1, 2, 3
#: places of the totals
VIOLATIONS, VISITS, PRICINGS, PRICE = 0, 1, 2, 3  # PRICE + pot
#: pots: the pages that are warming up and those that count have budgets and prices of their own
WARMING, COUNTED = 0, 1
#: whether a page has been visited, and whether its site keeps a slot for it
NEW, UNBOOKED, BOOKED = 0, 1, 2
#: what happens to a page, in this order where times are equal
BIRTH, PROMOTION, DEATH = 0, 1, 2

_LOWEST, _HIGHEST = math.log(1e-9), math.log(1e18)

_LEARN, _INTERVAL, _DUE = function_type(LEARN), function_type(INTERVAL), function_type(DUE)


class Web(NamedTuple):
    """What really happened, known to the scorer alone; pages by number, times in seconds."""

    born: Floats  # first observation: the copy is fresh then, and that first copy is free
    ends: Floats  # end of observation
    scored: Floats  # end of the warm-up
    share: Floats  # what the page's being there adds to the budget, requests a second
    site: Ints
    offsets: Ints
    changes: Floats
    events: Ints  # 3 page + kind, in the order of time: birth, end of warm-up, end of observation
    event_times: Floats


class Rules(NamedTuple):
    """How the crawler is run."""

    delay: float  # least seconds between two requests to a site
    epoch: float  # seconds between two settings of the price
    patience: float  # seconds over which a debt or surplus of requests is evened out
    overdraft: float  # requests the crawler may be ahead of its budget, in seconds of budget
    announced: bool  # every change is told at once; visits follow announcements


class Desk(NamedTuple):
    """The rows a policy keeps, and the crawler's own books."""

    params: Floats
    page: Floats  # [pages, size]
    sites: Floats  # [sites, size]
    world: Floats
    last: Floats  # last visit of a page
    next_change: Ints  # first change after the last visit; the scorer's
    key: Floats  # due time
    waits: Floats  # interval at the present price
    booked: Ints  # NEW, UNBOOKED, or BOOKED: the due time is a slot kept for the page by its site
    draw: Floats  # a uniform random number for each page
    heap: Ints  # [pots, pages]
    place: Ints
    site_last: Floats  # last request to a site
    site_free: Floats  # first moment not booked at a site
    accounts: Floats  # [pages, 4]
    totals: Floats


_WEB = types.NamedTuple([WF, WF, WF, WF, WN, WN, WF, WN, WF], Web)
_RULES = types.NamedTuple([types.float64, types.float64, types.float64, types.float64, types.boolean], Rules)
_DESK = types.NamedTuple(
    [F, WF2, WF2, WF, WF, WN, WF, WF, WN, WF, WN2, WN, WF, WF, WF2, WF],
    Desk,
)


@compiled(types.void(WF, types.float64, types.float64, types.float64))
def score(accounts: Floats, begin: float, change: float, now: float) -> None:
    """Adds freshness and age of a page from ``begin`` until now; ``change``: when its copy has become old."""
    stale = max(begin, min(change, now))
    accounts[SCORED] += now - begin
    accounts[FRESH] += stale - begin
    if change < now:
        accounts[AGE] += 0.5 * ((now - change) ** 2 - (stale - change) ** 2)


@compiled(types.void(_WEB, _DESK, types.int64, types.float64))
def account(web: Web, desk: Desk, page: int, now: float) -> None:
    """Adds freshness and age of a page from its last visit until now, as far as they are scored."""
    begin = max(desk.last[page], web.scored[page])
    if now <= begin:
        return
    at = desk.next_change[page]
    change = web.changes[at] if at < web.offsets[page + 1] else math.inf
    score(desk.accounts[page], begin, change, now)


@compiled(types.float64(_WEB, types.int64, types.int64, types.float64))
def chance(web: Web, page: int, change: int, draw: float) -> float:
    """A uniform number that belongs to one change of one page: re-pricing does not throw the dice again."""
    mixed = (page * 0.7548776662466927 + (change - web.offsets[page]) * 0.6180339887498949 + draw) % 1.0
    return float(mixed)


@compiled(types.float64(_WEB, _DESK, types.int64, types.float64))
def announced_due(web: Web, desk: Desk, page: int, now: float) -> float:
    """The first announcement from now on that is followed up; each is, with probability frequency over rate."""
    at = desk.next_change[page]
    rate = desk.page[page, ANNOUNCED]
    follow = 1.0 / (desk.waits[page] * rate) if rate > 0.0 else 1.0
    while at < web.offsets[page + 1]:
        if web.changes[at] >= now and chance(web, page, at, desk.draw[page]) < follow:
            return float(web.changes[at])
        at += 1
    return math.inf


_PLAN = types.float64(_INTERVAL, _RULES, _DESK, types.int64, types.float64, WN, _WEB)


@compiled(_PLAN)
def spending(interval: Interval, rules: Rules, desk: Desk, size: int, price: float, heap: Ints, web: Web) -> float:
    """Requests a second at this price, by the policy's own account; leaves every page's interval behind."""
    total = 0.0
    for k in range(size):
        page = heap[k]
        wait = interval(desk.params, desk.page[page], desk.sites[web.site[page]], desk.world, price)
        desk.waits[page] = wait
        if wait > 0.0:
            total += 1.0 / max(wait, rules.delay)
        else:
            total += 1.0 / rules.delay
    return total


@compiled(types.float64(_INTERVAL, _RULES, _DESK, _WEB, WN, types.int64, types.float64, types.float64))
def set_price(
    interval: Interval, rules: Rules, desk: Desk, web: Web, heap: Ints, size: int, target: float, start: float
) -> float:
    """The price at which the policy means to spend the target: a search for a root in the logarithms of both."""
    low, high = _LOWEST, _HIGHEST
    at = min(max(math.log(start), low + 1.0), high - 1.0)
    step = 1.0
    wanted = math.log(target)
    for trial in range(60):
        spent = spending(interval, rules, desk, size, math.exp(at), heap, web)
        desk.totals[PRICINGS] += 1.0
        error = (math.log(spent) if spent > 0.0 else -50.0) - wanted
        if abs(error) < 0.02 or (trial > 12 and high - low < 0.005):
            break
        if error > 0.0:
            low = at
        else:
            high = at
        if high < _HIGHEST and low > _LOWEST:
            # spending falls about like price^-1/2..-1; a step by that, kept inside the bracket
            guess = at + error * 1.2 if trial < 8 else 0.5 * (low + high)
            at = guess if low < guess < high else 0.5 * (low + high)
        else:
            at += min(max(error * 1.5, -step), step)
            step *= 2.0
            if at <= _LOWEST or at >= _HIGHEST:
                at = min(max(at, _LOWEST), _HIGHEST)
                spending(interval, rules, desk, size, math.exp(at), heap, web)
                break
    return math.exp(at)


@compiled(types.void(_WEB, _DESK, types.int64, types.float64))
def count_announcements(web: Web, desk: Desk, page: int, now: float) -> None:
    """The rate of a page whose every change was told: (count + 1/2)/(time + half a day).  [KPLH19]."""
    changes = web.changes[web.offsets[page] : web.offsets[page + 1]]
    count = np.searchsorted(changes, now, side="right")
    desk.page[page, ANNOUNCED] = (count + 0.5) / (now - web.born[page] + 43_200.0)


@compiled(types.void(_DUE, _WEB, _RULES, _DESK, types.int64, types.float64, types.float64))
def plan_page(due: Due, web: Web, rules: Rules, desk: Desk, page: int, now: float, price: float) -> None:
    """Sets the due time of a page from its interval at the present price."""
    if rules.announced:
        desk.key[page] = announced_due(web, desk, page, now)
        return
    wait = desk.waits[page]
    when = math.inf
    if wait < math.inf and desk.booked[page] == NEW:
        # spread out, or pages that appear together would be visited together for ever; one interval on average, since
        # the first copy is fresh: half of one is too soon, and where pages get one visit each it is all they get
        when = desk.last[page] + 2.0 * desk.draw[page] * wait
    elif wait < math.inf:
        when = due(desk.params, desk.page[page], desk.sites[web.site[page]], desk.world, desk.last[page], wait, price)
    desk.key[page] = max(now, when)


@compiled(types.boolean(_WEB, _RULES, _DESK, types.int64, types.float64))
def must_wait(web: Web, rules: Rules, desk: Desk, page: int, now: float) -> bool:
    """Whether the site is not free; if so a later slot is booked, so that no page waits more than once."""
    site = web.site[page]
    earliest = desk.site_last[site] + rules.delay
    if now >= earliest and (desk.booked[page] == BOOKED or now >= desk.site_free[site]):
        return False
    slot = max(earliest, desk.site_free[site])
    desk.site_free[site] = slot + rules.delay
    desk.booked[page] = BOOKED
    desk.key[page] = slot
    return True


@compiled(types.void(_LEARN, _WEB, _RULES, _DESK, types.int64, types.float64, types.boolean))
def visit(learn: Learn, web: Web, rules: Rules, desk: Desk, page: int, now: float, tells_time: bool) -> None:
    """One request: the accounts are brought up to date, the policy learns one bit."""
    site = web.site[page]
    if now - desk.site_last[site] < rules.delay - 1e-6:
        desk.totals[VIOLATIONS] += 1.0
    desk.site_last[site] = now
    desk.site_free[site] = max(desk.site_free[site], now + rules.delay)
    desk.booked[page] = UNBOOKED
    account(web, desk, page, now)
    if now >= web.scored[page]:
        desk.accounts[page, REQUESTS] += 1.0
    desk.totals[VISITS] += 1.0
    at = desk.next_change[page]
    changed = 0.0
    while at < web.offsets[page + 1] and web.changes[at] <= now:
        changed = 1.0
        at += 1
    modified = math.nan
    if tells_time:
        modified = now - (web.changes[at - 1] if at > web.offsets[page] else web.born[page])
    desk.next_change[page] = at
    elapsed = now - desk.last[page]
    desk.last[page] = now
    learn(desk.params, desk.page[page], desk.sites[site], desk.world, now, elapsed, changed, modified)


@compiled(types.void(_INTERVAL, _DUE, _WEB, _RULES, _DESK, types.int64, types.float64))
def appear(interval: Interval, due: Due, web: Web, rules: Rules, desk: Desk, page: int, now: float) -> None:
    """A new page: its first copy is fresh and free."""
    desk.last[page] = now
    if rules.announced:
        count_announcements(web, desk, page, now)
    price = desk.totals[PRICE + WARMING]
    desk.waits[page] = interval(desk.params, desk.page[page], desk.sites[web.site[page]], desk.world, price)
    plan_page(due, web, rules, desk, page, now, price)


@compiled(types.void(_INTERVAL, _DUE, _WEB, _RULES, _DESK, WN, WF, WF, types.float64))
def reprice(
    interval: Interval,
    due: Due,
    web: Web,
    rules: Rules,
    desk: Desk,
    sizes: Ints,
    income: Floats,
    credit: Floats,
    now: float,
) -> None:
    """Sets the price of both pots anew and, with it, every due time that is not a booked slot."""
    for pot in range(2):
        size, heap = sizes[pot], desk.heap[pot]
        if rules.announced:
            for k in range(size):
                count_announcements(web, desk, heap[k], now)
        if size == 0 or income[pot] <= 0.0:
            continue
        even = min(max(1.0 + credit[pot] / (income[pot] * rules.patience), 0.3), 3.0)
        price = set_price(interval, rules, desk, web, heap, size, income[pot] * even, desk.totals[PRICE + pot])
        desk.totals[PRICE + pot] = price
        for k in range(size):
            page = heap[k]
            if desk.booked[page] != BOOKED:
                plan_page(due, web, rules, desk, page, now, price)
        heapify(heap, desk.place, desk.key, size)


@compiled(types.float64(_RULES, _DESK, types.int64, types.int64, types.float64, types.float64, types.float64))
def next_visit(rules: Rules, desk: Desk, pot: int, size: int, income: float, credit: float, now: float) -> float:
    """When the first page of a pot is visited: when it is due and the pot is not overdrawn."""
    if size == 0 or income <= 0.0:
        return math.inf
    visiting = max(desk.key[desk.heap[pot, 0]], now)
    debt = 1.0 - credit - rules.overdraft * income
    return float(max(visiting, now + debt / income) if debt > 0.0 else visiting)


@compiled(
    types.void(
        _LEARN,
        _INTERVAL,
        _DUE,
        _WEB,
        _RULES,
        _DESK,
        types.boolean,
    )
)
def run(learn: Learn, interval: Interval, due: Due, web: Web, rules: Rules, desk: Desk, tells_time: bool) -> None:
    """Replays the whole history under one policy and one budget."""
    sizes, income, credit = np.zeros(2, dtype=np.int64), np.zeros(2), np.zeros(2)
    event = 0
    now = web.event_times[0]
    epoch = now
    while event < len(web.events):
        warm = next_visit(rules, desk, WARMING, sizes[WARMING], income[WARMING], credit[WARMING], now)
        real = next_visit(rules, desk, COUNTED, sizes[COUNTED], income[COUNTED], credit[COUNTED], now)
        happens = web.event_times[event]
        then = min(warm, real, happens, epoch)
        for pot in range(2):
            credit[pot] = min(credit[pot] + income[pot] * (then - now), 2.0 * rules.patience * income[pot])
        now = then
        if happens <= now:
            page, kind = web.events[event] // 3, web.events[event] % 3
            event += 1
            if kind == BIRTH:
                appear(interval, due, web, rules, desk, page, now)
                pot = WARMING
            else:
                pot = WARMING if kind == PROMOTION else COUNTED
                sizes[pot] = remove(desk.heap[pot], desk.place, desk.key, sizes[pot], page)
                income[pot] = max(0.0, income[pot] - web.share[page]) if sizes[pot] > 0 else 0.0
                credit[pot] = credit[pot] if sizes[pot] > 0 else 0.0
                pot = COUNTED
            if kind == DEATH:
                account(web, desk, page, now)
            else:
                income[pot] += web.share[page]
                sizes[pot] = insert(desk.heap[pot], desk.place, desk.key, sizes[pot], page)
        elif epoch <= now:
            epoch = now + rules.epoch
            reprice(interval, due, web, rules, desk, sizes, income, credit, now)
        else:
            pot = WARMING if warm <= real else COUNTED
            heap = desk.heap[pot]
            page = heap[0]
            if not must_wait(web, rules, desk, page, now):
                visit(learn, web, rules, desk, page, now, tells_time)
                credit[pot] -= 1.0
                price = desk.totals[PRICE + pot]
                desk.waits[page] = interval(desk.params, desk.page[page], desk.sites[web.site[page]], desk.world, price)
                plan_page(due, web, rules, desk, page, now, price)
            move(heap, desk.place, desk.key, sizes[pot], page)
