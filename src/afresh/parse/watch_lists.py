"""What other programs watch of pages, as ours: changedetection.io's list and backup, urlwatch's ``urls.yaml``.

What cannot be carried over is told by name, never dropped in silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from afresh.base.errors import ParseError, UsageError
from afresh.base.records.links import LinkRef
from afresh.base.records.visiting import Visiting
from afresh.base.records.watches import USUAL, Only, Watch
from afresh.parse.encoding import decode
from afresh.parse.listing import LinkList, Lost, address, kept, legal, moment, tags_of, title_of
from afresh.parse.watched_parts import check_selectors

_MOST_YAML = 5_000_000  # bytes
_MOST = 20  # selectors of a kind
_DELIMITED = re.compile(r"/(.+)/([a-z]*)\Z", re.DOTALL)
_UNITS = {"weeks": 604_800, "days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1}
_BROWSERS = ("webdriver", "playwright", "puppeteer", "browser")
#: What changedetection.io keeps of a page that has no equal here, with the value that means nothing.
_THEIRS = (
    "body", "browser_steps", "conditions", "extract_text", "headers", "notification_urls", "notification_body",
    "price_change_threshold_percent", "proxy", "webdriver_js_execute_code", "check_unique_lines",
    "sort_text_alphabetically",
)  # fmt: skip
#: Filters of urlwatch that do what is done here anyway.
_NEEDLESS = frozenset(("html2text", "strip", "striplines", "beautify", "format-json", "pretty-xml", "pdf2text"))
_JOB = frozenset(("url", "navigate", "name", "filter", "tags", "note", "kind", "user_visible_url"))


# --- changedetection.io ----------------------------------------------------------------------------------------------


def read_changedetection(content: Mapping[str, Any], watching: Mapping[str, Any]) -> LinkList:
    """Its pages with what it watches of each."""
    lost = Lost()
    names, usual = _tag_names(content), _seconds(_within(content, "settings", "requests", "time_between_check"))
    links = kept(_changedetection_link(one, names, usual, lost) for one in watching.values() if isinstance(one, dict))
    if targets := _texts(_within(content, "settings", "application", "notification_urls")):
        lost.remark(
            f"notification_urls of the whole list ({len(targets)}): `afresh notice add TARGET --pages` tells of changes"
        )
    return LinkList(format="a list of changedetection.io", **links, lost=lost.told())


def _tag_names(content: Mapping[str, Any]) -> Mapping[str, str]:
    """Titles of tags, which pages name by their numbers."""
    place = _within(content, "settings", "application", "tags")
    tags = place.items() if isinstance(place, dict) else ()
    return {
        key: legal(tag["title"]) for key, tag in tags if isinstance(tag, dict) and isinstance(tag.get("title"), str)
    }


def _within(content: Mapping[str, Any], *keys: str) -> Any:
    """What lies below these names; None: nothing."""
    place: Any = content
    for key in keys:
        place = place.get(key) if isinstance(place, dict) else None
    return place


def _changedetection_link(one: Mapping[str, Any], names: Mapping[str, str], usual: float, lost: Lost) -> LinkRef:
    lost.page = url = address(legal(_text(one.get("url"))))
    tags = [names.get(tag, "") for tag in _texts(one.get("tags"))]
    return LinkRef(
        url=url,
        title=title_of(legal(_text(one.get("title"))), url),
        tags=tags_of(",".join((*tags, legal(_text(one.get("tag")))))),
        saved=moment(one.get("date_created")),
        watch=accepted(_changedetection_watch(one, lost), lost),
        visits=Visiting(paused=bool(one.get("paused"))).to_text(),
        asked_every=_seconds(one.get("time_between_check")) if _has_own_pace(one) else usual,
    )


def _changedetection_watch(one: Mapping[str, Any], lost: Lost) -> Watch:
    for name in _THEIRS:
        if one.get(name):
            lost.note(name)
    if _text(one.get("method")) not in ("", "GET"):
        lost.note("method")
    if _text(one.get("processor")) not in ("", "text_json_diff"):
        lost.note(f"processor {one['processor']}")
    watch = selected(_texts(one.get("include_filters")), lost)
    without = selected(_texts(one.get("subtractive_selectors")), lost)
    for text in (*without.xpath, *without.json_path):
        lost.note(f"subtractive selector {text}")
    return replace(
        watch,
        without_css=without.css,
        ignore=tuple(_line_with(text) for text in _texts(one.get("ignore_text"))),
        appears=_words(one.get("trigger_text"), "trigger_text", lost),
        vanishes=_words(one.get("text_should_not_be_present"), "text_should_not_be_present", lost),
        only=_which(one, lost),
        render=any(name in _text(one.get("fetch_backend")) for name in _BROWSERS),
    )


def _has_own_pace(one: Mapping[str, Any]) -> bool:
    """Whether somebody said how often to look; lists of earlier versions say so by a time alone."""
    pace = one.get("time_between_check")
    is_said = isinstance(pace, dict) and any(pace.values())
    return one.get("time_between_check_use_default", not is_said) is False


def _seconds(pace: Any) -> float:
    """Of weeks, days, hours, minutes and seconds; 0: nothing is said.

    >>> _seconds({"hours": 1, "minutes": 30, "days": None})
    5400.0
    """
    said = pace if isinstance(pace, dict) else {}
    numbers = {name: said.get(name) for name in _UNITS}
    return float(sum(value * _UNITS[name] for name, value in numbers.items() if isinstance(value, int | float)))


def _which(one: Mapping[str, Any], lost: Lost) -> Only:
    added, removed, replaced = (one.get(f"filter_text_{name}", True) for name in ("added", "removed", "replaced"))
    if added and removed:
        return Only.ALL
    if replaced or not (added or removed):
        lost.note("filter_text_replaced")
    return Only.ADDED if added else Only.REMOVED if removed else Only.ALL


def _line_with(text: str) -> str:
    """Lines with a text, or with what a ``/pattern/`` finds, as an expression of what is left out."""
    found = _DELIMITED.match(text)
    inner = f"(?:{found[1]})" if found else re.escape(text)
    return f"(?i).*{inner}.*" if found is None or "i" in found[2] else f".*{inner}.*"


def _words(said: Any, name: str, lost: Lost) -> tuple[str, ...]:
    texts = _texts(said)
    plain = tuple(text for text in texts if not _DELIMITED.match(text))
    if len(plain) < len(texts):
        lost.note(f"{name} with a pattern")
    return plain


# --- urlwatch --------------------------------------------------------------------------------------------------------


def read_urlwatch(body: bytes) -> LinkList:
    """The jobs of a ``urls.yaml``, one a document."""
    import yaml  # noqa: PLC0415 (an extra)

    if len(body) > _MOST_YAML:
        raise ParseError(f"{len(body):,} bytes of YAML, more than the {_MOST_YAML:,} that are read")
    lost = Lost()
    try:
        jobs = list(yaml.safe_load_all(legal(decode(body))))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{mark.line + 1}:{mark.column + 1}" if mark is not None else ""
        words = getattr(error, "problem", None) or "it cannot be read"
        raise ParseError(f"not readable as YAML: {words}", position=place) from error
    return LinkList(format="jobs of urlwatch", **kept(_jobs(jobs, lost)), lost=lost.told())


def _jobs(jobs: Iterable[Any], lost: Lost) -> Iterator[LinkRef]:
    for job in jobs:
        if not isinstance(job, dict):
            continue
        lost.page = url = address(_text(job.get("url")) or _text(job.get("navigate")))
        if not url:
            lost.note("a job that is no page: command" if "command" in job else "a job without an address")
            continue
        for name in job:
            if name not in _JOB:
                lost.note(str(name))
        tags = job.get("tags")
        yield LinkRef(
            url=url,
            title=title_of(_text(job.get("name")), url),
            tags=tags_of(tags if isinstance(tags, str) else ",".join(_texts(tags))),
            note=_text(job.get("note"))[:1_000],
            watch=accepted(replace(_filtered(job.get("filter"), lost), render="navigate" in job), lost),
        )


def _filtered(said: Any, lost: Lost) -> Watch:
    watch = USUAL
    for name, value in _filters(said):
        if name in _NEEDLESS:
            continue
        made = _filter(name, value if isinstance(value, dict) else {"": value}, lost)
        has_parts = watch.css or watch.xpath or watch.json_path
        if made is None or (has_parts and (made.css or made.xpath or made.json_path)):
            lost.note(f"filter {name}")  # a second selector would choose within what the first has chosen
        else:
            watch = _with(watch, made)
    return watch


def _with(watch: Watch, more: Watch) -> Watch:
    """All selectors and expressions of both."""
    names = [one.name for one in fields(watch) if isinstance(getattr(watch, one.name), tuple)]
    return replace(watch, **{name: getattr(watch, name) + getattr(more, name) for name in names})


def _filters(said: Any) -> Iterator[tuple[str, Any]]:
    """Names and values: written as a list, or with commas and colons as they once were."""
    if isinstance(said, str):
        said = [dict([part.split(":", 1)]) if ":" in part else part for part in said.split(",")]
    for one in said if isinstance(said, list) else ():
        if isinstance(one, str):
            yield one.strip(), None
        elif isinstance(one, dict):
            yield from ((str(name).strip(), value) for name, value in one.items())


def _filter(name: str, value: Mapping[str, Any], lost: Lost) -> Watch | None:
    """What it is here; None: nothing."""
    text = _text(next((value[key] for key in ("", "selector", "path", "pattern", "query") if value.get(key)), ""))
    for option in value.keys() - {"", "selector", "path", "pattern", "query", "exclude", "method"}:
        lost.note(f"filter {name}: {option}")
    match name:
        case "css":
            return Watch(css=(text,), without_css=tuple(filter(None, [_text(value.get("exclude"))])))
        case "xpath":
            return Watch(xpath=(text,))
        case "jsonpath":
            return Watch(json_path=(text,))
        case "element-by-id":
            return Watch(css=(f'[id="{text}"]',))
        case "element-by-class":
            return Watch(css=(f'[class~="{text}"]',))
        case "element-by-tag":
            return Watch(css=(text,))
        case "grepi":
            return Watch(ignore=(f".*(?:{text}).*",))
        case "re.sub" if not value.get("repl"):
            return Watch(ignore=(text,))
    return None


# --- both ------------------------------------------------------------------------------------------------------------


def selected(texts: Iterable[str], lost: Lost) -> Watch:
    """Selectors of any kind, told apart by how they begin.

    >>> selected([".price", "xpath://h1", "//h2", "json:$.a"], Lost()).xpath
    ('//h1', '//h2')
    """
    css: list[str] = []
    xpath: list[str] = []
    json_path: list[str] = []
    for text in texts:
        kind, _, rest = text.partition(":")
        if kind in ("xpath", "xpath1"):
            xpath.append(rest)
        elif kind == "json" or text.startswith("$"):
            json_path.append(rest if kind == "json" else text)
        elif kind in ("jq", "jqraw"):
            lost.note(f"selector {text}")
        else:
            (xpath if text.startswith(("/", "(/")) else css).append(text.removeprefix("css:"))
    return Watch(css=tuple(css), xpath=tuple(xpath), json_path=tuple(json_path))


def accepted(watch: Watch, lost: Lost) -> str:
    """As it is stored, without what is no selector here."""
    good: dict[str, Any] = {}
    for one in fields(watch):
        values = getattr(watch, one.name)
        if isinstance(values, tuple):
            good[one.name] = tuple(text for text in values if _is_good(one.name, text, lost))[:_MOST]
    return replace(watch, **good).to_text()


def _is_good(name: str, text: str, lost: Lost) -> bool:
    try:
        single: dict[str, Any] = {name: (text,)}
        check_selectors(replace(USUAL, **single))
    except UsageError as error:
        lost.note(str(error))
        return False
    return True


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else str(value) if isinstance(value, int | float) else ""


def _texts(value: Any) -> list[str]:
    """A list of texts; changedetection.io has kept some of them as lines."""
    found = value.splitlines() if isinstance(value, str) else value if isinstance(value, list) else []
    return [legal(text) for one in found[:1_000] if (text := _text(one))]
