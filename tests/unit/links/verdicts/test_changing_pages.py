"""Pages whose content changes by nature, in many lay-outs and languages, and other pages that look like them."""

import random
from collections.abc import Callable, Sequence

import pytest

from afresh.base.records.links import Usage
from afresh.lab.verdicts.prose import paragraph, phrase, sentence, vocabulary
from afresh.links.measures.profile import Profile
from afresh.links.verdicts.blocks import blocks_of
from afresh.links.verdicts.calendar_words import says_that_it_changes
from afresh.links.verdicts.comparison import judge_pages
from afresh.links.verdicts.model import default_model
from afresh.links.verdicts.without_model import Verdict
from afresh.parse.page import parse_page

MENU = ("Harbour", "Boats", "Tides", "Team", "Find us")


def page(
    body: str, *, url: str, title: str, lang: str = "en", menu: Sequence[str] = MENU, foot: str = "Imprint"
) -> Profile:
    """In a frame of a site: an aside with its menu, and a foot with two links."""
    items = "".join(f'<a class="item" href="/m{n}">{label}</a>' for n, label in enumerate(menu))
    text = (
        f"<!doctype html><html lang='{lang}'><head><title>{title}</title></head><body>"
        f"<div class='side'>{items}</div><div class='body'>{body}</div>"
        f"<div class='foot'><a href='/imprint'>{foot}</a> <a href='/privacy'>Privacy</a></div></body></html>"
    )
    return Profile(parse_page(text.encode(), url=f"https://harbour.example{url}"))


def judged(old: Profile, new: Profile, usage: Usage = Usage.REFERENTIAL) -> Verdict:
    return judge_pages(old, new, model=default_model(), usage=usage)


class Words:
    """Made-up words of one day."""

    def __init__(self, seed: str) -> None:
        self.rng = random.Random(seed)
        self.words = vocabulary(random.Random("site"), 300) + vocabulary(self.rng, 300)

    def head(self) -> str:
        return " ".join(phrase(self.rng, self.words) for _ in range(2))

    def line(self) -> str:
        return sentence(self.rng, self.words)

    def text(self, count: int = 3) -> str:
        return "".join(f"<p>{paragraph(self.rng, self.words)}</p>" for _ in range(count))

    def number(self, top: int = 99) -> int:
        return self.rng.randint(1, top)


def cards(w: Words) -> str:
    """A section of a paper: each card one link around a headline and a teaser."""
    card = "<a class=card href='/s/{0}'><h3>{1}</h3><p>{2}</p></a>"
    return "<h1>Regional</h1>" + "".join(card.format(w.number(99999), w.head(), w.line()) for _ in range(9))


def full_posts(w: Words) -> str:
    """A blog that shows its newest posts at full length."""
    post = "<section><h2><a href='/{0}'>{1}</a></h2>{2}</section>"
    return "<h1>Logbuch</h1>" + "".join(post.format(w.number(9999), w.head(), w.text(2)) for _ in range(4))


def dated_rows(w: Words) -> str:
    """What is on, as a table: when and what."""
    row = "<tr><td>{0}. juin, 20h{1}</td><td>{2}</td></tr>"
    rows = "".join(row.format(n + 1, w.number(49) + 10, w.head()) for n in range(w.number(6) + 8))
    return f"<h1>Agenda</h1><table>{rows}</table>"


def definitions(w: Words) -> str:
    """What was played on the radio: time and song in a list of definitions."""
    return (
        "<h1>Lista utworów</h1><dl>"
        + "".join(f"<dt>{8 + n}:{w.number(49) + 10}</dt><dd>{w.head()}</dd>" for n in range(10))
        + "</dl>"
    )


def changelog(w: Words) -> str:
    """Releases, each with a list of what is new."""
    first = w.number(9)
    return "<h1>Versions</h1>" + "".join(
        f"<h2>Release {first}.{9 - n}</h2><ul>{''.join(f'<li>{w.line()}</li>' for _ in range(3))}</ul>"
        for n in range(5)
    )


def prices(w: Words) -> str:
    """Rates: the names stay, the numbers do not."""
    names = ("Cod", "Haddock", "Herring", "Plaice", "Sole", "Turbot", "Mackerel", "Crab", "Shrimp", "Mussels")
    return (
        "<h1>Fish prices</h1><table>"
        + "".join(f"<tr><td>{name}</td><td>{w.number(20)}.{w.number(89) + 10} €/kg</td></tr>" for name in names)
        + "</table>"
    )


def ranking(w: Words) -> str:
    """The most read, numbered."""
    return (
        "<h1>Más leídos</h1><ol>"
        + "".join(f"<li><a href='/{w.number(9999)}'>{w.head()}</a></li>" for _ in range(8))
        + "</ol>"
    )


def offers(w: Words) -> str:
    """Jobs without links, a line each."""
    return "<h1>Ledige stillinger</h1><ul>" + "".join(f"<li>{w.head()}, {w.head()}</li>" for _ in range(9)) + "</ul>"


def forum(w: Words) -> str:
    row = "<div class=row><div><a href='/t/{0}'>{1}</a></div><div>{2} replies</div><div>by {3}</div></div>"
    return "<h1>Engines</h1>" + "".join(
        row.format(w.number(9999), w.head(), w.number(), w.rng.choice(w.words)) for _ in range(12)
    )


def of_the_day(w: Words) -> str:
    return f"<h1>Gericht des Tages</h1><p>{w.line()}</p><p><em>{w.head()}</em></p>"


def word_of_the_day(w: Words) -> str:
    return f"<h1>Mot du jour</h1><h2>{w.head()}</h2><p>{w.line()}</p>"


