"""Which differences count is what the watcher said."""

from dataclasses import replace
from itertools import pairwise

import pytest

from afresh.base.difference import compare
from afresh.base.records.watches import USUAL, Only, Watch
from afresh.pages.changes.always_changing import Restless
from afresh.pages.changes.deciding import Change, decide, leaves_out

_OLD = ["Title", "Price: 10 €", "In stock", "The end"]
NOW = 1_794_000_000.0


def decided(new: list[str], watch: Watch = USUAL, *, old: list[str] = _OLD) -> Change:
    return decide(old, new, watch, Restless(), visit=2, now=NOW)


def test_usually_every_difference_counts() -> None:
    assert not decided(_OLD).counts
    change = decided(["Title", "Price: 12 €", "In stock", "The end"])
    assert change.counts
    assert [row.new for row in change.rows] == ["Price: 12 €"]
    assert [row.new for row in change.difference.news] == ["Price: 12 €"]


@pytest.mark.parametrize(
    ("only", "new", "counts"),
    [
        (Only.ADDED, [*_OLD, "One more"], True),
        (Only.ADDED, _OLD[:-1], False),
        (Only.ADDED, ["Title", "Price: 10 €", "In stock again", "The end"], True),
        (Only.REMOVED, _OLD[:-1], True),
        (Only.REMOVED, [*_OLD, "One more"], False),
        (Only.REMOVED, ["Title", "Price: 10 €", "In", "The end"], True),
        (Only.NUMBERS, ["Title", "Price: 12 €", "In stock", "The end"], True),
        (Only.NUMBERS, ["Title", "Price: 10 €", "Sold out", "The end"], False),
    ],
)
def test_only(only: Only, new: list[str], counts: bool) -> None:
    assert decided(new, replace(USUAL, only=only)).counts is counts


def test_of_a_few_lines_that_somebody_chose_nothing_is_left_out() -> None:
    known, prices = Restless(), [["10 €"], ["12 €"]] * 5
    for visit, (old, new) in enumerate(pairwise(prices), start=2):
        known.learn(compare(old, new), visit=visit, is_soon=False)
    chosen = replace(USUAL, css=(".price",))
    assert not decide(["12 €"], ["10 €"], USUAL, known, visit=11, now=NOW).counts
    assert decide(["12 €"], ["10 €"], chosen, known, visit=11, now=NOW).counts
    assert leaves_out(chosen, ["a", "b", "c", "d"])


def test_at_least_so_many_words() -> None:
    watch = replace(USUAL, at_least=4)
    assert not decided([*_OLD, "three more words"], watch).counts
    assert decided([*_OLD, "three more words", "here"], watch).counts
    assert decided(["a", "★★★"], old=["a", "★★"]).counts  # signs alone are one
    assert not decided([*_OLD, "→"]).counts  # a sign more or less is the look of a page


def test_words_that_are_waited_for() -> None:
    comes = replace(USUAL, appears=("sold OUT", "gone"))
    assert decided(["Title", "Sold out", "The end"], comes).counts
    assert not decided(["Title", "Price: 12 €", "In stock", "The end"], comes).counts
    goes = replace(USUAL, vanishes=("in STOCK",))
    assert decided(["Title", "Price: 10 €", "The end"], goes).counts
    assert not decided([*_OLD, "something"], goes).counts
    assert decided(["Title", "The end"], replace(goes, appears=("nothing",))).counts  # one of them is enough


def test_a_page_built_anew_around_its_text_has_not_changed() -> None:
    assert not decided([*_OLD[2:], *_OLD[:2]]).counts
    assert decided([*_OLD[2:], *_OLD[:2]], replace(USUAL, everything=True)).counts


def test_what_passes_does_not_count_unless_everything_does() -> None:
    old, new = ["a", "5 minutes ago", "b"], ["a", "7 minutes ago", "b"]
    assert not decided(new, old=old).counts
    assert decided(new, replace(USUAL, everything=True), old=old).counts


def test_what_changes_at_every_visit_is_left_out_and_named() -> None:
    lines = [["a", f"{n} visitors", "b", "c"] for n in range(1, 11)]
    known = Restless()
    for visit, (before, after) in enumerate(pairwise(lines), start=2):
        known.learn(compare(before, after), visit=visit, is_soon=False)
    new = ["a", "99 visitors", "b", "news", "c"]
    change = decide(lines[-1], new, USUAL, known, visit=10, now=NOW)
    assert [row.new for row in change.rows] == ["news"]
    assert [row.new for row in change.left_out] == ["99 visitors"]
    change = decide(lines[-1], new, replace(USUAL, everything=True), known, visit=10, now=NOW)
    assert [row.new for row in change.rows] == ["99 visitors", "news"]
