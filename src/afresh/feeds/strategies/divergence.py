"""Constant rates: which share of the entries is lost, and the threshold that spends a budget.  [H12] §2.1."""

import numpy as np

from afresh.base.errors import ModelError
from afresh.base.models import Row


def saturation_coefficient(window: float, refresh_rate: float, rate: float) -> float:
    """Share of the entries that is lost at constant rates.  [H12] Def. 2.1.7.

    >>> saturation_coefficient(10, 1, 40)
    0.75
    """
    if window <= 0 or refresh_rate < 0 or rate < 0:
        raise ModelError("a window must be positive, rates must not be negative")
    return 1.0 - window * refresh_rate / rate if window * refresh_rate < rate else 0.0


def threshold_for(rates: Row, budget: float) -> float:
    """The threshold at which best effort spends ``budget`` per unit of time on sources of constant rate."""
    if not budget > 0.0:
        raise ModelError(f"budget must be positive, not {budget:g}")
    return float(np.sqrt(rates).sum() ** 2 / (2.0 * budget**2))
