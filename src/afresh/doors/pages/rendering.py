"""Templates and the words they use: everything is escaped, links are only ever http(s)."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlencode, urlsplit

from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import Response

from afresh.base.durations import format_duration
from afresh.base.iso_times import from_iso
from afresh.base.plain_numbers import counted
from afresh.base.search_words import marks, words_sought
from afresh.doors.presenting.checks import alike_words, status_words
from afresh.doors.presenting.explained_numbers import number_name, quantity
from afresh.doors.presenting.times import ago, upcoming
from afresh.doors.rest.encoding import Json

if TYPE_CHECKING:
    from afresh.doors.rest.context import ServiceContext

_LINK = re.compile(r"https?://[^\s\x00-\x1f\x7f\\]+", re.IGNORECASE)
_MAX_TEXT = 300
#: The pages that most people need, in the order of the navigation; those that few do come behind "More".
PLACES = (
    ("/", "Overview"),
    ("/entries", "Entries"),
    ("/resources", "Resources"),
    ("/links", "Links"),
    ("/queries", "Query feeds"),
    ("/notices", "Notices"),
    ("/import", "Add"),
    ("/settings", "Settings"),
)
MORE_PLACES = (("/sites", "Sites"), ("/learning", "Learning"), ("/fetchers", "Fetchers"), ("/lab", "Lab"))


class Dated(Protocol):
    """What a page shows, as of a time."""

    @property
    def at(self) -> str | None: ...


def safe_link(url: str | None) -> str:
    """The URL if a browser may be sent there, else nothing.

    >>> safe_link("https://example.org/a"), safe_link("javascript:alert(1)")
    ('https://example.org/a', '')
    """
    return url if url and _LINK.fullmatch(url) else ""


def host_of(url: str) -> str:
    """The host, for showing; the URL itself where it has none."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2] or url
    except ValueError:
        return url


def shorten(text: str, limit: int = _MAX_TEXT) -> str:
    """Foreign text at a length a page can bear, white space made plain.

    >>> shorten("a  b", 10), shorten("abcdef", 4)
    ('a b', 'abc…')
    """
    plain = " ".join(text[: limit * 4].split())
    return plain if len(plain) <= limit else plain[: limit - 1] + "…"


def clock(text: str | None, now: float) -> str:
    """The time of day, with the date if that is not today's (UTC).

    >>> clock("1970-01-01T00:01:02.000Z", 0.0), clock("1970-01-02T00:00:00.000Z", 0.0)
    ('00:01:02', '1970-01-02 00:00')
    """
    if text is None:
        return ""
    today = datetime.fromtimestamp(now, UTC).date().isoformat()
    day, _, rest = text.partition("T")
    return rest[:8] if day == today else f"{day} {rest[:5]}"


def amount(value: float | None) -> str:
    """A number with thousands apart.

    >>> amount(1234567), amount(2.345), amount(None)
    ('1,234,567', '2.3', '–')
    """
    if value is None:
        return "–"
    return f"{value:,.0f}" if float(value).is_integer() or abs(value) >= 100 else f"{value:,.1f}"


def size(count: int) -> str:
    """Bytes in a unit people read.

    >>> size(999), size(20_480)
    ('999 B', '20 kB')
    """
    value, unit = float(count), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if value < 1000:
            break
        value, unit = value / 1000, larger
    return f"{value:.0f} {unit}"


def duration(seconds: float | None) -> str:
    """A length of time in words."""
    return "–" if seconds is None else format_duration(seconds)


def exact_duration(seconds: float | None) -> str:
    """A length of time that means just this when it is read again; empty: none.

    >>> exact_duration(5400.0), exact_duration(86_400), exact_duration(1.5), exact_duration(None)
    ('90m', '1d', '1.5s', '')
    """
    if seconds is None:
        return ""
    for length, unit in ((86_400, "d"), (3_600, "h"), (60, "m")):
        if seconds and seconds % length == 0:
            return f"{seconds / length:.0f}{unit}"
    return f"{seconds:.10g}s"


def marked(text: str) -> Markup:
    """Our own words, with what stands between back-ticks as code.

    >>> marked("see `afresh lab list` & co")
    Markup('see <code>afresh lab list</code> &amp; co')
    """
    return Markup(re.sub(r"(`+)(.+?)\1", r"<code>\2</code>", str(escape(text))))  # noqa: S704  # escaped before


def with_words(text: str, q: str) -> Markup:
    """A text in which the words that were looked for are marked.

    >>> with_words("a < Bridge", "bridge")
    Markup('a &lt; <mark>Bridge</mark>')
    """
    pieces = (f"<mark>{escape(piece)}</mark>" if hit else escape(piece) for piece, hit in marks(text, words_sought(q)))
    return Markup("".join(pieces))  # noqa: S704  # escaped before


def without_scheme(url: str) -> str:
    """A URL as short as it can be recognised."""
    return url.partition("://")[2].removesuffix("/") or url


def coming(text: str | None, now: float) -> str:
    """When a visit comes: "in 5m", or that it is due, and for how long."""
    return upcoming(from_iso(text), now)


def query(**parts: object) -> str:
    """A query string of what is set.

    >>> query(view="all", q="", after=None)
    '?view=all'
    """
    text = urlencode({name: value for name, value in parts.items() if value not in (None, "")})
    return f"?{text}" if text else "?"


_FILTERS = (
    safe_link,
    host_of,
    shorten,
    ago,
    coming,
    clock,
    amount,
    counted,
    size,
    duration,
    exact_duration,
    marked,
    with_words,
    quantity,
    number_name,
    without_scheme,
    alike_words,
    status_words,
)


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for filter_ in _FILTERS:
        environment.filters[filter_.__name__] = filter_
    environment.globals["query"] = query
    environment.globals["places"], environment.globals["more_places"] = PLACES, MORE_PLACES
    environment.globals["parts"] = environment.get_template("parts.html").module
    return environment


_ENVIRONMENT = _environment()


def is_twin(request: Request) -> bool:
    """Whether a page is asked for as JSON."""
    return request.url.path.endswith(".json")


def show(request: Request, name: str, context: "ServiceContext", page: "Dated", /, **values: Any) -> Response:
    """A page of the daemon from its template, or its twin where the address asks for JSON."""
    if is_twin(request):
        return Json(page)
    return render(name, page=page, now=from_iso(page.at), version=context.version, **values)


def render(name: str, status: int = 200, headers: Mapping[str, str] | None = None, /, **values: Any) -> HTMLResponse:
    """A page from its template."""
    text = _ENVIRONMENT.get_template(name).render(**values)
    # Lone surrogates of a foreign document cannot be sent; a question mark can.
    body = text.encode("utf-8", "replace")
    return HTMLResponse(body, status_code=status, headers=dict(headers) if headers else None)
