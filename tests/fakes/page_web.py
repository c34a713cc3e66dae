"""Pages as people watch them, each with a script of known changes: what is news on it, and what only moves.

Everything a page shows at a time is computed from its number and the time, so that a run is the same every time.
"""

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

_WORDS = (
    "river", "stone", "winter", "garden", "market", "letter", "window", "bridge", "mountain", "paper", "silver",
    "morning", "harbour", "engine", "village", "colour", "summer", "forest", "island", "kitchen", "station", "theatre",
    "library", "journey", "picture", "planet", "weather", "meadow", "evening", "castle",
)  # fmt: skip
_BANNERS = (
    "Try our new coffee", "Fly to Rome for little money", "Learn to juggle in ten days", "The best shoes of the year",
    "A bank that smiles at you", "Win a bicycle this week",
)  # fmt: skip
_COOKIES = "We use cookies to improve your experience. Accept all cookies or choose your settings."


@dataclass(frozen=True, slots=True)
class WatchedPage:
    """A page: what is news on it at a time, and its document then."""

    kind: str
    url: str
    state: Callable[[float], int]  # grows by one with every change
    document: Callable[[float], tuple[bytes, str]]  # body and content type
    selectors: tuple[str, ...] = ()  # what the documentation would tell one to watch
    is_itself: Callable[[float], bool] = lambda _: True  # False: it shows a wall


def prose(seed: int, sentences: int = 6) -> list[str]:
    """Some sentences."""
    draw = random.Random(seed)
    return [
        " ".join(draw.choice(_WORDS) for _ in range(draw.randint(8, 16))).capitalize() + "." for _ in range(sentences)
    ]


def changing(seed: int, start: float, mean: float, until: float) -> Callable[[float], int]:
    """How often it has changed up to a time; gaps are drawn by lot."""
    draw, times, at = random.Random(seed), list[float](), start
    while at < until:
        at += draw.expovariate(1.0 / mean)
        times.append(at)
    return lambda now: sum(time <= now for time in times)


def _html(title: str, parts: Sequence[str]) -> tuple[bytes, str]:
    nav = "<nav><ul><li><a href='/'>Home</a></li><li><a href='/about'>About us</a></li></ul></nav>"
    body = f"<title>{title}</title>{nav}<h1>{title}</h1>{''.join(parts)}<footer><p>Imprint and contact</p></footer>"
    return body.encode(), "text/html; charset=utf-8"


def _paragraphs(seed: int, state: int) -> list[str]:
    """Prose of which one sentence is another after each change."""
    lines = prose(seed)
    for step in range(1, state + 1):
        lines[step % len(lines)] = prose(seed * 1_000 + step, 1)[0]
    return [f"<p>{line}</p>" for line in lines]


def _noise(now: float, seed: int) -> random.Random:
    return random.Random(f"{seed} {now}")


def _static(seed: int, state: int, now: float) -> tuple[bytes, str]:
    return _html(f"Report {seed}", _paragraphs(seed, state))


def _banner(seed: int, state: int, now: float) -> tuple[bytes, str]:
    banner = _noise(now, seed).choice(_BANNERS)
    return _html(f"Magazine {seed}", [f"<aside class='ad'><p>{banner}</p></aside>", *_paragraphs(seed, state)])


def _dates(seed: int, state: int, now: float) -> tuple[bytes, str]:
    day = datetime.fromtimestamp(now, UTC)
    forms = (f"{day:%A, %d %B %Y, %H:%M}", f"{day:%Y-%m-%d %H:%M:%S}", f"Updated {day:%d.%m.%Y}", f"{day:%B %d, %Y}")
    stamp = forms[seed % len(forms)]
    return _html(f"Office {seed}", [f"<p class='now'>{stamp}</p>", *_paragraphs(seed, state)])


def _counter(seed: int, state: int, now: float) -> tuple[bytes, str]:
    count = 10_000 + int((now - 1.7e9) / 60) * (1 + seed % 3) + _noise(now, seed).randint(0, 3)
    return _html(f"Club {seed}", [*_paragraphs(seed, state), f"<p class='count'>{count:,} visitors so far</p>"])


