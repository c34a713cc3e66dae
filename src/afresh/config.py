"""Settings: one table of options, read once from defaults, a file, the environment and the command line.

The dataclasses of the layers hold names, types and defaults; ``OPTIONS`` adds what a person needs to know: a line of
help, an example, the check, and whether it is a secret. Reference page and ``afresh config show`` come from it.
"""

import math
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from pathlib import Path
from typing import Any, get_type_hints

from afresh.app.frontier.settings import FrontierOptions
from afresh.app.settings import (
    BudgetSettings,
    ErrorSettings,
    KeepSettings,
    LinkSettings,
    LoopSettings,
    NoticeSettings,
    PolitenessSettings,
    PredictSettings,
    PushSettings,
    RevisitSettings,
    WatchSettings,
)
from afresh.core.durations import format_duration, parse_duration
from afresh.errors import ConfigError, ModelError
from afresh.fetch.settings import FetchSettings
from afresh.parse.passwords import HIDDEN, hide_password

ENVIRONMENT_PREFIX = "AFRESH_"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSettings:
    """Where everything is kept."""

    url: str = "afresh.db"

    @property
    def shown(self) -> str:
        """The URL as anybody may see it."""
        return hide_password(self.url)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """The door for browsers and programs."""

    host: str = "127.0.0.1"
    port: int = 8080
    tokens: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    passwords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSettings:
    """What the daemon says while it runs."""

    level: str = "info"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All sections; frozen, so whoever holds it knows it will not change."""

    store: StoreSettings = field(default_factory=StoreSettings)
    fetch: FetchSettings = field(default_factory=FetchSettings)
    politeness: PolitenessSettings = field(default_factory=PolitenessSettings)
    predict: PredictSettings = field(default_factory=PredictSettings)
    revisit: RevisitSettings = field(default_factory=RevisitSettings)
    errors: ErrorSettings = field(default_factory=ErrorSettings)
    keep: KeepSettings = field(default_factory=KeepSettings)
    links: LinkSettings = field(default_factory=LinkSettings)
    loop: LoopSettings = field(default_factory=LoopSettings)
    budget: BudgetSettings = field(default_factory=BudgetSettings)
    notices: NoticeSettings = field(default_factory=NoticeSettings)
    push: PushSettings = field(default_factory=PushSettings)
    service: ServiceSettings = field(default_factory=ServiceSettings)
    frontier: FrontierOptions = field(default_factory=FrontierOptions)
    log: LogSettings = field(default_factory=LogSettings)

    @property
    def watch(self) -> WatchSettings:
        return WatchSettings(
            predict=self.predict,
            revisit=self.revisit,
            politeness=self.politeness,
            errors=self.errors,
            keep=self.keep,
            loop=self.loop,
            budget=self.budget,
        )


Check = Callable[[Any], str | None]  # what is wrong with a value; None: nothing


def _positive(value: float) -> str | None:
    return None if value > 0 else "must be greater than 0"


def _not_negative(value: float) -> str | None:
    return None if value >= 0 else "must not be negative"


def _a_budget(value: float) -> str | None:
    if 0 < value < math.inf:
        return None
    return "is no budget: with it nothing could be asked; leave the option out for no limit"


def _one_of(*choices: str) -> Check:
    return lambda value: None if value in choices else f"must be one of: {', '.join(choices)}"


def _web_address(value: str) -> str | None:
    return None if not value or value.startswith(("https://", "http://")) else "is no address of the web"


def _port(value: int) -> str | None:
    return None if 0 <= value < 65_536 else "must be a port number from 0 (any free one) to 65535"


@dataclass(frozen=True, slots=True)
class Option:
    """What the table says about one setting."""

    help: str
    example: str = ""
    is_duration: bool = False
    check: Check | None = None
    secret: bool = False
    needs_unit: bool = False  # a duration that must say whether it means seconds, minutes or hours


def _seconds(text: str, example: str, check: Check = _positive) -> Option:
    return Option(text, example, is_duration=True, check=check)


def _count(text: str, example: str, check: Check = _positive) -> Option:
    return Option(text, example, check=check)


OPTIONS: Mapping[str, Option] = {
    "store.url": Option("SQLite file, or postgresql://… to share the work among machines", "afresh.db"),
    "fetch.user_agent": Option(
        "how we introduce ourselves; name a page where we can be reached", "afresh/0.1 (+https://…)"
    ),
    "fetch.max_bytes": _count("largest body over the wire, bytes", "1000000"),
    "fetch.max_decoded_bytes": _count("largest body after decompression, bytes", "8000000"),
    "fetch.max_header_bytes": _count("longest header line, bytes", "32768"),
    "fetch.max_headers": _count("most header lines of an answer", "128"),
    "fetch.connect_timeout": _seconds("longest wait for a connection", "20s"),
    "fetch.read_timeout": _seconds("longest silence within an answer", "60s"),
    "fetch.total_timeout": _seconds("longest time for a request with all its redirects", "3m"),
    "fetch.max_redirects": _count("most redirects followed", "10", _not_negative),
    "fetch.allow_private": Option("reach addresses that are not public; switches the address guard off", "false"),
    "fetch.allowed_networks": Option("networks the address guard lets through", '["10.0.0.0/8"]'),
    "fetch.no_cache": Option("send Cache-Control: no-cache with every request", "true"),
    "fetch.concurrency": _count("most connections at a time", "64"),
    "fetch.keep_alive": _seconds("how long an idle connection is kept", "4s"),
    "fetch.dns_ttl": _seconds("how long resolved names are remembered", "60s", _not_negative),
    "fetch.respect_robots": Option("heed robots.txt for pages and links", "true"),
    "fetch.respect_robots_for_feeds": Option("heed robots.txt for subscribed feeds too", "false"),
    "fetch.proxy": Option("HTTP proxy for all requests; empty: none", "http://proxy:3128", secret=True),
    "politeness.delay": _seconds("shortest pause between two requests to a site", "5s", _not_negative),
    "politeness.scope": Option(
        "what counts as one site: host, domain or service", "host", check=_one_of("host", "domain", "service")
    ),
    "politeness.services": Option("more named services, each name=suffix,suffix", '["forum=forum.example.org"]'),
    "politeness.load_factor": _count("also pause this many times the last answer's duration", "10", _not_negative),
    "politeness.trouble_wait": _seconds("pause of a site after a server error or no answer", "60s", _not_negative),
    "politeness.retry_after_cap": _seconds("longest pause a server may ask for", "1d"),
    "predict.rule": Option("the default rule for feeds; `afresh lab list` names them", "priced"),
    "predict.alpha": _seconds("shortest interval between polls of a feed", "1m"),
    "predict.beta": _seconds("longest interval between polls of a feed", "1d"),
    "predict.eta": _seconds("interval where none can be computed", "1h"),
    "predict.ttl": Option(
        "RSS ttl: ignore it, take it as lower bound, or as interval",
        "ignore",
        check=_one_of("ignore", "lower", "interval"),
    ),
    "predict.skips": Option("heed skipHours and skipDays", "false"),
    "predict.clock_offset": Option("correct dates by the offset of the server's clock", "true"),
    "predict.retrain": _seconds("time after which trained profiles are learnt anew", "7d"),
    "revisit.shortest": _seconds("shortest interval between visits of a page", "1m"),
    "revisit.longest": _seconds("longest interval between visits of a page", "30d"),
    "revisit.second_look": _seconds("longest wait between a page's first visit and its second", "1d"),
    "revisit.replan": _seconds("time after which prices and paces of sites are planned anew", "5m"),
    "revisit.sitemap_every": _seconds("time between two readings of a sitemap", "1d"),
    "revisit.pages_per_site": _count("most pages taken from the sitemaps of a site", "100000"),
    "revisit.day": _seconds("how long a day of the watched web lasts; other than 1d for webs in fast motion", "1d"),
    "errors.first_wait": _seconds("pause after a first failure; doubles with each further one", "5m"),
    "errors.longest_wait": _seconds("longest pause after failures", "1d"),
    "errors.block_ratio": _count("failures per success that block a feed; 0: never block", "0", _not_negative),
    "errors.redirect_days": _count("days a permanent redirect must be seen before the URL is changed", "3"),
    "keep.unparsable": _count("unparsable documents kept for study", "200", _not_negative),
    "keep.archive_news": Option("keep the raw document of every poll with news", "false"),
    "keep.visits": _seconds("how far the visit log reaches back", "90d"),
    "keep.content": _count("characters kept of an entry's text", "20000", _not_negative),
    "links.versions": _count("stored versions of a link; the one it is compared with stays besides", "10"),
    "links.checks": _count("remembered checks of a link", "100"),
    "links.failures": _count("failures in a row before a watched link is called broken", "3"),
    "links.days": _count("different days they must fall on", "3"),
    "links.shortest": _seconds("shortest time between two checks of a link", "6h"),
    "links.longest": _seconds("longest time between two checks of a link", "30d"),
    "links.probe": Option("ask a site for a page that cannot exist where a page looks like that", "true"),
    "loop.concurrency": _count("most visits at a time", "64"),
    "loop.lease": _seconds("after this, work of a dead process is handed out again", "5m"),
    "loop.batch": _count("most reports written in one transaction", "200"),
    "loop.flush": _seconds("how long a report waits for company", "50ms", _not_negative),
    "budget.requests_per_hour": _count("requests that may be made in an hour; unset: no limit", "1000", _a_budget),
    "budget.requests_per_minute": _count("the same by the minute", "20", _a_budget),
    "budget.mean_delay": Option(
        "mean delay to reach with the fewest requests, instead of a budget", "20m", True, _a_budget, needs_unit=True
    ),
    "budget.bytes_per_hour": _count("bytes that may be received in an hour; unset: no limit", "100000000", _a_budget),
    "budget.price": _count("price of a request in entry-seconds, to begin with", "1000"),
    "budget.every": _seconds("time between two corrections of the price", "1m"),
    "budget.gain": _count("share of the deviation a correction takes back", "0.3"),
    "budget.horizon": _seconds("how far ahead idle budget may be spent", "15m", _not_negative),
    "budget.lowest_price": _count("the price never falls below", "0.000001"),
    "budget.highest_price": _count("the price never rises above", "1000000000"),
    "notices.every": _seconds("longest time between two looks for something to tell", "5s"),
    "notices.failures": _count("failures in a row before a feed is told of", "3"),
    "notices.batch": _count("most events told in one message", "50"),
    "notices.lease": _seconds("after this, a message of a dead process is sent again", "90s"),
    "notices.first_wait": _seconds("pause after a target took nothing; doubles with each further try", "30s"),
    "notices.longest_wait": _seconds("longest pause between two tries", "6h"),
    "notices.give_up": _seconds("a message no target took in this time is given up", "3d"),
    "notices.keep": _seconds("how long it is remembered what was told", "90d"),
    "push.callback": Option(
        "where WebSub hubs reach us; empty: nothing is subscribed", "https://afresh.example.org", check=_web_address
    ),
    "push.lease": _seconds("how long a subscription is asked for", "10d"),
    "push.safety": _seconds("interval of polls while a hub has proved that it tells", "6h"),
    "push.hub": Option(
        "WebSub hub of our own query feeds; empty: none", "https://hub.example.org/", check=_web_address
    ),
    "service.host": Option("address to listen on; anything but loopback needs tokens or passwords", "127.0.0.1"),
    "service.port": _count("port to listen on; 0: any free one", "8080", _port),
    "service.tokens": Option("bearer tokens of administrators", '["a-long-random-string"]', secret=True),
    "service.passwords": Option(
        "people with a password; `afresh config password NAME` makes an entry", '["anna:scrypt$…"]', secret=True
    ),
    "service.names": Option("host names the service answers to besides loopback", '["afresh.example.org"]'),
    "frontier.url": Option("the frontier's store: a SQLite file, or postgresql://…", "frontier.db"),
    "frontier.workers": _count("scheduler processes (SQLite: one)", "4"),
    "frontier.join_tokens": Option("tokens that let a fetcher register", '["a-long-random-string"]', secret=True),
    "frontier.public_url": Option("where fetchers reach the frontier; empty: as they addressed it", "https://f.e.org"),
    "frontier.allow_private": Option("keep URLs of hosts that are not public", "false"),
    "frontier.keep_keys": _seconds("how long a reported key is remembered", "1d"),
    "frontier.links": Option("keep the link graph, for PageRank, in-degree, OPIC and communities", "true"),
    "frontier.places": Option("table of places for geographic partitioning", "places.csv"),
    "frontier.rank_every": _seconds("time between two rankings of the link graph; 0: never", "1h", _not_negative),
    "log.level": Option("debug, info, warning or error", "info", check=_one_of("debug", "info", "warning", "error")),
}


@dataclass(frozen=True, slots=True)
class Origin:
    """A value and where it came from: "default", a file, "environment" or "command line"."""

    name: str
    value: Any
    source: str
    option: Option

    @property
    def safe_value(self) -> Any:
        """The value for programs; secrets hidden."""
        if self.option.secret and self.value:
            return HIDDEN
        return hide_password(self.value) if isinstance(self.value, str) else self.value

    @property
    def shown(self) -> str:
        """The value for people; secrets hidden, durations readable."""
        if self.option.secret and self.value:
            return HIDDEN
        if self.option.is_duration:
            return format_duration(self.value)
        if isinstance(self.value, bool):
            return "true" if self.value else "false"
        return ", ".join(self.value) if isinstance(self.value, tuple) else str(self.safe_value)


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings with the origin of each value."""

    settings: Settings
    origins: tuple[Origin, ...]


