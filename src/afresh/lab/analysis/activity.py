"""Activity classes by mean entries a day.  [H12] §6.2."""

import math

from afresh.base.errors import ModelError

#: name and lower border, entries a day; the thesis names the borders 1 and 10, and 24 and 48 in its findings
ACTIVITY: tuple[tuple[str, float], ...] = (
    ("silent", 0.0),
    ("very slow", math.ulp(0.0)),
    ("moderate", 1.0),
    ("productive", 10.0),
    ("very productive", 48.0),
)


def activity_of(per_day: float) -> str:
    """The class of a feed with so many entries a day.

    >>> activity_of(0.5), activity_of(10.0)
    ('very slow', 'productive')
    """
    if not per_day >= 0.0:
        raise ModelError(f"entries a day cannot be {per_day:g}")
    return next(name for name, low in reversed(ACTIVITY) if per_day >= low)
