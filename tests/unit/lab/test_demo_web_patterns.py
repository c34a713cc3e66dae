"""The demo web's publication processes have the patterns they are named after."""

import itertools
from statistics import median, pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afresh.lab.web.catalogue import catalogue
from afresh.lab.web.patterns import REAL_DAY, Pattern, Rhythm, Stream, publications

START = 1_700_000_000.0


def classify(times: list[float], now: float, day: float) -> str:
    """The rules of [R12] §3.7.5 in the demo's own days; On-The-Fly is a matter of the document, not of the process."""
    if len(times) < 2:
        return "Single Entry" if times else "Empty"
    gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
    typical, longest, age = median(gaps), max(gaps), now - times[-1]
    if typical == 0:
        return "Chunked"
    if age >= 56 * day and age >= 8 * typical:
        return "Zombie"
    if typical > day and pstdev(gaps) >= typical / 10:
        return "Spontaneous"
    per_day = len(times) / ((times[-1] - times[0]) / day)
    if longest < day / 12 and longest < 12 * typical and per_day >= 4:
        return "Constant"
    return "Sliced"


RHYTHMS = {
    f"{site.name}{feed.path}": feed.rhythm
    for site in catalogue()
    for feed in site.feeds
    if feed.rhythm.pattern is not Pattern.ON_THE_FLY
}


@pytest.mark.parametrize("name", sorted(RHYTHMS))
@pytest.mark.parametrize("day", [60.0, 600.0])
def test_every_rhythm_of_the_catalogue_is_classified_as_its_pattern(name: str, day: float) -> None:
    rhythm = RHYTHMS[name]
    now = START + 28 * day  # four weeks of observation, as in the work
    times = Stream(publications(rhythm, seed=name, start=START, day=day)).until(now)
    assert classify(times, now, day) == rhythm.pattern


def test_zombie_is_dead_by_the_calendar_too() -> None:
    times = Stream(publications(Rhythm(pattern=Pattern.ZOMBIE), seed=1, start=START, day=60)).until(START + 1e9)
    assert len(times) == 20
    assert classify(times, START, REAL_DAY) == "Zombie"


def test_sliced_is_silent_for_half_the_day() -> None:
    rhythm = Rhythm(pattern=Pattern.SLICED, phase=0.25, per_day=200)
    times = Stream(publications(rhythm, seed=3, start=START, day=86_400.0)).until(START + 20 * REAL_DAY)
    phases = [(time - START) / REAL_DAY % 1 for time in times]
    assert all(0.25 <= phase <= 0.7501 for phase in phases)
    # A Poisson count of mean 4800 leaves four standard deviations with probability 6e-5 for another seed.
    assert 24 * 200 - 280 < len(times) < 24 * 200 + 280


def test_chunk_is_published_at_once() -> None:
    times = Stream(publications(Rhythm(pattern=Pattern.CHUNKED, size=5), seed=3, start=START)).until(START + 600)
    sizes = [len(list(group)) for _, group in itertools.groupby(times)]
    assert len(sizes) > 5
    assert set(sizes) == {5}


def test_single_entry_may_come_late() -> None:
    stream = Stream(publications(Rhythm(pattern=Pattern.SINGLE_ENTRY, offset_days=0.5), seed=0, start=START, day=60))
    assert [stream.count(START + at) for at in (0, 29.9, 30, 1e9)] == [0, 0, 1, 1]


@given(st.sampled_from(Pattern), st.integers(), st.lists(st.floats(-500, 2000), max_size=6))
def test_a_stream_only_grows_and_does_not_depend_on_when_it_was_asked(
    pattern: Pattern, seed: int, moments: list[float]
) -> None:
    asked_often = Stream(publications(Rhythm(pattern=pattern), seed=seed, start=START))
    for moment in moments:
        asked_often.count(START + moment)
    asked_once = Stream(publications(Rhythm(pattern=pattern), seed=seed, start=START))
    late = asked_once.until(START + 300)
    early = asked_often.until(START + 100)
    assert late[: len(early)] == early
    assert all(time <= START + 100 for time in early)
    assert all(time > START + 100 for time in late[len(early) :])
    assert late == sorted(late)
    assert all(time.is_integer() for time in late)


def test_a_moved_start_moves_everything_and_another_seed_changes_it() -> None:
    rhythm = Rhythm(pattern=Pattern.SLICED)
    here = list(itertools.islice(publications(rhythm, seed=1, start=START), 50))
    there = list(itertools.islice(publications(rhythm, seed=1, start=START + 7), 50))
    other = list(itertools.islice(publications(rhythm, seed=2, start=START), 50))
    assert [time + 7 for time in here] == there
    assert other != here
