"""The best fixed frequencies in hindsight against brute force."""

import numpy as np
import pytest

from afresh.lab.revisit.histories import Histories
from afresh.lab.revisit.replay_hindsight import hindsight_freshness, quiet_spells


def _histories(pages: list[list[float]], length: float = 100.0) -> Histories:
    n = len(pages)
    return Histories(
        page_ids=np.arange(n),
        site=np.zeros(n, dtype=np.int64),
        site_names=("s",),
        born=np.full(n, -50.0),
        ends=np.full(n, length),
        scored=np.zeros(n),
        weight=np.ones(n),
        offsets=np.concatenate(([0], np.cumsum([len(page) for page in pages]))).astype(np.int64),
        changes=np.concatenate([np.array(page, dtype=np.float64) for page in pages]),
    )


def _freshness(spells: np.ndarray, tau: float) -> float:
    """Share of time fresh if visited every tau from a random moment on, straight from the definition."""
    return float(np.where(spells <= tau, spells**2 / 2, tau * spells - tau**2 / 2).sum() / tau / spells.sum())


def test_two_pages_against_a_search_over_all_splits() -> None:
    histories = _histories([[10.0, 20.0, 70.0], [5.0, 6.0, 7.0, 50.0, 90.0]])
    offsets, spells = quiet_spells(histories)
    first, second = spells[: offsets[1]], spells[offsets[1] :]
    allowed = 0.8 * 8
    best = max(
        (_freshness(first, 100.0 / k) + _freshness(second, 100.0 / (allowed - k))) / 2
        for k in np.linspace(1e-3, allowed - 1e-3, 20_001)
    )
    assert hindsight_freshness(histories, 0.8) == pytest.approx(best, abs=1e-5)


def test_more_requests_never_hurt_and_quiet_pages_are_free() -> None:
    histories = _histories([[30.0, 60.0], []])
    values = [hindsight_freshness(histories, budget) for budget in (0.01, 0.1, 1.0, 10.0, 1000.0)]
    assert values == sorted(values)
    assert values[0] >= 0.5
    assert values[-1] == pytest.approx(1.0, abs=0.01)
