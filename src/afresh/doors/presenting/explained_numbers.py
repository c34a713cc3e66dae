"""The numbers of an explanation, each with a name that says what it is and in a unit that people read."""

import math
from collections.abc import Callable, Iterator, Mapping

from afresh.base.durations import format_duration
from afresh.base.plain_numbers import amount, often, waiting

#: numbers that are seconds without saying so
_SPANS = frozenset(
    {
        "shortest",
        "longest",
        "standard",
        "interval",
        "usual_interval",
        "mean_gap",
        "gap",
        "age",
        "silence",
        "learnt",
        "own_longest",
    }
)
_OF_BELIEF = frozenset({"evidence", "exposure_s"})  # of which nothing is said before there is one
_EVEN = 1.5  # times as even as chance, from which on that is worth a word
_WEEKDAYS = ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays")


def _share(value: float) -> str:
    return f"{100 * value:.0f} %"


def _comes(per_day: float) -> str:
    return often(per_day) if per_day else "not seen yet"


def _evenness(shape: float) -> str:
    """Of the shape of a gamma distribution: 1 is that of events that know nothing of each other.

    >>> _evenness(1.16), _evenness(4.0), _evenness(0.3)
    ('as by chance', 'even', 'in bursts')
    """
    return "even" if shape >= _EVEN else "in bursts" if shape <= 1 / _EVEN else "as by chance"


#: name: what it is called, and how it is written
_TOLD: dict[str, tuple[str, Callable[[float], str]]] = {
    "interval": ("interval", format_duration),
    "usual_interval": ("usual interval", format_duration),
    "shortest": ("shortest interval", format_duration),
    "longest": ("longest interval", format_duration),
    "standard": ("interval if none is known", format_duration),
    "mean_gap": ("between two entries", format_duration),
    "gap": ("between two entries", format_duration),
    "rate_per_day": ("comes", _comes),
    "per_day": ("comes", _comes),
    "lately_per_day": ("comes lately", often),
    "busiest_hour": ("busiest hour", lambda hour: f"{hour:02.0f}:00 to {(hour + 1) % 24:02.0f}:00 UTC"),
    "busiest_hour_factor": ("in that hour", lambda times: f"{amount(times)} times its average"),
    "busiest_weekday": ("busiest day", lambda day: _WEEKDAYS[int(day) % 7]),
    "weekend_factor": ("on weekends", lambda share: f"{_share(share)} of a weekday"),
    "busiest_minute": ("busiest minute", lambda minute: f"minute {minute:.0f} of the hour"),
    "busiest_minute_share": ("in that minute", lambda share: f"{_share(share)} of its entries"),
    "regularity": ("gaps between entries", lambda shape: f"{_evenness(shape)} ({amount(shape)}; 1: as by chance)"),
    "expected_since_newest": ("silent at the last visit", lambda count: f"for {amount(count)} times its usual gap"),
    "expected_entries": ("expected from visit to visit", lambda count: f"{amount(count)} entries"),
    "unseen": ("expected since the last visit", lambda count: f"{amount(count)} entries"),
    "window": ("entries in its document", amount),
    "price": ("price of a visit", waiting),
    "site_price": ("price at its site", waiting),
    "fairness": ("fairness between feeds", amount),
    "entry_counts": ("an entry counts", lambda times: f"{amount(times)} times"),
    "worth": ("worth of an entry", amount),
    "chosen": ("watched because", lambda _: "a person chose this page, not a sitemap"),
    "changes_seen": ("changes seen", amount),
    "watched_s": ("watched for", format_duration),
    "evidence": ("believed: as if of changes", amount),
    "exposure_s": ("believed: as if within", format_duration),
    "expected_freshness": ("up to date", lambda share: f"{_share(share)} of the time"),
    "fresh_now": ("up to date now", lambda share: f"with {_share(share)}"),
    "turns_ahead": ("pages before it", amount),
    "site_frequency_per_hour": ("visits of its site", lambda count: f"{amount(count)} an hour"),
    "turn_comes_in_s": ("its turn comes in", format_duration),
}


def told_numbers(numbers: Mapping[str, float]) -> Iterator[tuple[str, str]]:
    """What each number is called, and the number; those that are not known are left out.

    >>> list(told_numbers({"rate_per_day": 1440.0, "busiest_minute_share": 0.1091, "sitemap_worth_s": 90.0}))
    [('comes', 'about once a minute'), ('in that minute', '11 % of its entries'), ('sitemap worth', '1m30s')]
    """
    for name, value in numbers.items():
        if not math.isnan(value) and not (name in _OF_BELIEF and not numbers.get("exposure_s", 1.0)):
            yield number_name(name), quantity(value, name)


def number_name(name: str) -> str:
    """What a number of an explanation is called."""
    return _TOLD[name][0] if name in _TOLD else name.removesuffix("_s").replace("_", " ")


def quantity(value: float | None, name: str) -> str:
    """A number of an explanation in the unit that its name asks for.

    >>> quantity(5400.0, "interval"), quantity(12302.51, "found"), quantity(0.99996, "chance"), quantity(None, "gap")
    ('1h30m', '12,303', '1', '–')
    """
    if value is None:
        return "–"
    if name in _TOLD:
        return _TOLD[name][1](value)
    if name in _SPANS or name.endswith(("_s", "_seconds")):
        return format_duration(value)
    return amount(value)
