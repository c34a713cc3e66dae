"""Verdicts of the shipped model on pages anybody would judge alike."""

import pytest

from afresh.base.records.link_status import CheckStatus, Turned, Usage
from afresh.links.measures.profile import Profile
from afresh.links.verdicts.judge import explain, judge_pages
from afresh.links.verdicts.model import default_model
from afresh.links.verdicts.verdict import inspect_page
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