def _prices(seed: int, state: int, now: float) -> tuple[bytes, str]:
    draw = random.Random(seed)
    cents = 1_000 + draw.randint(0, 9_000)
    for step in range(state):
        cents += (draw.randint(50, 900)) * (1 if step % 3 else -1)
    price = f"<p>Price: <b class='price'>{cents // 100}.{cents % 100:02} €</b> with tax</p>"
    return _html(f"Thing {seed}", [price, *(f"<p>{line}</p>" for line in prose(seed))])


def _cookies(seed: int, state: int, now: float) -> tuple[bytes, str]:
    wall = [f"<div class='consent'><p>{_COOKIES}</p></div>"] if _noise(now, seed).random() < 0.4 else []
    return _html(f"Shop {seed}", [*wall, *_paragraphs(seed, state)])


def _redesigned(seed: int, state: int, now: float) -> tuple[bytes, str]:
    parts = _paragraphs(seed, state)
    look = int(now / (9 * 86_400)) % 3  # another look every nine days, around the same text
    if look == 1:
        parts = [part.replace("<p>", "<div class='text'><span>").replace("</p>", "</span></div>") for part in parts]
    elif look == 2:
        parts = [f"<article>{part}</article>" for part in (*parts[3:], *parts[:3])]
    return _html(f"Studio {seed}", parts)


def _paginated(seed: int, state: int, now: float) -> tuple[bytes, str]:
    items = [f"<li><a href='/{n}'>{prose(seed * 500 + n, 1)[0]}</a></li>" for n in range(state + 20, state, -1)]
    return _html(f"News {seed}", [f"<ul>{''.join(items)}</ul><p>Page 1 of 7</p>"])


def _json(seed: int, state: int, now: float) -> tuple[bytes, str]:
    items = [{"name": word, "stock": (seed + place) % 40} for place, word in enumerate(_WORDS[:8])]
    items[state % 8]["stock"] = 100 + state
    served = datetime.fromtimestamp(now, UTC).isoformat(timespec="seconds")
    return json.dumps({"served": served, "items": items}).encode(), "application/json"


def _has_wall(seed: int, now: float) -> bool:
    return _noise(now, seed).random() < 0.15


def _walled(seed: int, state: int, now: float) -> tuple[bytes, str]:
    if _has_wall(seed, now):
        wall = "<title>Just a moment</title><h1>Checking your browser</h1><p>Please complete the captcha to go on.</p>"
        return wall.encode(), "text/html"
    return _html(f"Portal {seed}", _paragraphs(seed, state))


#: by kind: how a document is made, what one would watch, and days between two changes
_KINDS: dict[str, tuple[Callable[[int, int, float], tuple[bytes, str]], tuple[str, ...], float]] = {
    "static": (_static, (), 3.0),
    "banner": (_banner, ("p:not(.ad p)",), 3.0),
    "dates": (_dates, ("p:not(.now)",), 3.0),
    "counter": (_counter, ("p:not(.count)",), 3.0),
    "prices": (_prices, (".price",), 1.5),
    "cookies": (_cookies, ("p:not(.consent p)",), 3.0),
    "redesign": (_redesigned, (), 3.0),
    "paginated": (_paginated, ("ul",), 1.0),
    "json": (_json, ("$.items",), 2.0),
    "walls": (_walled, (), 3.0),
}


def page_web(each: int, *, start: float, until: float) -> list[WatchedPage]:
    """So many pages of each kind."""
    return [_page(kind, number, start=start, until=until) for kind in _KINDS for number in range(each)]


def _page(kind: str, number: int, *, start: float, until: float) -> WatchedPage:
    make, selectors, days = _KINDS[kind]
    seed = 100 * (1 + list(_KINDS).index(kind)) + number
    state = changing(seed, start, days * 86_400.0, until)
    return WatchedPage(
        kind=kind,
        url=f"http://{kind}{number}.example/page",
        state=state,
        document=lambda now: make(seed, state(now), now),
        selectors=selectors,
        is_itself=lambda now: kind != "walls" or not _has_wall(seed, now),
    )
