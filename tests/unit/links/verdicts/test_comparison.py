"""Verdicts of the shipped model on pages anybody would judge alike."""

import pytest

from afresh.base.records.links import CheckStatus, Turned, Usage
from afresh.links.measures.profile import Profile
from afresh.links.verdicts.comparison import explain, judge_pages
from afresh.links.verdicts.model import default_model
from afresh.links.verdicts.without_model import inspect_page, like_home, like_probe
from afresh.parse.page import parse_page

MENU = "<ul><li><a href='/'>Home</a></li><li><a href='/news'>News</a></li><li><a href='/about'>About us</a></li></ul>"
PROSE = (
    "<p>The harbour museum shows how ships were built in the last three centuries, with models, tools and drawings."
    "</p>"
    "<p>Every Sunday a former shipwright explains how planks are bent over steam and why oak was preferred to pine."
    "</p>"
    "<p>School classes are welcome on weekdays; please book a guided tour two weeks in advance with our office.</p>"
)
OTHER = (
    "<p>Our bakery sells rye bread, rolls and cakes, made at night by four people who love what they are doing.</p>"
    "<p>Order wedding cakes a month ahead and tell us what your guests must not eat, nuts or milk for instance.</p>"
)


def page(body: str, title: str = "Harbour museum", url: str = "http://museum.example/visit") -> Profile:
    return Profile(parse_page(f"<html><title>{title}</title><body>{MENU}{body}</body></html>".encode(), url=url))


def alone(body: str, title: str) -> Profile:
    return Profile(parse_page(f"<title>{title}</title>{body}".encode(), url="http://museum.example/visit"))


OLD = page(f"<h1>Visit</h1>{PROSE}")


def test_identical_text_is_equal() -> None:
    verdict = judge_pages(OLD, page(f"<h1>Visit</h1>{PROSE}"), model=default_model())
    assert verdict.status is CheckStatus.EQUAL
    assert verdict.probability == 1.0
    assert explain(verdict, default_model()) == ()


def test_a_small_edit_is_the_same_page() -> None:
    new = page(f"<h1>Visit</h1>{PROSE.replace('three centuries', 'four centuries')}<p>Closed on Mondays.</p>")
    verdict = judge_pages(OLD, new, model=default_model())
    assert verdict.is_same
    assert verdict.probability > 0.8


def test_another_page_in_the_same_frame_is_different_and_says_why() -> None:
    verdict = judge_pages(OLD, page(f"<h1>Bread</h1>{OTHER}", "Bakery"), model=default_model())
    assert verdict.status is CheckStatus.DIFFERENT
    told = explain(verdict, default_model(), limit=3)
    assert len(told) == 3
    assert abs(told[0].influence) >= abs(told[1].influence) >= abs(told[2].influence)
    assert any(item.influence < 0 for item in told)


@pytest.mark.parametrize(
    ("new", "kind"),
    [
        (page("<h1>Page not found</h1><p>Sorry, the page could not be found.</p>", "Not found"), Turned.SOFT_404),
        (
            alone("<h1>museum.example</h1><p>This domain is for sale. Buy this domain.</p>", "museum.example"),
            Turned.PARKED,
        ),
        (alone("<h1>Account suspended</h1><p>This account has been suspended.</p>", "Suspended"), Turned.SUSPENDED),
        (alone("<p>Checking your browser before you go on.</p>", "Just a moment..."), Turned.CAPTCHA),
        (alone("<h1>We'll be back soon</h1><p>Down for maintenance.</p>", "Maintenance"), Turned.MAINTENANCE),
        (alone("<p>Please log in to continue.</p><input type=password>", "Log in"), Turned.LOGIN_WALL),
        (
            alone(
                "<h1>Index of /visit</h1><a href='?C=N;O=D'>Name</a><a href='?C=M;O=A'>m</a><a href='?C=S;O=A'>s</a>",
                "Index of /visit",
            ),
            Turned.LISTING,
        ),
        (alone("<b>Fatal error</b>: Uncaught exception in /www/db.php on line 3", "Error"), Turned.ERROR),
        (alone(f"<a href='http://x/'>x</a>{OTHER}", "Best bakery in town"), Turned.TAKEN_OVER),
        (alone("", ""), Turned.EMPTY),
    ],
)
def test_turned_pages(new: Profile, kind: Turned) -> None:
    verdict = judge_pages(OLD, new, model=default_model())
    assert verdict.status is CheckStatus.DIFFERENT
    assert verdict.turned is not None
    assert verdict.turned.kind is kind
    assert any("looks like" in reason for reason in verdict.reasons)