def load_settings(
    *,
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
    overrides: Mapping[str, object] | None = None,
) -> Loaded:
    """Settings from, in rising order: defaults, ``file``, ``environment`` (AFRESH_SECTION_NAME), ``overrides``."""
    given: dict[str, tuple[object, str]] = {}
    given.update({name: (value, str(file)) for name, value in _read_file(file)} if file else {})
    given.update(_from_environment(environment or {}))
    given.update({name: (value, "command line") for name, value in (overrides or {}).items()})
    for name, (_, source) in given.items():
        if name not in OPTIONS:
            raise ConfigError(f"unknown option {name} ({source}){_suggestion(name)}", option=name, source=source)
    sections: dict[str, object] = {}
    origins: list[Origin] = []
    for section in fields(Settings):
        values = {}
        for spec in fields(_section_type(section.name)):
            name = f"{section.name}.{spec.name}"
            value, source = given.get(name, (None, "default"))
            parsed = default_of(spec) if source == "default" else _parse(name, spec, value, source)
            values[spec.name] = parsed
            origins.append(Origin(name, parsed, source, OPTIONS[name]))
        sections[section.name] = _section_type(section.name)(**values)
    settings = Settings(**sections)  # type: ignore[arg-type]  # built from the fields themselves
    _check_together(settings)
    return Loaded(settings, tuple(origins))


