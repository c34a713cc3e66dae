"""When is the next entry due? One algorithm a module, found by name, compiled when it is first asked for.

    load("mavsync")   load("fix:interval=1h")   load("indhist:theta=0.7", bounds=Bounds(beta=604_800.0))

Importing this package compiles nothing; a predictor's module is imported when it is loaded.
"""

import difflib
import math
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any, cast

from afresh.base.durations import format_duration, parse_duration
from afresh.base.errors import ModelError
from afresh.base.protocols import Bounds, Predictor
from afresh.feeds.rules.rule import parameters_of

__all__ = ["load", "names", "parameters", "predictor_class", "spec_of", "values_of"]

#: name -> module and class
_REGISTRY: Mapping[str, tuple[str, str]] = {
    "adaptive_ttl": ("adaptive_ttl", "AdaptiveTTL"),
    "commafeed": ("commafeed", "CommaFeed"),
    "feedbin": ("constant", "Feedbin"),
    "fix": ("fix", "Fix"),
    "fix_learned_a": ("fix_learned", "FixLearnedA"),
    "fix_learned_w": ("fix_learned", "FixLearnedW"),
    "freshrss": ("constant", "FreshRSS"),
    "freshrss_autottl": ("freshrss", "FreshRSSAutoTTL"),
    "indhist": ("indhist", "IndHist"),
    "indhist_ttl": ("indhist", "IndHistTTL"),
    "lihz": ("lihz", "LIHZ"),
    "lru2": ("lru2", "LRU2"),
    "mavsync": ("mavsync", "MAVSync"),
    "miniflux": ("miniflux", "Miniflux"),
    "miniflux_round_robin": ("constant", "MinifluxRoundRobin"),
    "moving_average": ("moving_average", "MovingAverage"),
    "news_crawl": ("crawlers", "NewsCrawl"),
    "newsblur": ("newsblur", "NewsBlur"),
    "nutch": ("crawlers", "Nutch"),
    "palladian_postrate": ("palladian", "PalladianPostRate"),
    "priced": ("priced", "Priced"),
    "rare": ("rare", "Rare"),
    "reader": ("constant", "Reader"),
    "recorder": ("recorder", "Recorder"),
    "rss_guard": ("constant", "RSSGuard"),
    "sqrt": ("sqrt", "Sqrt"),
    "stormcrawler": ("crawlers", "StormCrawler"),
    "tiny_tiny_rss": ("constant", "TinyTinyRSS"),
}
_BOUNDS = ("alpha", "beta", "eta")


def names() -> tuple[str, ...]:
    """The registered names, in alphabetical order."""
    return tuple(sorted(_REGISTRY))


def load(spec: str, bounds: Bounds | None = None) -> Predictor:
    """The predictor of a name with optional parameters, "fix:interval=1h" or "mavsync:kappa=5s,beta=7d".

    ``bounds`` are the limits; alpha, beta and eta among the parameters override them one by one. Durations are
    written like 15m or 2h.

    >>> load("fix:interval=2h").params()[3]
    np.float64(7200.0)
    """
    name, _, text = spec.strip().partition(":")
    cls = predictor_class(name)
    given = dict(_pairs(name, text))
    limits = {key: _duration(name, key, given.pop(key)) for key in _BOUNDS if key in given}
    known = {item.name: item for item in parameters_of(cls)}
    unknown = [key for key in given if key not in known]
    if unknown:
        have = ", ".join([*known, *_BOUNDS])
        raise ModelError(f"{name}: unknown parameter {unknown[0]!r}; it has {have}")
    values = {key: _value(name, known[key], value) for key, value in given.items()}
    return cast("Predictor", cls(bounds=replace(bounds or Bounds(), **limits), **values))


def predictor_class(name: str) -> type[Any]:
    """The class registered under a name, imported on demand."""
    if name not in _REGISTRY:
        near = difflib.get_close_matches(name, _REGISTRY, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise ModelError(f"unknown predictor {name!r}; {hint}there are {', '.join(names())}")
    module, attribute = _REGISTRY[name]
    return cast("type[Any]", getattr(import_module(f"{__name__}.{module}"), attribute))


def parameters(name: str) -> Mapping[str, float | str]:
    """The parameters of a predictor with their defaults, in order; NaN: not set."""
    return {item.name: cast("float | str", item.default) for item in parameters_of(predictor_class(name))}


def values_of(predictor: Predictor) -> Mapping[str, float | str]:
    """The parameters a predictor was made with, without those not set."""
    cls: Any = type(predictor)
    values = {item.name: getattr(predictor, item.name) for item in parameters_of(cls)}
    return {key: value for key, value in values.items() if not (isinstance(value, float) and math.isnan(value))}


def spec_of(predictor: Predictor) -> str:
    """The shortest text that ``load`` turns into this predictor, bounds left out.

    >>> spec_of(load("fix:interval=7200"))
    'fix:interval=2h'
    """
    cls: Any = type(predictor)
    parts = []
    for item in parameters_of(cls):
        value = getattr(predictor, item.name)
        if value == item.default or (isinstance(value, float) and math.isnan(value)):
            continue
        parts.append(f"{item.name}={_text(item.metadata['kind'], value)}")
    return predictor.name + (":" + ",".join(parts) if parts else "")


def _text(kind: str, value: Any) -> str:
    if kind == "choice":
        return str(value)
    if kind == "duration" and value >= 1.0 and parse_duration(format_duration(value)) == value:
        return format_duration(value)
    return f"{value:.17g}" if f"{value:g}" != f"{value:.17g}" and float(f"{value:g}") != value else f"{value:g}"


def _pairs(name: str, text: str) -> list[tuple[str, str]]:
    pairs = []
    for part in filter(None, (p.strip() for p in text.split(","))):
        key, equals, value = part.partition("=")
        if not equals or not value.strip():
            raise ModelError(f"{name}: {part!r} is not a parameter; write it like {name}:key=value,key=value")
        pairs.append((key.strip(), value.strip()))
    return pairs


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
