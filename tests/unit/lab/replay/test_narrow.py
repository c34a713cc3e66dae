"""A step behind its narrow call says what the step says."""

from typing import Any

import numpy as np
import pytest

from afresh.feeds.rules import hints, load
from afresh.lab.replay.narrow import FRAME, HINTS, HINTS_LENGTH, PARAMS, PARAMS_LENGTH, STATE, STATE_LENGTH, narrow

NOW = 1_700_000_000.0


@pytest.mark.parametrize("name", ["mavsync", "priced", "indhist"])
def test_the_narrow_call_is_the_step(name: str) -> None:
    rule: Any = load(name)
    step = type(rule).step
    params, window = rule.params(), NOW - np.array([90_000.0, 40_000.0, 9_000.0, 600.0])
    row = hints.row(np.full(rule.profile_size, 2e-5) if rule.profile_size else None, capacity=4.0, price=700.0)
    wide, slim = np.zeros(max(1, rule.state_size)), np.zeros(max(1, rule.state_size))
    frame = np.empty(FRAME, dtype=np.int64)
    frame[[PARAMS, STATE, HINTS]] = params.ctypes.data, slim.ctypes.data, row.ctypes.data
    frame[[PARAMS_LENGTH, STATE_LENGTH, HINTS_LENGTH]] = len(params), len(slim), len(row)
    expected = step(params, wide, NOW, window, 4, row, 0.25)
    assert narrow(step)(frame.ctypes.data, NOW, window.ctypes.data, len(window), 4, 0.25) == expected
    assert expected > NOW
    np.testing.assert_array_equal(slim, wide)