def parse_override(text: str) -> tuple[str, str]:
    """``section.name=value`` of the command line."""
    name, equals, value = text.partition("=")
    if not equals:
        raise ConfigError(f"not a setting: {text!r}; write it like --set politeness.delay=10s", option=text)
    return name.strip(), value.strip()


def option_names() -> Iterator[str]:
    """Every option, in the order of the sections."""
    for section in fields(Settings):
        for spec in fields(_section_type(section.name)):
            yield f"{section.name}.{spec.name}"


def default_of(spec: "Field[Any]") -> Any:
    return spec.default if spec.default_factory is MISSING else spec.default_factory()


def _section_type(name: str) -> Any:
    return get_type_hints(Settings)[name]


def _read_file(file: Path) -> Iterator[tuple[str, object]]:
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ConfigError(f"no such settings file: {file}", source=str(file)) from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"cannot read settings file {file}: {error}", source=str(file)) from error
    for section, values in content.items():
        if not isinstance(values, dict):
            raise ConfigError(f"{file}: {section} stands outside a section; write [{section}] first", source=str(file))
        for name, value in values.items():
            yield f"{section}.{name}", value


def _from_environment(environment: Mapping[str, str]) -> dict[str, tuple[object, str]]:
    names = {f"{ENVIRONMENT_PREFIX}{name.replace('.', '_').upper()}": name for name in OPTIONS}
    return {names[key]: (value, f"environment {key}") for key, value in environment.items() if key in names}


