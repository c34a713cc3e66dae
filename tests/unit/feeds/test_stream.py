"""New, known and missed entries; corrected times (Reichert §3.5, spec D.10)."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from afresh.base.models import ParsedEntry, Window
from afresh.feeds.stream import compare, corrected_time, entry_uid, has_request_time_dates, joined


def entries(names: str, *, at: dict[str, float] | None = None) -> list[ParsedEntry]:
    """Entries in a document's usual order: newest first."""
    times = at or {}
    return [
        ParsedEntry(title=name, native_id=name, published=times.get(name, float(ord(name)))) for name in reversed(names)
    ]


def poll(names: str, known: Window, *, now: float, previous: float | None) -> tuple[str, bool, Window]:
    result = compare(entries(names), known, now=now, previous_poll=previous)
    return "".join(entry.parsed.title for entry in result.new), result.missed, result.window


def test_first_poll_takes_everything_as_new_with_its_old_dates() -> None:
    result = compare(entries("abcde"), Window(), now=1000.0, previous_poll=None)
    assert [entry.parsed.title for entry in result.new] == list("abcde")
    assert all(entry.initial for entry in result.new)
    assert not result.missed
    assert [entry.published for entry in result.new] == [float(ord(name)) for name in "abcde"]


def test_overlapping_windows_show_the_new_and_no_miss() -> None:
    _, _, first = poll("abcde", Window(), now=200.0, previous=None)
    new, missed, window = poll("cdefg", first, now=300.0, previous=200.0)
    assert (new, missed, len(window)) == ("fg", False, 5)


def test_readers_are_told_the_publishers_date_and_no_delay_that_nobody_knows() -> None:
    """Behind a cache an entry appears after its date: we counted no delay at all for it, and put our own date on it."""
    _, _, first = poll("ab", Window(), now=200.0, previous=None)
    dates = {"c": 250.0, "d": 150.0, "e": 900.0}
    late = compare(entries("abcde", at=dates), first, now=300.0, previous_poll=200.0).new
    told = {entry.parsed.title: (entry.published, entry.dated, entry.delay) for entry in late}
    assert told == {"c": (250.0, 250.0, 50.0), "d": (300.0, 150.0, None), "e": (300.0, 300.0, None)}


def test_disjoint_windows_are_a_potential_miss_marked_at_the_first_new_entry() -> None:
    _, _, first = poll("cdefg", Window(), now=200.0, previous=None)
    result = compare(entries("ijklm"), first, now=300.0, previous_poll=200.0)
    assert result.missed
    assert [entry.after_gap for entry in result.new] == [True, False, False, False, False]


def test_a_republished_entry_hides_the_gap() -> None:
    _, _, first = poll("abcde", Window(), now=200.0, previous=None)
    new, missed, _ = poll("eijkl", first, now=300.0, previous=200.0)
    assert (new, missed) == ("ijkl", False)


def test_an_empty_document_changes_nothing() -> None:
    _, _, first = poll("abc", Window(), now=200.0, previous=None)
    new, missed, window = poll("", first, now=300.0, previous=200.0)
    assert (new, missed, window) == ("", False, first)
    new, missed, _ = poll("abcd", window, now=400.0, previous=300.0)
    assert (new, missed) == ("d", False)


def test_times_that_cannot_be_true_become_the_poll_time() -> None:
    known = {"now": 100.0, "previous_poll": 80.0, "clock_offset": 0.0}
    assert corrected_time(None, **known) == 100.0
    assert corrected_time(120.0, **known) == 100.0
    assert corrected_time(79.0, **known) == 100.0
    assert corrected_time(95.0, **known) == 95.0
    assert corrected_time(10.0, now=100.0, previous_poll=None, clock_offset=0.0) == 10.0


def test_a_wrong_server_clock_is_corrected_but_noise_is_not() -> None:
    assert corrected_time(30.0, now=100.0, previous_poll=80.0, clock_offset=60.0) == 90.0
    assert corrected_time(90.0, now=100.0, previous_poll=80.0, clock_offset=1.0) == 90.0


def test_a_date_of_whole_seconds_in_the_second_of_the_last_poll_lies_after_it() -> None:
    """It was not there at 80.4 and is dated 80: published between 80.4 and 81, of which the seconds alone are told."""
    known = {"now": 100.0, "previous_poll": 80.4}
    assert corrected_time(80.0, clock_offset=0.0, **known) == 80.4
    assert corrected_time(20.0, clock_offset=60.0, **known) == 80.4
    assert corrected_time(80.25, clock_offset=0.0, **known) == 100.0, "it tells more than the seconds"
    assert corrected_time(79.0, clock_offset=0.0, **known) == 100.0
    assert corrected_time(81.0, clock_offset=0.0, **known) == 81.0
    first = compare(entries("a", at={"a": 10.0}), Window(), now=80.4, previous_poll=None).window
    told = compare(entries("abc", at={"a": 10.0, "b": 80.0, "c": 81.0}), first, now=100.0, previous_poll=80.4).new
    assert [(entry.parsed.title, entry.dated, entry.delay) for entry in told] == [
        ("b", 80.0, 100.0 - 80.4),
        ("c", 81.0, 19.0),
    ]