@pytest.mark.parametrize(
    "says", ["Casino bonus and free spins at the best online casino. ", "Our accountants do taxes. "]
)
@pytest.mark.parametrize("links", [(), ("/", "/about", "/contact.html", "/en/privacy-policy/")])
def test_every_page_of_a_stranger_has_one_name(says: str, links: tuple[str, ...]) -> None:
    """Links that any site has do not make one of its pages spam, and the next one merely another page."""
    site = "http://museum.example"
    own = "".join(f"<a href='{site}/{name}'>{name}</a>" for name in ("hours", "boats"))
    usual = "".join(f"<a href='{site}{path}'>x</a>" for path in ("/", "/about", "/contact.html", "/en/privacy-policy/"))
    theirs = "".join(f"<a href='{site}{path}'>x</a>" for path in (*links, "/offers"))
    verdict = judge_pages(
        alone(own + usual + PROSE, "Museum of boats"),
        alone(theirs + f"<p>{says * 12}</p>", "Lucky"),
        model=default_model(),
    )
    assert verdict.turned is not None
    assert verdict.turned.kind is Turned.TAKEN_OVER


def test_a_page_that_always_spoke_of_errors_has_not_turned() -> None:
    guide = "<h1>Error 404</h1><p>How to make a good page not found page for your own site, with many examples.</p>"
    old, new = page(guide + PROSE, "404 pages"), page(guide + PROSE + "<p>New: one more example.</p>", "404 pages")
    verdict = judge_pages(old, new, model=default_model())
    assert verdict.is_same
    assert verdict.turned is None


def test_the_answer_for_an_impossible_page_unmasks_a_soft_404_without_telling_words() -> None:
    shell = (
        "<h1>Welcome</h1><p>Discover what our town has in store for you this summer, by the river and in the hills.</p>"
    )
    new, probe = page(shell, "Town"), page(shell, "Town", "http://museum.example/q8x7-no-such-page")
    verdict = judge_pages(OLD, new, model=default_model(), probe=probe)
    assert verdict.turned is not None
    assert verdict.turned.kind is Turned.SOFT_404
    assert "cannot exist" in verdict.reasons[0]
    assert inspect_page(new, probe=probe) is not None
    assert inspect_page(new) is None


@pytest.mark.parametrize(
    ("body", "title", "kind"),
    [
        ("<h1>Back at six</h1><p>Scheduled maintenance of the whole site tonight.</p>", "Pause", Turned.MAINTENANCE),
        ("<h1>One moment</h1><p>Please prove that you are not a robot.</p>", "Are you human?", Turned.CAPTCHA),
        ("<h1>museum.example</h1><p>This domain is for sale.</p>", "museum.example", Turned.PARKED),
    ],
)
def test_one_answer_for_every_address_is_called_what_it_says(body: str, title: str, kind: Turned) -> None:
    new, probe = alone(body, title), alone(body, title)
    verdict, first = judge_pages(OLD, new, model=default_model(), probe=probe), inspect_page(new, probe=probe)
    assert first is not None
    assert verdict.turned is not None
    assert (first.kind, verdict.turned.kind) == (kind, kind)


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("<h1>Maintenance of boats</h1><p>A boat that is down for maintenance in May floats in June.</p>", "Boats"),
        (f"<h1>How it was sold</h1><p>First we wrote: this domain is for sale. Buy this domain.</p>{OTHER}", "Sold"),
    ],
)
def test_where_missing_pages_are_missed_honestly_the_site_is_not_at_its_end(body: str, title: str) -> None:
    new = page(body, title)
    assert inspect_page(new) is not None
    assert inspect_page(new, is_honest=True) is None


def test_a_site_that_misses_pages_in_other_words_acquits_as_well() -> None:
    new = page(
        f"<h1>How it was sold</h1><p>First we wrote: this domain is for sale. Buy this domain.</p>{OTHER}", "Sold"
    )
    lost = page("<h1>Lost?</h1><p>There is no such page; here are last week's letters to the council.</p>", "Lost")
    assert inspect_page(new, probe=lost) is None
    # A wall before the page that cannot exist says nothing of how the site misses pages.
    assert inspect_page(new, probe=alone("<h1>Are you human?</h1><p>Solve the captcha.</p>", "One moment")) is not None


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("<h1>Page not found</h1><p>Here are our newest recipes and the tools we sell.</p>", "Page not found | Town"),
        ("<h2>Information</h2><p>The requested topic does not exist.</p><p>All times are UTC.</p>", "Forum"),
        ("<h1>Maintenance</h1><p>The whole site is down for maintenance.</p>", "Maintenance"),
    ],
)
def test_a_page_that_says_nothing_else_is_not_acquitted(body: str, title: str) -> None:
    assert inspect_page(alone(body, title), is_honest=True) is not None


LOST = (
    "<h1>{name}</h1><p>We do not know the address that you have called up. Perhaps you have mistyped it, or it was lost"
    " when our site was made anew.</p><p>Open from Tuesday to Sunday, Harbour Street 23. With thanks to the county, to"
    " the guild of shipwrights and to many others who help us, day by day. © {year}, all rights reserved.</p>"
)


