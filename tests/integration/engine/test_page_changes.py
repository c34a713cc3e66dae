"""What is told of pages with a known script of changes: nearly all of it, and hardly anything else."""

from tests.bench.page_changes import measure_changes


def test_what_is_told_without_any_selector() -> None:
    told = measure_changes(6, 30)
    assert set(told) > {"static", "banner", "dates", "counter", "prices", "cookies", "redesign", "walls", "json"}
    assert told["all"].real >= 100
    assert told["all"].recall >= 0.99
    assert told["all"].precision >= 0.97


def test_what_is_told_with_the_selectors_of_the_documentation() -> None:
    told = measure_changes(6, 30, with_selectors=True)["all"]
    assert (told.recall, told.precision) == (1.0, 1.0)