def test_known_entries_keep_the_time_of_their_first_sight() -> None:
    undated = [ParsedEntry(title="a")]
    first = compare(undated, Window(), now=10.0, previous_poll=None).window
    second = compare([ParsedEntry(title="b"), *undated], first, now=20.0, previous_poll=10.0).window
    assert second.times.tolist() == [10.0, 20.0]


def test_dates_made_at_request_time_are_recognised_and_not_used() -> None:
    made = [ParsedEntry(title=name, published=500.0) for name in "abc"]
    assert has_request_time_dates(made, 500.4)
    assert not has_request_time_dates(made, 900.0)
    assert not has_request_time_dates(made[:1], 500.0)
    result = compare(made, Window(), now=500.0, previous_poll=None)
    assert result.request_time_dates
    later = [ParsedEntry(title=name, published=900.0) for name in "abcd"]
    again = compare(later, result.window, now=900.0, previous_poll=500.0)
    assert [entry.parsed.title for entry in again.new] == ["d"]


def named(*pairs: tuple[str, str], published: float | None = None) -> list[ParsedEntry]:
    return [ParsedEntry(title=title, link="l", native_id=own, published=published) for own, title in pairs]


def test_an_entry_with_the_id_of_a_known_one_is_that_entry_revised() -> None:
    first = compare(named(("1", "The mayor resings"), ("2", "Rain")), Window(), now=100.0, previous_poll=None)
    again = compare(
        named(("1", "The mayor resigns"), ("2", "Rain"), ("3", "Sun")), first.window, now=200.0, previous_poll=100.0
    )
    assert [entry.parsed.title for entry in again.new] == ["Sun"]
    assert [entry.parsed.title for entry in again.revised] == ["The mayor resigns"]
    assert (list(again.window.times), again.missed) == ([100.0, 100.0, 200.0], False)
    same = compare(named(("1", "The mayor resigns"), ("2", "Rain")), again.window, now=300.0, previous_poll=200.0)
    assert (same.new, same.revised) == ((), ())


def linked(*told: tuple[str, str, float | None]) -> list[ParsedEntry]:
    """Entries without ids."""
    return [ParsedEntry(title=title, link=link, published=date) for title, link, date in told]


def seen(first: list[ParsedEntry], then: list[ParsedEntry]) -> tuple[list[str], list[str]]:
    """Titles of what is new in the second document, and of what was revised."""
    known = compare(first, Window(), now=100.0, previous_poll=None).window
    found = compare(then, known, now=200.0, previous_poll=100.0)
    return [entry.parsed.title for entry in found.new], [entry.parsed.title for entry in found.revised]


def test_without_an_id_an_entry_with_link_and_date_of_a_known_one_is_that_entry_revised() -> None:
    first = linked(("The mayor resings", "/1", 50.0), ("Rain", "/2", 50.0))
    then = linked(("Sun", "/3", 150.0), ("The mayor resigns", "/1", 50.0), ("Rain", "/2", 50.0))
    assert seen(first, then) == (["Sun"], ["The mayor resigns"])


def test_without_an_id_another_date_or_link_or_no_date_makes_a_new_entry() -> None:
    """A page under one address tells something else every day."""
    rain = linked(("Rain", "/2", 50.0))
    for before, after in (
        (("a", "/now", 50.0), ("b", "/now", 51.0)),
        (("a", "/now", 50.0), ("b", "/then", 50.0)),
        (("a", "/now", None), ("b", "/now", None)),
        (("a", "", 50.0), ("b", "", 50.0)),
    ):
        assert seen(linked(before) + rain, linked(after) + rain) == (["b"], []), (before, after)


def test_a_link_and_date_that_several_entries_have_tell_nothing() -> None:
    a, b, c = linked(("a", "/live", 50.0), ("b", "/live", 50.0), ("c", "/live", 50.0))
    assert seen([a, b], [b, c]) == (["c"], [])
    assert seen([a], [a, c]) == (["c"], [])
    assert seen([a, b], [c]) == (["c"], [])


