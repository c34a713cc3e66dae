"""Numbers of an explanation are told in words that cannot be taken for something else."""

import pytest

from afresh.doors.presenting.explained_numbers import told_numbers


@pytest.mark.parametrize("shape", [0.2, 0.9, 1.16, 3.0, 40.0])
def test_evenness_is_no_share(shape: float) -> None:
    [(name, words)] = told_numbers({"regularity": shape})
    assert name == "gaps between entries"
    assert "%" not in words
    assert "1: as by chance" in words


def test_silence_and_what_is_expected_are_not_taken_for_each_other() -> None:
    told = dict(told_numbers({"expected_since_newest": 3.2, "expected_entries": 2.1}))
    assert told == {
        "silent at the last visit": "for 3.2 times its usual gap",
        "expected from visit to visit": "2.1 entries",
    }