LISTS: tuple[tuple[str, str, Callable[[Words], str]], ...] = (
    ("/regional", "en", cards),
    ("/logbuch/", "de", full_posts),
    ("/agenda", "fr", dated_rows),
    ("/radio", "pl", definitions),
    ("/versions", "en", changelog),
    ("/prices", "en", prices),
    ("/mas-leidos", "es", ranking),
    ("/jobb", "no", offers),
    ("/forum/7", "en", forum),
    ("/kueche", "de", of_the_day),
    ("/mot", "fr", word_of_the_day),
)


@pytest.mark.parametrize(("url", "lang", "made"), LISTS, ids=lambda each: getattr(each, "__name__", str(each)))
def test_a_page_of_entries_is_the_same_page_with_other_entries(
    url: str, lang: str, made: Callable[[Words], str]
) -> None:
    for seed in range(5):
        days = [made(Words(f"{made.__name__} {seed} {day}")) for day in range(2)]
        title = f"{days[0].partition('<h1>')[2].partition('</h1>')[0]} – Harbour of Vik"
        old, new = (page(body, url=url, title=title, lang=lang) for body in days)
        assert judged(old, new).is_same, (made.__name__, seed)


@pytest.mark.parametrize(("url", "lang", "made"), LISTS, ids=lambda each: getattr(each, "__name__", str(each)))
def test_a_page_of_entries_that_somebody_took_over_is_another(
    url: str, lang: str, made: Callable[[Words], str]
) -> None:
    """The name stays, since visitors look for it; menu, foot and build do not."""
    for seed in range(3):
        w = Words(f"taken {made.__name__} {seed}")
        body = made(Words(f"{made.__name__} {seed}"))
        heading = body.partition("<h1>")[2].partition("</h1>")[0]
        title = f"{heading} – Harbour of Vik"
        links = "".join(f"<p><a href='https://shop.example/{n}'>{w.head()}</a> {w.line()}</p>" for n in range(6))
        new = page(
            f"<h1>{w.head()}</h1>{w.text(3)}{links}",
            url=url,
            title=title,
            lang=lang,
            menu=[w.head() for _ in range(6)],
            foot=w.head(),
        )
        assert not judged(page(body, url=url, title=title, lang=lang), new).is_same


def test_an_article_that_was_replaced_is_another_page_whatever_stands_below_it() -> None:
    """Same title, heading and frame: the text is what counts, though the list of related ones moved on as well."""
    for seed in range(12):
        old, new = (
            page(
                f"<h1>The old crane</h1>{w.text(6)}<h4>Related</h4><ul>"
                + "".join(f"<li><a href='/r{w.number(9999)}'>{w.head()}</a></li>" for _ in range(seed % 6))
                + "</ul>",
                url="/stories/crane",
                title="The old crane – Harbour of Vik",
            )
            for w in (Words(f"old {seed}"), Words(f"new {seed}"))
        )
        assert not judged(old, new).is_same, seed


def test_a_list_of_another_name_is_a_sister() -> None:
    """One title for the whole site, another heading above the entries."""
    for seed in range(8):
        one, other = Words(f"one {seed}"), Words(f"other {seed}")
        bodies = cards(one), cards(other).replace("Regional", "Cooking with seaweed")
        old, new = (page(body, url="/list", title="Harbour of Vik") for body in bodies)
        assert not judged(old, new).is_same


def test_entries_that_became_an_article_are_another_page() -> None:
    for seed in range(6):
        one, other = Words(f"one {seed}"), Words(f"other {seed}")
        old = page(cards(one), url="/regional", title="Regional – Harbour of Vik")
        new = page(f"<h1>Regional</h1>{other.text(7)}", url="/regional", title="Regional – Harbour of Vik")
        assert not judged(old, new).is_same


def test_the_month_in_a_name_counts_up() -> None:
    """Title and heading say the month of which the events are."""
    old, new = (
        page(
            dated_rows(Words(month)).replace("Agenda", f"Konzerte im {month}"),
            url="/konzerte",
            title=f"Konzerte im {month} 2026 | Harbour of Vik",
            lang="de",
        )
        for month in ("November", "Dezember")
    )
    assert judged(old, new).is_same


def test_this_very_content_is_gone_where_a_list_moved_on() -> None:
    old, new = (page(full_posts(Words(day)), url="/log", title="Log – Harbour") for day in ("one", "two"))
    assert not judged(old, new, Usage.ATTRIBUTIVE).is_same


@pytest.mark.parametrize(
    "name", ["Photo of the week", "Tageskarte heute", "Citation du jour", "Dagens rett", "今日の言葉", "What’s on"]
)
def test_names_of_days_say_that_a_page_changes(name: str) -> None:
    assert says_that_it_changes(name)


@pytest.mark.parametrize("name", ["The daylight book", "Weeks and months: a history", "Monatsblatt 1911", "Newsroom"])
def test_other_names_do_not(name: str) -> None:
    assert not says_that_it_changes(name)


def test_blocks_are_lines_with_what_is_linked_of_them() -> None:
    source = b"<nav><a href=/n>Top</a></nav><ul><li><a href=/a>One <b>two</b></a> three</li></ul><p>four<br>five</p>"
    assert [
        (b.text, b.tag, b.words, b.linked, b.links, b.is_frame) for b in blocks_of(Profile(parse_page(source)))
    ] == [
        ("Top", "nav", 1, 1, (0,), True),
        ("One two three", "li", 3, 2, (1,), False),
        ("four", "p", 1, 0, (), False),
        ("five", "p", 1, 0, (), False),
    ]
