"""The demo web's publication processes have the patterns they are named after."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from afresh.feeds.patterns import DAY, Pattern, classify
from afresh.lab.web.catalogue import catalogue
from afresh.lab.web.patterns import Rhythm, Stream, publications

START = 1_700_000_000.0


def pattern_of(times: list[float], now: float, day: float) -> Pattern:
    """By the shipped classifier, with the demo's day stretched to a real one."""
    stretched = (np.array(times) - START) * (DAY / day)
    return classify(stretched, (now - START) * (DAY / day))


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
    assert pattern_of(times, now, day) == rhythm.pattern


def test_zombie_is_dead_by_the_calendar_too() -> None:
    times = Stream(publications(Rhythm(pattern=Pattern.ZOMBIE), seed=1, start=START, day=60)).until(START + 1e9)
    assert len(times) == 20
    assert pattern_of(times, START, DAY) == Pattern.ZOMBIE


def test_sliced_is_silent_for_half_the_day() -> None:
    rhythm = Rhythm(pattern=Pattern.SLICED, phase=0.25, per_day=200)
    times = Stream(publications(rhythm, seed=3, start=START, day=86_400.0)).until(START + 20 * DAY)
    phases = [(time - START) / DAY % 1 for time in times]
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


@given(
    st.sampled_from([pattern for pattern in Pattern if pattern is not Pattern.UNKNOWN]),
    st.integers(),
    st.lists(st.floats(-500, 2000), max_size=6),
)
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
