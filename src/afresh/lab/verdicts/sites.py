"""Generated sites whose pages change as pages do: the replacement for the thesis's archived sets.  Spec §9.1–9.2.

Set 1 is academic (home pages, courses, lists), set 2 mixed (news, shops, portals; hardly any heading tags, mostly
site roots). The version counts are those of the thesis.
"""

import html
import random
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field

from afresh.lab.verdicts.prose import paragraph, phrase, sentence, vocabulary

#: Versions of each of the 31 and 20 addresses.  [M03] App. A.
VERSIONS_1 = (6, 5, 7, 9, 4, 4, 11, 6, 8, 14, 11, 9, 6, 2, 9, 6, 9, 6, 7, 1, 2, 1, 11, 3, 2, 5, 11, 3, 6, 7, 8)
VERSIONS_2 = (27, 4, 14, 1, 2, 31, 10, 28, 31, 3, 22, 3, 6, 2, 13, 10, 7, 5, 12, 18)


@dataclass(slots=True)
class Item:
    """An entry of a list: a text, and a link in it unless the address is empty."""

    text: str
    name: str = ""
    address: str = ""


@dataclass(slots=True)
class Section:
    """A heading with prose and a list below."""

    heading: str
    prose: list[str]
    items: list[Item]


@dataclass(slots=True)
class Site:
    """What the pages of one host share."""

    host: str
    words: tuple[str, ...]
    menu: list[Item]
    footer: str


@dataclass(slots=True)
class Page:
    """A page as its author thinks of it; ``style`` says how it is written as HTML."""

    site: Site
    path: str
    title: str
    sections: list[Section]
    style: str
    counter: int = 1000
    banner: str = ""
    note: str = ""  # a comment in the source nobody sees
    topics: tuple[str, ...] = ()

    @property
    def url(self) -> str:
        return f"http://{self.site.host}{self.path}"


@dataclass(slots=True)
class Timeline:
    """The versions of one page: documents, and for each step what was done to the page."""

    url: str
    site: str
    bodies: list[bytes] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)  # one less than bodies


STYLES = ("tables", "fonts", "plain", "semantic", "divs")


_MENU = (
    "Home",
    "Contact",
    "News",
    "Links",
    "Search",
    "Help",
    "About",
    "Projects",
    "People",
    "Research",
    "Products",
    "Map",
)
#: Addresses half the web linked to.
_KNOWN = (
    "http://www.altavista.example/",
    "http://www.netscape.example/",
    "http://www.counter.example/",
    "http://www.w3.example/",
)


def make_site(rng: random.Random, number: int) -> Site:
    words = vocabulary(rng, 260)
    menu = [Item("", name, f"/{name.lower()}.html") for name in rng.sample(_MENU, rng.randint(3, 7))]
    menu += [Item("", phrase(rng, words[:60]), f"/{rng.choice(words)}.html") for _ in range(rng.randint(1, 5))]
    menu += [Item("", address.split(".")[1].capitalize(), address) for address in rng.sample(_KNOWN, rng.randint(0, 2))]
    return Site(host=f"www.{words[0]}{number}.example", words=words, menu=menu, footer=phrase(rng, words))


def make_page(rng: random.Random, site: Site, path: str, style: str, size: int) -> Page:
    """A page of ``size`` sections; it leans on a part of the site's vocabulary."""
    topics = tuple(rng.sample(site.words, 150))
    sections = [make_section(rng, topics) for _ in range(size)]
    return Page(site=site, path=path, title=phrase(rng, topics), sections=sections, style=style, topics=topics)


def make_section(rng: random.Random, words: tuple[str, ...]) -> Section:
    return Section(
        phrase(rng, words),
        [paragraph(rng, words) for _ in range(rng.randint(0, 3))],
        [make_item(rng, words) for _ in range(rng.randint(2, 9))],
    )


def make_item(rng: random.Random, words: tuple[str, ...]) -> Item:
    return Item(sentence(rng, words), phrase(rng, words), f"{rng.choice(words)}-{rng.randint(1, 99)}.html")


# --- what happens to pages, without becoming other pages -------------------------------------------------------------


def _nothing(page: Page, rng: random.Random) -> None:
    """The same bytes again."""


