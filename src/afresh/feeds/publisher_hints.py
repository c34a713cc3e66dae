"""What a feed's own hints allow: ttl, skipHours and skipDays of RSS, combined as one would expect."""

from collections.abc import Collection

from afresh.base.calendar import hour_of_day, next_hour, weekday

ALL_HOURS = 24
ALL_DAYS = 7


def earliest_allowed(
    after: float,
    *,
    ttl: float | None = None,
    skip_hours: Collection[int] = (),
    skip_days: Collection[int] = (),
    utc_offset: float = 0.0,
) -> float | None:
    """The first time at which none of the hints speaks against a poll; None if they say "never".

    Each hint is read by itself and the latest result counts ([R12] §2.3.2). Hours are 0 to 23, days Monday = 0, in
    the zone ``utc_offset`` seconds east of UTC. None, when all hours or all days are listed, means: fall back on the
    bounds.

    >>> saturday_2330 = 2 * 86_400.0 + 23.5 * 3600  # 1970-01-03
    >>> monday = 4 * 86_400.0
    >>> earliest_allowed(saturday_2330, ttl=3600.0, skip_hours=(0, 1), skip_days=(6,)) == monday + 2 * 3600
    True
    """
    hours = {h % ALL_HOURS for h in skip_hours}  # some feeds write 24 for midnight
    days = set(skip_days)
    if len(hours) >= ALL_HOURS or len(days) >= ALL_DAYS:
        return None
    t = after + (ttl if ttl is not None and ttl > 0 else 0.0) + utc_offset
    for _ in range(ALL_DAYS * ALL_HOURS + 1):
        if weekday(t) not in days and hour_of_day(t) not in hours:
            break
        t = next_hour(t)
    return float(t - utc_offset)