def test_an_entry_that_is_still_there_is_no_other_one() -> None:
    """Dated anew, and its date before is that of another entry under the same address."""
    rain = linked(("Rain", "/2", 50.0))
    then = linked(("a", "/live", 60.0), ("b", "/live", 50.0))
    assert seen(linked(("a", "/live", 50.0)) + rain, then + rain) == (["b"], [])


def test_an_entry_without_id_that_was_dated_anew_is_known_by_its_title_alone() -> None:
    """The store has it under its first date, and would not find it."""
    rain = linked(("Rain", "/2", 50.0))
    window = compare(linked(("a", "/1", 40.0)) + rain, Window(), now=100.0, previous_poll=None).window
    for now in (200.0, 300.0):
        again = compare(linked(("a", "/1", 60.0)) + rain, window, now=now, previous_poll=now - 100.0)
        assert (again.new, again.revised) == ((), ())
        window = again.window
    found = compare(linked(("A", "/1", 60.0)) + rain, window, now=400.0, previous_poll=300.0)
    assert ([entry.parsed.title for entry in found.new], found.revised) == (["A"], ())


def test_what_a_document_that_was_cut_off_did_not_come_to_is_still_known() -> None:
    whole = named(("1", "a"), ("2", "b"), ("3", "c"))
    first = compare(whole, Window(), now=100.0, previous_poll=None)
    cut = compare(named(("4", "d"), ("1", "A")), first.window, now=200.0, previous_poll=100.0)
    window = joined(first.window, cut.window, most=6)
    assert list(window.times) == [100.0, 100.0, 100.0, 200.0]
    found = compare(named(("4", "d"), ("1", "A"), ("2", "b"), ("3", "c")), window, now=300.0, previous_poll=200.0)
    assert (found.new, found.revised) == ((), ())
    assert list(joined(window, window, most=2).times) == [100.0, 200.0]


def test_all_links_anew_is_no_flood() -> None:
    first = compare(named(("1", "a"), ("2", "b")), Window(), now=100.0, previous_poll=None)
    moved = [replace(entry, link="https://elsewhere.example/") for entry in named(("1", "a"), ("2", "b"))]
    found = compare(moved, first.window, now=200.0, previous_poll=100.0)
    assert (found.new, len(found.revised), found.missed) == ((), 2, False)


def test_an_id_that_several_entries_have_tells_nothing() -> None:
    first = compare(named(("home", "a"), ("home", "b")), Window(), now=100.0, previous_poll=None)
    found = compare(named(("home", "b"), ("home", "c")), first.window, now=200.0, previous_poll=100.0)
    assert ([entry.parsed.title for entry in found.new], found.revised) == (["c"], ())


def test_one_entry_that_tells_how_things_stand_is_new_when_it_is_dated_anew() -> None:
    first = compare(named(("now", "7 degrees"), published=90.0), Window(), now=100.0, previous_poll=None)
    later = compare(named(("now", "8 degrees"), published=150.0), first.window, now=200.0, previous_poll=100.0)
    assert [entry.parsed.title for entry in later.new] == ["8 degrees"]
    typo = compare(named(("now", "8 degrees!"), published=150.0), later.window, now=300.0, previous_poll=200.0)
    assert (typo.new, len(typo.revised)) == ((), 1)


def test_identity_ignores_dates_and_texts_but_not_titles() -> None:
    base = ParsedEntry(title="t", link="l", native_id="i", published=1.0)
    assert entry_uid(base) == entry_uid(ParsedEntry(title="t", link="l", native_id="i", published=2.0, content="x"))
    assert entry_uid(base) != entry_uid(ParsedEntry(title="T", link="l", native_id="i", published=1.0))
    assert len(entry_uid(ParsedEntry(title="\ud800"))) == 20  # a lone surrogate must not stop us


@given(
    names=st.lists(st.text("abcdef", min_size=1, max_size=6), min_size=1, max_size=6),
    raw=st.lists(st.one_of(st.none(), st.floats(-1e9, 4e9)), min_size=6, max_size=6),
)
def test_windows_are_sorted_unique_and_never_in_the_future(names: list[str], raw: list[float | None]) -> None:
    window, previous, now = Window(), None, 1e9
    for text in names:
        document = [ParsedEntry(title=name, published=raw["abcdef".index(name)]) for name in text]
        result = compare(document, window, now=now, previous_poll=previous)
        assert len(set(result.window.uids)) == len(result.window) == len(set(text))
        assert np.all(np.diff(result.window.times) >= 0)
        assert np.all(result.window.times <= now)
        assert result.missed == (bool(window.uids) and len(result.new) == len(set(text)))
        window, previous, now = result.window, now, now + 60.0
