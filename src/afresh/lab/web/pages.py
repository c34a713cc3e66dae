"""Pages of the demo web: start pages that announce feeds, stories that link to each other and change, robots.txt."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from afresh.lab.web.words import paragraph, sentence

STORIES = 6  # a site


@dataclass(frozen=True, slots=True)
class Announcement:
    """A feed as a start page announces it."""

    href: str
    media_type: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Robots:
    """A site's robots.txt; ``exists`` False means 404, which allows everything."""

    exists: bool = True
    crawl_delay: float | None = None
    disallow: tuple[str, ...] = ()

    def text(self) -> str:
        lines = ["User-agent: *", *(f"Disallow: {path}" for path in self.disallow)]
        if self.crawl_delay is not None:
            lines.append(f"Crawl-delay: {self.crawl_delay:g}")
        return "\n".join([*lines, "Allow: /", ""])

    def allows(self, path: str) -> bool:
        return not any(path.startswith(prefix) for prefix in self.disallow)


def changes(*, seed: int | str, path: str, start: float, day: float) -> Iterator[float]:
    """When the text of a page changes: whole seconds, independent gaps, the mean between one and ten demo days."""
    rng = random.Random(f"{seed}{path}")
    mean = day * 10 ** rng.random()
    offset = 0.0
    last = 0
    while True:
        offset += rng.expovariate(1 / mean)
        if int(offset) > last:
            last = int(offset)
            yield start + last


def story_path(number: int) -> str:
    return f"/story/{number % STORIES + 1}"


def start_page(*, title: str, announced: Sequence[Announcement], neighbours: Sequence[str], private: bool) -> str:
    """A site's start page with its feeds in the head ([R12] Listing 3.1)."""
    head = "".join(
        f'<link rel="alternate" type="{one.media_type}" title="{escape(one.title)}" href="{escape(one.href)}">\n'
        for one in announced
    )
    stories = [(story_path(number), f"Story {number + 1}") for number in range(STORIES)]
    links = [*stories, ("/about", "About us"), *(("/private/ledger", "Not for robots"),) * private]
    links += [(url, f"Our neighbours, no. {number}") for number, url in enumerate(neighbours, 1)]
    return _page(title, head, f"<h1>{escape(title)}</h1>\n<ul>{_list(links)}</ul>")


def text_page(*, seed: int | str, title: str, path: str, version: int, links: Sequence[str]) -> str:
    """A page of three paragraphs; each version rewrites one of them and leaves the others."""
    rng = random.Random(f"{seed}{path}")
    heading, stable, closing = sentence(rng), paragraph(rng, 5), paragraph(rng, 4)
    current = paragraph(random.Random(f"{seed}{path}/{version}"), 4)
    body = "".join(f"<p>{escape(text)}</p>\n" for text in (stable, current, closing))
    listed = _list([(link, link) for link in links])
    return _page(f"{heading} – {title}", "", f"<h1>{escape(heading)}</h1>\n{body}<ul>{listed}</ul>")


def entry_page(*, title: str, heading: str, summary: str) -> str:
    """The page an entry of a feed links to; it never changes."""
    body = f"<h1>{escape(heading)}</h1>\n<p>{escape(summary)}</p>\n<p><a href='/'>{escape(title)}</a></p>"
    return _page(f"{heading} – {title}", "", body)


def _list(links: Sequence[tuple[str, str]]) -> str:
    return "".join(f'<li><a href="{escape(href)}">{escape(text)}</a></li>\n' for href, text in links)


def _page(title: str, head: str, body: str) -> str:
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>\n{head}</head>\n'
        f"<body>\n{body}\n</body></html>\n"
    )