def _suggestion(name: str) -> str:
    section, _, wanted = name.partition(".")
    near = [known for known in OPTIONS if known.split(".")[1] == wanted or known.startswith(f"{section}.")]
    return f"; did you mean {near[0]}?" if len(near) == 1 else "; `afresh config show` lists them all"


def _parse(name: str, spec: "Field[Any]", value: object, source: str) -> Any:
    option = OPTIONS[name]
    default = default_of(spec)
    try:
        parsed = _convert(value, default, is_duration=option.is_duration)
    except (ValueError, TypeError, ModelError) as error:
        raise ConfigError(
            f"{name} ({source}): cannot use {value!r}; an accepted example is {option.example}",
            option=name,
            source=source,
        ) from error
    complaint = option.check(parsed) if option.check else None
    if option.needs_unit and complaint is None and not str(value).strip()[-1:].isalpha():
        complaint = "lacks a unit"
    if complaint:
        raise ConfigError(
            f"{name} ({source}): {value!r} {complaint}; an accepted example is {option.example}",
            option=name,
            source=source,
        )
    return parsed


def _convert(value: object, default: object, *, is_duration: bool) -> object:
    if isinstance(default, bool):
        return _as_bool(value)
    if is_duration:
        seconds = parse_duration(value) if isinstance(value, str) else float(value)  # type: ignore[arg-type]
        if math.isnan(seconds):
            raise ValueError("not a number")
        return seconds
    if isinstance(default, int):
        return int(value)  # type: ignore[call-overload]
    if isinstance(default, float):
        return float(value)  # type: ignore[arg-type]
    if isinstance(default, tuple):
        return _as_list(value)
    return str(value)


