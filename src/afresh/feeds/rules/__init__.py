"""When is the next entry due? One algorithm a module, found by name, compiled when it is first asked for.

    load("mavsync")   load("fix:interval=1h")   load("indhist:theta=0.7", bounds=Bounds(longest=604_800.0))

Importing this package compiles nothing; a rule's module is imported when it is loaded.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from afresh.base.durations import format_duration, parse_duration
from afresh.base.errors import ModelError
from afresh.base.models import Bounds
from afresh.base.registry import Registry, read_spec
from afresh.feeds.rules.rule import Rule, parameters_of

__all__ = ["RULES", "Rule", "load", "names", "parameters", "spec_of", "values_of"]

RULES: Registry[type[Rule]] = Registry(
    "rule",
    {
        "adaptive_ttl": "adaptive_ttl:AdaptiveTTL",
        "commafeed": "commafeed:CommaFeed",
        "feedbin": "constant:Feedbin",
        "fix": "fix:Fix",
        "fix_learned_a": "fix_learned:FixLearnedA",
        "fix_learned_w": "fix_learned:FixLearnedW",
        "freshrss": "constant:FreshRSS",
        "freshrss_autottl": "freshrss:FreshRSSAutoTTL",
        "indhist": "indhist:IndHist",
        "indhist_ttl": "indhist:IndHistTTL",
        "lihz": "lihz:LIHZ",
        "lru2": "lru2:LRU2",
        "mavsync": "mavsync:MAVSync",
        "miniflux": "miniflux:Miniflux",
        "miniflux_round_robin": "constant:MinifluxRoundRobin",
        "moving_average": "moving_average:MovingAverage",
        "news_crawl": "crawlers:NewsCrawl",
        "newsblur": "newsblur:NewsBlur",
        "nutch": "crawlers:Nutch",
        "palladian_postrate": "palladian:PalladianPostRate",
        "priced": "priced:Priced",
        "rare": "rare:Rare",
        "reader": "constant:Reader",
        "recorder": "recorder:Recorder",
        "rss_guard": "constant:RSSGuard",
        "sqrt": "sqrt:Sqrt",
        "stormcrawler": "crawlers:StormCrawler",
        "tiny_tiny_rss": "constant:TinyTinyRSS",
    },
    listing="afresh lab list",
    package=__name__,
    group="afresh.rules",
    base=Rule,
)
#: parameters that every rule has, and their older names, which stand in stores
_BOUNDS = {key: key for key in ("shortest", "longest", "standard")} | {
    "alpha": "shortest",
    "beta": "longest",
    "eta": "standard",
}


def names() -> tuple[str, ...]:
    """The registered names, in alphabetical order; with those of other packages."""
    return tuple(sorted(RULES))


def load(spec: str, bounds: Bounds | None = None) -> Rule:
    """The rule of a name with optional parameters, "fix:interval=1h" or "mavsync:kappa=5s,longest=7d".

    ``bounds`` are the limits; shortest, longest and standard among the parameters override them one by one.
    Durations are written like 15m or 2h.

    >>> load("fix:interval=2h").params()[3]
    np.float64(7200.0)
    """
    name, given = read_spec(spec)
    cls = RULES.find(name)
    known = {item.name: item for item in parameters_of(cls)}
    limits = {
        bound: _duration(name, key, given.pop(key))
        for key, bound in _BOUNDS.items()
        if key in given and key not in known
    }
    unknown = [key for key in given if key not in known]
    if unknown:
        have = ", ".join([*known, *dict.fromkeys(_BOUNDS.values())])
        raise ModelError(f"{name}: unknown parameter {unknown[0]!r}; it has {have}")
    values: dict[str, Any] = {key: _value(name, known[key], value) for key, value in given.items()}
    return cls(bounds=replace(bounds or Bounds(), **limits), **values)


def parameters(name: str) -> Mapping[str, float | str]:
    """The parameters of a rule with their defaults, in order; NaN: not set."""
    return {item.name: cast("float | str", item.default) for item in parameters_of(RULES.find(name))}


def values_of(rule: Rule) -> Mapping[str, float | str]:
    """The parameters a rule was made with, without those not set."""
    values = {item.name: getattr(rule, item.name) for item in parameters_of(type(rule))}
    return {key: value for key, value in values.items() if not (isinstance(value, float) and math.isnan(value))}


def spec_of(rule: Rule) -> str:
    """The shortest text that ``load`` turns into this rule, bounds left out.

    >>> spec_of(load("fix:interval=7200"))
    'fix:interval=2h'
    """
    parts = []
    for item in parameters_of(type(rule)):
        value = getattr(rule, item.name)
        if value == item.default or (isinstance(value, float) and math.isnan(value)):
            continue
        parts.append(f"{item.name}={_text(item.metadata['kind'], value)}")
    return rule.name + (":" + ",".join(parts) if parts else "")


def _text(kind: str, value: Any) -> str:
    if kind == "choice":
        return str(value)
    if kind == "duration" and value >= 1.0 and parse_duration(format_duration(value)) == value:
        return format_duration(value)
    return f"{value:.17g}" if f"{value:g}" != f"{value:.17g}" and float(f"{value:g}") != value else f"{value:g}"


def _value(rule: str, item: Any, text: str) -> float | str:
    kind = item.metadata["kind"]
    if kind == "choice":
        return text
    if kind == "duration":
        return _duration(rule, item.name, text)
    try:
        return float(text)
    except ValueError as error:
        raise ModelError(f"{rule}: {item.name} must be a number, not {text!r}") from error


def _duration(rule: str, key: str, text: str) -> float:
    try:
        return parse_duration(text)
    except ModelError as error:
        raise ModelError(f"{rule}: {key}: {error}") from error
