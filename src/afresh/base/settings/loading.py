"""Reading settings: defaults, a file, the environment, the command line; and where each value came from."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from operator import attrgetter
from pathlib import Path
from typing import Any

from afresh.base.durations import format_duration, parse_duration
from afresh.base.errors import ConfigError
from afresh.base.passwords import HIDDEN, hide_password
from afresh.base.settings.options import OPTIONS, RENAMED, RETIRED, Option
from afresh.base.settings.sections import Settings
from afresh.base.value_class import dataclass

ENVIRONMENT_PREFIX = "AFRESH_"
_TRUTHS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
#: durations of which the first must not exceed the second
_ORDERED = (
    ("links.shortest", "links.longest"),
    ("revisit.shortest", "revisit.longest"),
    ("hygiene.shortest_revisit", "hygiene.longest_revisit"),
    ("hygiene.retry", "hygiene.longest_retry"),
)


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
    hints: tuple[str, ...] = ()  # what whoever wrote them should change


def load_settings(
    *,
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
    overrides: Mapping[str, object] | None = None,
) -> Loaded:
    """Settings from, in rising order: defaults, ``file``, ``environment`` (AFRESH_SECTION_NAME), ``overrides``."""
    sources: list[dict[str, tuple[object, str]]] = [
        {name: (value, str(file)) for name, value in _read_file(file)} if file else {},
        _from_environment(environment or {}),
        {name: (value, "command line") for name, value in (overrides or {}).items()},
    ]
    hints = [hint for source in sources for hint in _by_their_names(source)]
    given = {name: value for source in sources for name, value in source.items()}
    for name, (_, source) in given.items():
        if name not in OPTIONS:
            raise ConfigError(f"unknown option {name} ({source}){_suggestion(name)}", option=name, source=source)
    sections: dict[str, object] = {}
    origins: list[Origin] = []
    for section, defaults in vars_of(Settings()):
        values = {}
        for key, default in vars_of(defaults):
            name = f"{section}.{key}"
            value, source = given.get(name, (default, "default"))
            values[key] = value if source == "default" else _parse(name, default, value, source)
            origins.append(Origin(name, values[key], source, OPTIONS[name]))
        sections[section] = type(defaults)(**values)
    settings = Settings(**sections)  # type: ignore[arg-type]  # built from the fields themselves
    _check_together(settings)
    return Loaded(settings, tuple(origins), tuple(hints))


def _by_their_names(given: dict[str, tuple[object, str]]) -> Iterator[str]:
    """Gives settings the names they have now, and says which were renamed; a value under the new name goes first."""
    for old in [name for name in given if name in RENAMED]:
        value, source = given.pop(old)
        given.setdefault(RENAMED[old], (value, source))
        yield f"{old} ({source}) is called {RENAMED[old]} now; the old name works until the next version"
    for old in [name for name in given if name in RETIRED]:
        _, source = given.pop(old)
        yield f"{old} ({source}) has no effect any more: {RETIRED[old]}"


def parse_override(text: str) -> tuple[str, str]:
    """``section.name=value`` of the command line."""
    name, equals, value = text.partition("=")
    if not equals:
        raise ConfigError(f"not a setting: {text!r}; write it like --set politeness.delay=10s", option=text)
    return name.strip(), value.strip()


def option_names() -> Iterator[str]:
    """Every option, in the order of the sections."""
    for section, defaults in vars_of(Settings()):
        for name, _ in vars_of(defaults):
            yield f"{section}.{name}"


def vars_of(settings: Any) -> Iterator[tuple[str, Any]]:
    """Names and values of all settings, or of those of a section."""
    for field in fields(settings):
        yield field.name, getattr(settings, field.name)


def _read_file(file: Path) -> Iterator[tuple[str, object]]:
    import tomllib  # noqa: PLC0415 (where there is a file)

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
    names = {f"{ENVIRONMENT_PREFIX}{name.replace('.', '_').upper()}": name for name in (*OPTIONS, *RENAMED, *RETIRED)}
    return {names[key]: (value, f"environment {key}") for key, value in environment.items() if key in names}


def _suggestion(name: str) -> str:
    """The options that were perhaps meant: of the same name in another section, else of a similar name."""
    from difflib import get_close_matches  # noqa: PLC0415 (somebody mistyped)

    wanted = name.rpartition(".")[2]
    near = [known for known in OPTIONS if known.rpartition(".")[2] == wanted] or get_close_matches(name, OPTIONS)
    return f"; did you mean {' or '.join(near[:3])}?" if near else "; `afresh config show` lists them all"


def _parse(name: str, default: object, value: object, source: str) -> Any:
    option = OPTIONS[name]
    try:
        parsed = _convert(value, default, option)
    except (ValueError, TypeError, LookupError) as error:
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


def _convert(value: object, default: object, option: Option) -> object:
    if isinstance(default, bool):
        return _TRUTHS[str(value).strip().lower()]
    if option.is_duration:
        seconds = parse_duration(value) if isinstance(value, str) else float(value)  # type: ignore[arg-type]
        if math.isnan(seconds):
            raise ValueError("not a number")
        return seconds
    if isinstance(default, int):
        return int(value)  # type: ignore[call-overload]
    if isinstance(default, float):
        return float(value)  # type: ignore[arg-type]
    if isinstance(default, tuple):
        return _as_list(value, r"[;,\s]+" if option.commas else r"[;\s]+")
    return str(value)


def _as_list(value: object, between: str) -> tuple[str, ...]:
    if isinstance(value, str) and value.strip().startswith("["):  # as in a file, and as the reference shows it
        import tomllib  # noqa: PLC0415 (few values are written so)

        try:
            value = tomllib.loads(f"list = {value}")["list"]
        except tomllib.TOMLDecodeError as error:
            raise ValueError("not a list") from error
    if isinstance(value, str):
        return tuple(part.strip() for part in re.split(between, value) if part.strip())
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
    for smaller, larger in _ORDERED:
        low, high = attrgetter(smaller, larger)(settings)
        if low > high:
            raise ConfigError(
                f"{smaller} ≤ {larger} must hold; they are {format_duration(low)} and {format_duration(high)}",
                option=smaller,
            )
    predict = settings.predict
    if not predict.shortest <= predict.standard <= predict.longest:
        raise ConfigError(
            "predict.shortest ≤ predict.standard ≤ predict.longest must hold; they are "
            + ", ".join(format_duration(value) for value in (predict.shortest, predict.standard, predict.longest)),
            option="predict.standard",
        )