def _as_bool(value: object) -> bool:
    if isinstance(value, bool):
        return value
    words = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
    return words[str(value).strip().lower()] if str(value).strip().lower() in words else _raise_value()


def _raise_value() -> bool:
    raise ValueError("neither true nor false")


def _as_list(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part.strip() for part in re.split(r"[;\s]+", value) if part.strip())
    if isinstance(value, Sequence):
        return tuple(str(part) for part in value)
    raise ValueError("not a list")


def _check_together(settings: Settings) -> None:
    budget = settings.budget
    given = [name for name in ("requests_per_hour", "requests_per_minute", "mean_delay") if getattr(budget, name)]
    if len(given) > 1:
        raise ConfigError(
            f"budget.{given[0]} and budget.{given[1]} exclude each other; set one of them", option=f"budget.{given[1]}"
        )
    links = settings.links
    if links.shortest > links.longest:
        raise ConfigError(
            "links.shortest ≤ links.longest must hold; they are "
            f"{format_duration(links.shortest)} and {format_duration(links.longest)}",
            option="links.shortest",
        )
    if settings.revisit.shortest > settings.revisit.longest:
        raise ConfigError(
            "revisit.shortest ≤ revisit.longest must hold; they are "
            f"{format_duration(settings.revisit.shortest)}, {format_duration(settings.revisit.longest)}",
            option="revisit.shortest",
        )
    predict = settings.predict
    if not predict.alpha <= predict.eta <= predict.beta:
        raise ConfigError(
            "predict.alpha ≤ predict.eta ≤ predict.beta must hold; they are "
            f"{format_duration(predict.alpha)}, {format_duration(predict.eta)}, {format_duration(predict.beta)}",
            option="predict.eta",
        )