def _markup(page: Page, rng: random.Random) -> None:
    page.note = f"generated {rng.randint(1, 10**6)}"


def _count(page: Page, rng: random.Random) -> None:
    page.counter += rng.randint(1, 500)


def _add_items(page: Page, rng: random.Random) -> None:
    section = rng.choice(page.sections)
    for _ in range(rng.randint(1, 3)):
        section.items.insert(rng.randint(0, len(section.items)), make_item(rng, page.topics))
    page.counter += 1


def _drop_item(page: Page, rng: random.Random) -> None:
    section = rng.choice(page.sections)
    if len(section.items) > 1:
        section.items.pop(rng.randrange(len(section.items)))
    page.counter += 1


def _edit_prose(page: Page, rng: random.Random) -> None:
    section = rng.choice(page.sections)
    section.prose = [*section.prose[1:], paragraph(rng, page.topics)]


def _reorder(page: Page, rng: random.Random) -> None:
    rng.shuffle(page.sections)


def _new_section(page: Page, rng: random.Random) -> None:
    page.sections.insert(rng.randint(0, len(page.sections)), make_section(rng, page.topics))


def _sessions(page: Page, rng: random.Random) -> None:
    mark = rng.randint(10**6, 10**7)
    for section in page.sections:
        for item in section.items:
            item.address = f"{item.address.partition('?')[0]}?sid={mark}"


def _banner(page: Page, rng: random.Random) -> None:
    page.banner = sentence(rng, vocabulary(rng, 40))


def _refresh_news(page: Page, rng: random.Random) -> None:
    """All items new, headings and frame kept: a news page the next day, a course the next term."""
    for section in page.sections:
        section.items = [make_item(rng, page.topics) for _ in section.items]
        section.prose = [paragraph(rng, page.topics) for _ in section.prose]


def _redesign(page: Page, rng: random.Random) -> None:
    page.style = rng.choice([style for style in STYLES if style != page.style])


