"""The slow and obvious replay: plain lists, one poll after the other, every rule written from its description.

Nothing here is shared with the compiled kernel or the shipped steps. Where both agree to the last poll, both are right
or both descriptions were misread.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
MASK = (1 << 64) - 1


@dataclass
class Limits:
    alpha: float = 60.0
    beta: float = DAY
    eta: float = HOUR


@dataclass
class Context:
    """What a rule may look at after a poll."""

    now: float
    window: list[float]
    new: list[float]
    known: list[float]  # every entry ever seen
    first_window: list[float]  # of the very first poll, perhaps empty
    first_poll: float
    limits: Limits
    u: float
    memory: dict = field(default_factory=dict)
    history: list[float] = field(default_factory=list)  # entries before the end of training
    trained_until: float = 0.0
    ttl: float | None = None
    training: float = 0.0


@dataclass
class Account:
    polls: list[float] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)
    missed: int = 0
    open: int = 0
    volume: float = 0.0


Rule = Callable[[Context, dict], float]


def clamp(u: float | None, limits: Limits) -> float:
    if u is None or u <= 0:
        return limits.eta
    return min(limits.beta, max(limits.alpha, u))


def draw(seed: int, feed: int, number: int) -> float:
    z = (seed + feed * 0xD1342543DE82EF95 + (number + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    z ^= z >> 31
    return (z >> 11) / 2.0**53


# --- rules -----------------------------------------------------------------------------------------------------------


def fix(ctx: Context, p: dict) -> float:
    return ctx.now + p.get("interval", HOUR)


def fix_learned_w(ctx: Context, p: dict) -> float:
    w = ctx.first_window
    u = (w[-1] - w[0]) / (len(w) - 1) if len(w) >= 2 and w[-1] > w[0] else None
    return ctx.now + clamp(u, ctx.limits)


def fix_learned_a(ctx: Context, p: dict) -> float:
    w = ctx.first_window
    u = (ctx.first_poll - w[0]) / len(w) if w and ctx.first_poll > w[0] else None
    return ctx.now + clamp(u, ctx.limits)


def adaptive_ttl(ctx: Context, p: dict) -> float:
    return ctx.now + clamp(p.get("M", 0.1) * (ctx.now - ctx.window[-1]) if ctx.window else None, ctx.limits)


def lru2(ctx: Context, p: dict) -> float:
    distinct = sorted(set(ctx.known))
    return ctx.now + clamp(distinct[-1] - distinct[-2] if len(distinct) >= 2 else None, ctx.limits)


def mavsync(ctx: Context, p: dict) -> float:
    w, now = ctx.window, ctx.now
    limits = ctx.limits
    if p.get("ttl") == "lower" and ctx.ttl:
        alpha = min(limits.beta, max(limits.alpha, ctx.ttl))
        limits = Limits(alpha, limits.beta, max(alpha, limits.eta))
    if p.get("ttl") == "interval" and ctx.ttl:
        return now + min(limits.beta, max(limits.alpha, ctx.ttl))
    if len(w) >= 2:
        sync = w[-1] + (w[-1] - w[0]) / (len(w) - 1) + p.get("kappa", 0.0)
        if limits.alpha <= sync - now <= limits.beta:
            return sync
    return now + clamp((now - w[0]) / len(w) if w else None, limits)


def moving_average(ctx: Context, p: dict) -> float:
    w = ctx.window
    return ctx.now + clamp((w[-1] - w[0]) / (len(w) - 1) if len(w) >= 2 else None, ctx.limits)


def sqrt(ctx: Context, p: dict) -> float:
    w = ctx.window
    if not w or ctx.now <= w[0]:
        return ctx.now + ctx.limits.eta
    rate = len(w) / (ctx.now - w[0])
    return ctx.now + clamp(math.sqrt(2 * p.get("price", 1000.0) / rate), ctx.limits)


def rare(ctx: Context, p: dict) -> float:
    w, n = ctx.window, len(ctx.window)
    if not w:
        return ctx.now + ctx.limits.eta
    k = max(1, math.floor(p.get("share", 0.8) * n)) if "buffer" not in p else max(1, n - p["buffer"])
    if n >= 2:
        due = w[-1] + (w[-1] - w[0]) / (n - 1) * k
        if ctx.limits.alpha <= due - ctx.now <= ctx.limits.beta:
            return due
    return ctx.now + clamp((ctx.now - w[0]) / n * k, ctx.limits)


def recorder(ctx: Context, p: dict) -> float:
    w = sorted(ctx.window)
    beta = min(ctx.limits.beta, p.get("longest", 6 * HOUR))
    gaps = [b - a for a, b in pairwise(w)]
    u = min(beta, max(ctx.limits.alpha, math.fsum(gaps) / len(gaps))) if gaps and w[-1] > w[0] else beta
    if u == beta:
        u = max(ctx.limits.alpha, beta - ctx.u * beta / 2)
    return ctx.now + u


def _hour(t: float) -> int:
    return int(t // HOUR) % 24


def _rates(ctx: Context) -> list[float]:
    if "rates" not in ctx.memory:
        counts = [0] * 24
        for t in ctx.history:
            counts[_hour(t)] += 1
        days = max(1.0, (ctx.trained_until - min(ctx.history)) / DAY) if ctx.history else 1.0
        ctx.memory["rates"] = [c / days for c in counts]
    return ctx.memory["rates"]


def _reach(ctx: Context, theta: float) -> float | None:
    rates = _rates(ctx)
    daily = 0.0
    for rate in rates:
        daily += rate
    if daily <= 0:
        return None
    days = int(theta // daily)
    need = theta - days * daily
    if days >= 1 and need <= 0:
        return days * DAY
    t = ctx.now + days * DAY
    while t - ctx.now <= ctx.limits.beta:
        rate, end = rates[_hour(t)], (t // HOUR + 1) * HOUR
        gain = rate * (end - t) / HOUR
        if rate > 0 and gain >= need:
            return t + need / rate * HOUR - ctx.now
        need -= gain
        t = end
    return ctx.limits.beta


def indhist(ctx: Context, p: dict) -> float:
    return ctx.now + clamp(_reach(ctx, p.get("theta", 0.7)), ctx.limits)


def indhist_ttl(ctx: Context, p: dict) -> float:
    span = p.get("V", HOUR)
    observed = sum(1 for t in ctx.window if t > ctx.now - span)
    predicted, t = 0.0, ctx.now - span
    while t < ctx.now:
        stop = min(ctx.now, (t // HOUR + 1) * HOUR)
        predicted += _rates(ctx)[_hour(t)] * (stop - t) / HOUR
        t = stop
    burst = observed > 0 if predicted == 0 else observed / predicted > p.get("t_burst", 2.0)
    if burst:
        return ctx.now + clamp(p.get("M", 0.1) * (ctx.now - ctx.window[-1]), ctx.limits)
    return indhist(ctx, p)


def lihz(ctx: Context, p: dict) -> float:
    """Days are kept by number, so that none can be booked twice."""
    days: dict[int, bool] = ctx.memory.setdefault("days", {})
    first = ctx.memory.setdefault("first", ctx.now)
    today = int(ctx.now // DAY)
    days[today] = days.get(today, False) or bool(ctx.new)
    if ctx.now < first + ctx.training:
        return ctx.now + clamp(DAY, ctx.limits)
    if not any(days.values()):
        return ctx.now + ctx.limits.eta

    def chance(day: int) -> float:
        same = [had for d, had in days.items() if (d - day) % 7 == 0]
        share = sum(same) / len(same) if same else 0.0
        return 0.9 * share + (1.0 - 0.9) * sum(days.values()) / len(days)

    total, k = 0.0, 1
    while True:
        total += chance(today + k)
        if total >= p.get("sigma", 1.0) or (k + 1) * DAY > ctx.limits.beta:
            return ctx.now + clamp(k * DAY, ctx.limits)
        days[today + k] = False
        k += 1


def miniflux(ctx: Context, p: dict) -> float:
    week = [t for t in ctx.known if t >= ctx.now - 7 * DAY]
    weekly = 0
    if len(week) > 1 and ctx.window:
        gap = (ctx.window[-1] - min(week)) / (len(week) - 1)
        weekly = math.ceil(7 * DAY / gap) if gap > 0 else 0
    u = DAY if weekly == 0 else min(DAY, max(5 * MINUTE, 7 * DAY / weekly))
    if ctx.ttl:
        u = max(u, ctx.ttl)
    return ctx.now + clamp(min(u, DAY), ctx.limits)


def commafeed(ctx: Context, p: dict) -> float:
    top, w = 4 * HOUR, ctx.window
    age = ctx.now - w[-1] if w else math.inf
    if age >= 30 * DAY:
        u = top
    elif age >= 14 * DAY:
        u = top / 2
    elif age >= 7 * DAY:
        u = top / 4
    elif len(w) >= 2:
        u = min(top / 4, max(5 * MINUTE, (w[-1] - w[0]) / (len(w) - 1) / 2))
    else:
        u = top
    return ctx.now + clamp(min(top, max(5 * MINUTE, u)), ctx.limits)


def newsblur(ctx: Context, p: dict) -> float:
    s = sum(1 for t in ctx.known if t >= ctx.now - 30 * DAY) / 30
    if s >= 1:
        minutes = 45.0
    elif s > 0:
        minutes = 360 * (1 - s)
    else:
        minutes = 720 * max(1.0, (ctx.now - ctx.window[-1]) / (30 * DAY) if ctx.window else 1.0)
    minutes = min(minutes, 240.0)
    jitter = 1.0 if minutes <= 5 else 0.25
    return ctx.now + clamp(minutes * MINUTE * (1 + jitter * ctx.u), ctx.limits)


def freshrss_autottl(ctx: Context, p: dict) -> float:
    month = [t for t in ctx.known if t >= ctx.now - 30 * DAY]
    if not month:
        return ctx.now + clamp(DAY, ctx.limits)
    return ctx.now + clamp(min(DAY, max(HOUR, (ctx.now - min(month)) / len(month))), ctx.limits)


def nutch(ctx: Context, p: dict) -> float:
    m = ctx.memory
    m.setdefault("interval", HOUR)
    m.setdefault("modified", ctx.now)
    if ctx.new:
        m["interval"] *= 1 - 0.2
        m["modified"] = ctx.now
    else:
        m["interval"] *= 1 + 0.4
    delta = ctx.now - m["modified"]
    if delta > m["interval"]:
        m["interval"] = delta
    m["interval"] = min(365 * DAY, max(MINUTE, m["interval"]))
    return ctx.now + clamp(m["interval"] - 0.3 * delta, ctx.limits)


def _storm(ctx: Context, low: float, high: float, decrease: float, start: float) -> float:
    m = ctx.memory
    if "interval" not in m:
        m["interval"] = start
    elif ctx.new:
        m["interval"] = (1 - decrease) * m["interval"] + decrease * low
    else:
        m["interval"] = min(high, 1.5 * m["interval"])
    return ctx.now + clamp(m["interval"], ctx.limits)


def stormcrawler(ctx: Context, p: dict) -> float:
    return _storm(ctx, HOUR, 14 * DAY, 0.5, DAY)


def news_crawl(ctx: Context, p: dict) -> float:
    return _storm(ctx, 90 * MINUTE, 90 * DAY, 0.2, 90 * MINUTE)


def reader(ctx: Context, p: dict) -> float:
    due = (ctx.now // HOUR + 1) * HOUR + ctx.u * 0.25 * HOUR
    return ctx.now + clamp(due - ctx.now, ctx.limits)


def palladian_postrate(ctx: Context, p: dict) -> float:
    days = max(1.0, (ctx.trained_until - min(ctx.history)) / DAY) if ctx.history else 1.0
    if "bins" not in ctx.memory:
        ctx.memory["bins"] = [0.0] * 1440
        for t in ctx.history:
            ctx.memory["bins"][int(t // MINUTE) % 1440] += 1
    bins = ctx.memory["bins"]
    if not ctx.history:
        return ctx.now + ctx.limits.eta
    t, posts = (ctx.now // MINUTE + 1) * MINUTE, 0.0
    while True:
        posts += bins[int(t // MINUTE) % 1440]  # whole numbers: posts/days >= 1 without rounding
        if posts >= days or t - ctx.now > ctx.limits.beta:
            return ctx.now + clamp(t - ctx.now, ctx.limits)
        t += MINUTE


def _constant(interval: float) -> Rule:
    return lambda ctx, p: ctx.now + clamp(interval, ctx.limits)


RULES: dict[str, Rule] = {
    "adaptive_ttl": adaptive_ttl,
    "commafeed": commafeed,
    "feedbin": _constant(15 * MINUTE),
    "fix": fix,
    "fix_learned_a": fix_learned_a,
    "fix_learned_w": fix_learned_w,
    "freshrss": _constant(HOUR),
    "freshrss_autottl": freshrss_autottl,
    "indhist": indhist,
    "indhist_ttl": indhist_ttl,
    "lihz": lihz,
    "lru2": lru2,
    "mavsync": mavsync,
    "miniflux": miniflux,
    "miniflux_round_robin": _constant(HOUR),
    "moving_average": moving_average,
    "news_crawl": news_crawl,
    "newsblur": newsblur,
    "nutch": nutch,
    "palladian_postrate": palladian_postrate,
    "rare": rare,
    "reader": reader,
    "recorder": recorder,
    "rss_guard": _constant(15 * MINUTE),
    "sqrt": sqrt,
    "stormcrawler": stormcrawler,
    "tiny_tiny_rss": _constant(30 * MINUTE),
}
#: rules that poll through the training part
WARM = {"lihz"}


# --- the loop --------------------------------------------------------------------------------------------------------


@dataclass
class Feed:
    """A stream in time order, and what its document looks like."""

    number: int
    times: list[float]
    window: int
    recorded: list[tuple[float, int, float]] | None = None  # polls of the recording: time, window, bytes
    ttl: float | None = None

    def shown(self, now: float) -> list[tuple[int, float]]:
        """Entries visible at a time, with their place in the stream as identity."""
        size = self.window
        for moment, seen, _ in self.recorded or []:
            if moment <= now:
                size = seen
        visible = [(k, t) for k, t in enumerate(self.times) if t <= now]
        return visible[len(visible) - size :] if size < len(visible) else visible

    def bytes(self, now: float) -> float:
        return next((size for moment, _, size in reversed(self.recorded or []) if moment <= now), 0.0)


def simulate(
    feed: Feed,
    rule: Rule,
    parameters: dict,
    limits: Limits,
    *,
    start: float,
    test: float,
    end: float,
    seed: int = 0,
    warm: bool = False,
    dedupe: str = "previous_window",
) -> Account:
    """Spec §8.5, with a part before that only trains where the rule learns by polling."""
    account, base, previous = Account(), None, None
    ever: dict[int, float] = {}
    memory: dict = {}
    history = [t for t in feed.times if t < test]
    first_poll, first_window, draws, lost = math.nan, [], 0, set()
    now = start if warm else test
    while now <= end:
        if warm and now >= test:
            warm, now = False, test
        window = feed.shown(now)
        new = window if previous is None else [e for e in window if e not in previous]
        if math.isnan(first_poll):
            first_poll, first_window = now, [t for _, t in window]
        if not warm:
            account.polls.append(now)
            account.volume += feed.bytes(now)
            if window and base is None:
                base = window
            elif window:
                if previous is not None and len(new) == len(window):
                    gap = range(previous[-1][0] + 1, window[0][0])
                    lost.update(gap)
                    account.missed += len(gap)
                for k, t in new:
                    if dedupe == "ever_seen":
                        if k in ever or k < base[0][0]:
                            continue
                        if k in lost:
                            lost.discard(k)
                            account.missed -= 1
                    account.delays.append(now - t)
        ever.update(window)
        if window:
            previous = window
        context = Context(
            now=now,
            window=[t for _, t in window],
            new=[t for _, t in new],
            known=list(ever.values()),
            first_window=first_window,
            first_poll=first_poll,
            limits=limits,
            u=draw(seed, feed.number, draws),
            memory=memory,
            history=history,
            trained_until=test,
            ttl=feed.ttl,
            training=(test - start) or 7 * DAY,  # without a training part the rule trains on the job
        )
        draws += 1
        now = rule(context, parameters)
        if warm and now >= test:
            warm, now = False, test
    last = account.polls[-1]
    account.open = sum(1 for t in feed.times if last < t <= end)
    return account
