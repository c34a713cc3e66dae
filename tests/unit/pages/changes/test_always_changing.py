"""Parts that change at every visit are found by what they do, and what people write beside them still counts."""

from collections.abc import Callable, Iterable

import pytest

from afresh.base.difference import Mark, compare
from afresh.pages.changes.always_changing import LEAST, Restless, regions

_HEAD, _TAIL = ["Title", "Menu"], ["First paragraph.", "Second paragraph.", "Imprint"]


def page(*part: str) -> list[str]:
    return [*_HEAD, *part, *_TAIL]


def visited(pages: Iterable[list[str]], *, soon: Iterable[int] = ()) -> tuple[Restless, int, list[str]]:
    """What was learnt of some visits, their number, and what the last showed."""
    known = Restless()
    quick, before, visit = set(soon), list[str](), 0
    for visit, lines in enumerate(pages, start=1):
        if visit > 1:
            known.learn(compare(before, lines), visit=visit, is_soon=visit in quick)
        before = lines
    return known, visit, before


def counted(known: Restless, visit: int, old: list[str], new: list[str]) -> list[str]:
    """What counts of a difference."""
    return [row.new or row.old for region in regions(compare(old, new)) for row in known.settled(region, visit=visit)]


def test_regions_know_the_lines_that_stay_around_them() -> None:
    found = list(regions(compare(["x", "a", "b", "y"], ["X1", "a", "c", "b", "Y1"])))
    assert [(one.before, [row.mark for row in one.rows], one.behind) for one in found] == [
        ("", [Mark.REMOVED, Mark.ADDED], "a"),
        ("a", [Mark.ADDED], "b"),
        ("b", [Mark.REMOVED, Mark.ADDED], ""),
    ]


@pytest.mark.parametrize(
    "part",
    [
        lambda visit: f"{1_000 + 7 * visit:,} visitors so far",  # counts up
        lambda visit: ("Buy shoes", "Fly to Rome", "Win a car")[visit % 3],  # returns
    ],
    ids=["counter", "banner"],
)
def test_some_are_known_by_what_they_show(part: Callable[[int], str]) -> None:
    known, visit, last = visited(page(part(n)) for n in range(1, 9))
    assert counted(known, visit, last, page(part(visit + 1))) == []
    news = [*page(part(visit + 1))[:-1], "A new paragraph.", "Imprint"]
    assert counted(known, visit, last, news) == ["A new paragraph."]


def test_others_by_a_look_in_a_moment() -> None:
    draws = [
        f"Tip of the visit: {word}" for word in ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]
    ]
    known, visit, last = visited(map(page, draws[:-1]))
    assert known.suspects(visit=visit)
    assert counted(known, visit, last, page(draws[-1])) == [draws[-1]]  # it may be somebody who writes a lot
    known.learn(compare(last, page(draws[-1])), visit=visit + 1, is_soon=True)
    assert not known.suspects(visit=visit + 1)
    assert counted(known, visit + 1, page(draws[-1]), page("Tip of the visit: iota")) == []


def test_what_is_calm_in_a_moment_is_news_however_often_it_comes() -> None:
    headlines = [f"News number {word}" for word in ["one", "two", "three", "four", "five", "six", "seven", "eight"]]
    known, visit, last = visited(map(page, headlines[:-1]))
    assert known.calm_down(visit=visit)
    assert not known.suspects(visit=visit)
    assert counted(known, visit, last, page(headlines[-1])) == [headlines[-1]]
    for later in range(1, 6):
        known.calm_down(visit=visit + later)
    assert not known.calm_down(visit=visit + 6)  # nothing more to be learnt


def test_what_somebody_tries_out_counts() -> None:
    """Somebody changes a page and has it visited, now and then twice: each change was a moment after a visit."""
    known, last = Restless(), page("39.50 €")
    for visit, price in enumerate(["41.00 €", "41.00 €", "37.20 €", "37.20 €", "36.10 €", "35.00 €"], start=2):
        known.learn(compare(last, page(price)), visit=visit, is_soon=True)
        changed = page(price) != last
        assert counted(known, visit, last, page(price)) == ([price] if changed else [])
        last = page(price)


def test_what_differs_at_every_close_visit_is_restless_after_a_while() -> None:
    draws = [f"Tip: {word}" for word in ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta"]]
    known, visit, last = visited(map(page, draws), soon=range(2, 8))
    assert counted(known, visit, last, page("Tip: theta")) == []


def test_a_price_that_rises_is_no_counter() -> None:
    known, visit, last = visited(page(f"{10 + n}.99 €") for n in range(1, 9))
    assert counted(known, visit, last, page("30.99 €")) == ["30.99 €"]


def test_nothing_is_said_after_few_visits() -> None:
    known, visit, last = visited((page(f"{n} visitors") for n in range(1, LEAST)), soon=[2])
    assert counted(known, visit, last, page("99 visitors")) == ["99 visitors"]
    assert not known.suspects(visit=visit)


def test_a_part_that_became_calm_counts_again() -> None:
    banners = [("Buy shoes", "Fly to Rome", "Win a car")[n % 3] for n in range(8)]
    known, visit, last = visited(map(page, banners))
    assert counted(known, visit, last, page("Closed for ever")) == []
    assert counted(known, visit + 10, last, page("Closed for ever")) == [last[2], "Closed for ever"]


def test_a_restless_part_of_two_lines() -> None:
    known, visit, last = visited(
        page(*(("Advert", "Buy shoes"), ("Sponsored", "Fly away"), ("Hot", "Win a car"))[n % 3]) for n in range(9)
    )
    assert counted(known, visit, last, page("Advert", "Buy shoes", "A real notice")) == ["A real notice"]


def test_what_was_learnt_is_kept_and_bounded() -> None:
    known, visit, last = visited(page(("Buy shoes", "Fly to Rome", "Win a car")[n % 3]) for n in range(8))
    again = Restless.load(known.dump())
    assert counted(again, visit, last, page("Buy shoes")) == []
    many = Restless()
    for turn in range(2, 12):
        old = [line for n in range(300) for line in (f"stays {turn} {n}", f"old {n}")]
        new = [line.replace("old", "new") for line in old]
        many.learn(compare(old, new), visit=turn, is_soon=False)
    assert len(many.dump()) < 30_000


@pytest.mark.parametrize("text", ["", "{", "[]", '{"a": 1}', '{"a":{"at":"x"}}'])
def test_what_is_damaged_is_learnt_anew(text: str) -> None:
    known = Restless.load(text)
    assert counted(known, 9, page("x"), page("y")) == ["x", "y"]