def test_a_site_may_have_two_names_for_what_it_has_not() -> None:
    probe = page(
        LOST.format(name="The content is no longer available", year=2026), "The content is no longer available"
    )
    said = "Oops! This page does not exist any more"
    lost = page(LOST.format(name=said, year=2025), said)
    assert like_probe(lost, probe) is None, "it is called otherwise"
    first = inspect_page(lost, probe=probe)
    assert first is not None
    assert first.kind is Turned.SOFT_404


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("Page not found: what to do", PROSE),  # it has more to say
        ("This page does not exist", PROSE),
        ("Open house", ""),  # it does not say so
    ],
)
def test_a_page_that_says_more_than_what_is_missing_or_not_that_is_there(name: str, body: str) -> None:
    probe = page(
        LOST.format(name="The content is no longer available", year=2026), "The content is no longer available"
    )
    foot = LOST.format(name=name, year=2025).replace("We do not know the address that you have called up. ", "")
    assert inspect_page(page(body + foot, name), probe=probe) is None


def test_what_the_front_page_shows_too_says_nothing_about_a_page() -> None:
    teasers = "".join(
        f"<p>The council of the harbour meets on day {day} in the old customs house.</p>" for day in "abcdefg"
    )
    home = page(f"<h1>Town</h1>{teasers}", "Town")
    lost = page(f"<h1>Page not found</h1><p>We could not find it.</p>{teasers}", "Town")
    well = page(f"<h1>Pier</h1><p>Its planks are new, and boats land there again.</p>{teasers}", "Town")
    assert inspect_page(lost, is_honest=True) is None
    assert inspect_page(lost, is_honest=True, home=home) is not None
    assert inspect_page(well, is_honest=True, home=home) is None


@pytest.mark.parametrize(
    ("body", "title", "kind"),
    [
        ("<h1>Too many users online</h1><p>Please try again later.</p>", "Server too busy", Turned.MAINTENANCE),
        ("<h1>museum.example</h1><p>This domain is for sale.</p>", "museum.example", Turned.PARKED),
        ("<h1>Kvu blaf</h1><p>Nomu pelta sor.</p>", "Kvu", Turned.STAND_IN),
        (f"<h1>Museum</h1>{OTHER}", "Museum", Turned.FRONT_PAGE),
    ],
)
def test_a_site_that_is_the_same_front_page_and_all_is_called_what_it_says(body: str, title: str, kind: Turned) -> None:
    shown = like_home(page(body, title), page(body, title)) if kind is Turned.FRONT_PAGE else None
    shown = shown or like_home(alone(body, title), alone(body, title))
    assert shown is not None
    assert shown.kind is kind


def test_a_page_of_a_few_words_is_not_like_every_answer() -> None:
    tiny = alone("<p>hello, this is my page</p>", "hm")
    assert like_probe(tiny, alone("<h1>404</h1><p>Page not found.</p>", "404")) is None
    assert like_probe(tiny, alone("<p>hello, this is my page</p>", "hm")) is not None


def test_attributive_readers_want_this_content() -> None:
    frame = (
        "<h1>Programme</h1><p>The cinema in the old power station, since 1987 in the same hands, open every day.</p>"
    )
    films = "".join(
        f"<p>On day {i} we show a film about {w} and their friends in the big city at night.</p>"
        for i, w in enumerate(["cats", "dogs", "owls", "bees", "ants"])
    )
    later = "".join(
        f"<li>Tonight {w}, doors open at seven, seats are not numbered</li>" for w in ("jazz", "opera", "dance")
    )
    old, new = page(frame + films, "Cinema programme"), page(frame + later, "Cinema programme")
    loose = judge_pages(old, new, model=default_model(), usage=Usage.REFERENTIAL)
    strict = judge_pages(old, new, model=default_model(), usage=Usage.ATTRIBUTIVE)
    assert strict.status is CheckStatus.DIFFERENT
    assert any("main text" in reason for reason in strict.reasons) or not loose.is_same


def test_ordinary_pages_show_no_sign() -> None:
    assert inspect_page(OLD) is None
    assert inspect_page(page(OTHER)) is None


def test_a_short_page_with_a_name_of_its_own_is_not_the_answer_for_every_address() -> None:
    def album(name: str, text: str, place: str) -> Profile:
        body = f"<nav><a href='/'>Home</a> <a href='/about'>About</a></nav><main><h1>{name}</h1><p>{text}</p></main>"
        html = f"<html><title>{name} | Album</title><body>{body}<footer>(c) Album</footer></body></html>"
        return Profile(parse_page(html.encode(), url=f"http://album.example/{place}"))

    answer = album("Welcome", "Choose a page from the menu above.", "zq-zq")
    assert like_probe(album("Sunset", "Taken from the pier in May.", "photo/1"), answer) is None
    assert like_probe(album("Old mill", "The wheel still turns.", "photo/2"), answer) is None
    assert like_probe(album("Welcome", "Choose a page from the menu above.", "photo/3"), answer) is not None