def _rewrite(page: Page, rng: random.Random) -> None:
    """A new look and mostly new text below the old menu: what makes recall hard."""
    _redesign(page, rng)
    page.title = phrase(rng, page.topics)
    keep = rng.randint(0, len(page.sections) // 3)
    page.sections = page.sections[:keep] + [make_section(rng, page.topics) for _ in range(len(page.sections) - keep)]


def _overturn(page: Page, rng: random.Random) -> None:
    """Another beginning: new words, menu, look; an entrance page, say. Nobody could tell it from another page."""
    _redesign(page, rng)
    page.topics = vocabulary(rng, 150)
    page.site = make_site(rng, rng.randint(100, 999))
    page.title = phrase(rng, page.topics)
    page.sections = [make_section(rng, page.topics) for _ in range(rng.randint(1, 5))]


def _grow(page: Page, rng: random.Random) -> None:
    page.sections += [make_section(rng, page.topics) for _ in page.sections]


Operator = Callable[[Page, random.Random], None]
OPERATORS: dict[str, Operator] = {
    "nothing": _nothing, "markup": _markup, "count": _count, "add": _add_items, "drop": _drop_item, "edit": _edit_prose,
    "reorder": _reorder, "section": _new_section, "sessions": _sessions, "banner": _banner, "refresh": _refresh_news,
    "redesign": _redesign, "rewrite": _rewrite, "overturn": _overturn, "grow": _grow,
}  # fmt: skip
#: Changes that are benign to a referential reader and not to an attributive one.  Spec §9.3, grey zone.
GREY = frozenset({"refresh", "rewrite", "overturn"})
#: How often each happens, set so that identical sources and texts are as frequent as in the thesis (23 and 30 % of the
#: pairs of set 1, 2 and 19 % of set 2), and few pages are rewritten.
MIX_1 = {
    "nothing": 26, "markup": 5, "count": 14, "add": 20, "drop": 7, "edit": 8, "reorder": 2, "section": 5, "sessions": 1,
    "refresh": 3, "redesign": 3, "rewrite": 3, "overturn": 4, "grow": 2,
}  # fmt: skip
MIX_2 = {
    "nothing": 3, "markup": 15, "count": 8, "add": 14, "drop": 4, "edit": 6, "banner": 12, "sessions": 3, "section": 4,
    "refresh": 18, "redesign": 3, "rewrite": 5, "overturn": 5, "grow": 2,
}  # fmt: skip


def make_timelines(
    rng: random.Random, versions: tuple[int, ...], mix: dict[str, int], *, mixed: bool
) -> list[Timeline]:
    """One site a timeline; ``mixed``: roots of commercial sites, nearly all without heading tags."""
    found = []
    for number, count in enumerate(versions):
        site = make_site(rng, number)
        path = "/" if mixed else f"/~{site.words[1]}/{rng.choice(('', 'index.html', 'teaching.html'))}"
        style = (
            rng.choice(("tables", "divs"))
            if mixed and rng.random() < 0.88
            else rng.choice(("fonts", "plain", "semantic"))
        )
        page = make_page(rng, site, path, style, rng.randint(3, 8))
        found.append(evolve(page, count, mix, rng))
    return found


def evolve(page: Page, count: int, mix: dict[str, int], rng: random.Random) -> Timeline:
    """The page through ``count`` versions."""
    page = deepcopy(page)
    timeline = Timeline(page.url, page.site.host, [render(page)])
    for name in rng.choices(list(mix), list(mix.values()), k=count - 1):
        OPERATORS[name](page, rng)
        timeline.bodies.append(render(page))
        timeline.steps.append(name)
    return timeline


# --- HTML of 1997 and of today ---------------------------------------------------------------------------------------


def render(page: Page) -> bytes:
    """The page as a document in its style."""
    menu = "\n".join(f"<li><a href='{item.address}'>{html.escape(item.name)}</a></li>" for item in page.site.menu)
    body = "\n".join(_section(section, page.style) for section in page.sections)
    banner = f"<p>{page.banner}</p>" if page.banner else ""
    note = f"<!-- {page.note} -->" if page.note else ""
    foot = f"{page.site.footer} visitor {page.counter}"
    head = f"<title>{page.title} - {page.site.footer}</title>"
    if page.style == "semantic":
        shell = (
            f"<!doctype html><html lang='en'><head>{head}</head><body><nav><ul>{menu}</ul></nav>{banner}"
            f"<main><h1>{page.title}</h1>{body}</main><footer>{foot}</footer>{note}</body></html>"
        )
    elif page.style == "divs":
        shell = (
            f"<!DOCTYPE html><html><head>{head}<style>.t{{font-weight:bold}}</style></head><body><div id='nav'>"
            f"<ul>{menu}</ul></div>"
            f"{banner}<div id='content'><div class='t'>{page.title}</div>{body}</div><div id='foot'>{foot}"
            f"</div>{note}</body></html>"
        )
    elif page.style == "tables":
        shell = (
            f"<html><head>{head}</head><body bgcolor=white><table><tr><td width=150><ul>{menu}</ul></td><td>{banner}"
            f"<b>{page.title}</b>{body}</td></tr></table><hr>{foot}{note}</body></html>"
        )
    else:
        top = f"<font size=+3><b>{page.title}</b></font>" if page.style == "fonts" else f"<h1>{page.title}</h1>"
        shell = f"<html><head>{head}</head><body>{top}{banner}{body}<hr><ul>{menu}</ul><address>{foot}"
        f"</address>{note}</body></html>"
    return shell.encode()


def _section(section: Section, style: str) -> str:
    heading = {
        "semantic": f"<section><h2>{section.heading}</h2>",
        "plain": f"<h2>{section.heading}</h2>",
        "fonts": f"<p><font size=4>{section.heading}</font></p>",
        "divs": f"<div class='t'>{section.heading}</div>",
        "tables": f"<p><b>{section.heading}</b></p>",
    }[style]
    prose = "".join(f"<p>{text}</p>" for text in section.prose)
    items = "".join(_item(item, style) for item in section.items)
    listing = f"<table>{items}</table>" if style == "tables" else f"<ul>{items}</ul>"
    return heading + prose + listing + ("</section>" if style == "semantic" else "")


def _item(item: Item, style: str) -> str:
    link = f"<a href='{item.address}'>{item.name}</a>"
    if style == "tables":
        return f"<tr><td>{link}</td><td>{item.text}</td></tr>"
    if style == "divs":
        return f"<li><div>{link}</div><div>{item.text}</div></li>"
    return f"<li>{link} {item.text}</li>"
