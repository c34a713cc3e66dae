"""Numbers as people say them: how often, how long, how many; no exponents and no digits that mean nothing."""

import math

_DAY = 86_400.0
#: a unit, and how many of them a day has
_OFTEN = (
    ("a second", 86_400.0),
    ("a minute", 1_440.0),
    ("an hour", 24.0),
    ("a day", 1.0),
    ("a week", 1 / 7),
    ("a month", 12 / 365.25),
    ("a year", 1 / 365.25),
)
#: from how many seconds on a unit is used, its length and its name; hours from where minutes would round to 60
_LONG = ((2 * _DAY, _DAY, "days"), (3_570.0, 3_600.0, "h"), (90.0, 60.0, "min"), (0.0, 1.0, "s"))

MUST_SAVE = "a visit must save"  #: how every sentence about a price begins


def amount(number: float) -> str:
    """A number with the digits that matter, never with an exponent.

    >>> amount(1440.2), amount(25.0), amount(2.54), amount(0.044), amount(0.0004), amount(0.0)
    ('1,440', '25', '2.5', '0.04', 'less than 0.01', '0')
    """
    if not math.isfinite(number):
        return "unknown" if math.isnan(number) else "without limit"
    size = abs(number)
    if 0 < size < 0.005:
        return "less than 0.01" if number > 0 else "almost 0"
    return _trimmed(f"{number:,.2f}" if size < 1 else f"{number:,.1f}" if size < 10 else f"{number:,.0f}")


def counted(number: int, one: str, many: str = "") -> str:
    """How many there are of something, with its word.

    >>> counted(1, "day"), counted(0, "day"), counted(1200, "entry", "entries")
    ('1 day', '0 days', '1,200 entries')
    """
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def often(per_day: float, one: str = "", many: str = "") -> str:
    """How often something happens, in the unit in which that is a number of at least one.

    >>> often(72.0), often(1.0), often(2.0), often(0.15)
    ('about 3 times an hour', 'about once a day', 'about twice a day', 'about once a week')
    >>> often(1440.0 * 31, "entry", "entries"), often(24.0, "entry", "entries"), often(0.0, "entry", "entries")
    ('about 31 entries a minute', 'about 1 entry an hour', 'no entries')
    """
    if not per_day > 0 or not math.isfinite(per_day):
        return f"no {many}" if many else "never"
    unit, in_a_day = next((one for one in _OFTEN if per_day / one[1] >= 0.95), _OFTEN[-1])
    count = per_day / in_a_day
    number = amount(round(count) if count >= 3 else round(2 * count) / 2 if count >= 0.95 else count)
    if many:
        return f"about {number} {one if number == '1' else many} {unit}"
    return f"about {({'1': 'once', '2': 'twice'}).get(number, f'{number} times')} {unit}"


def roughly(seconds: float) -> str:
    """A length of time in one unit.

    >>> roughly(1200.0), roughly(4_020.0), roughly(9_000.0), roughly(259_200.0), roughly(2.54), roughly(86_400.0)
    ('20 min', '1.1 h', '2.5 h', '3 days', '2.5 s', '24 h')
    """
    if not math.isfinite(seconds):
        return "unknown" if math.isnan(seconds) else "ever"
    length, unit = next((length, unit) for least, length, unit in _LONG if abs(seconds) >= least)
    return f"{amount(round(seconds / length, 1 if abs(seconds) / length < 10 else 0))} {unit}"


def waiting(price: float) -> str:
    """What a request costs, as waiting: the price is in entry-seconds, one entry that waits for one second.

    >>> waiting(1.0), waiting(1_000.0)
    ('1 s of waiting', '17 min of waiting')
    """
    return f"{roughly(price)} of waiting"


def must_save(price: float) -> str:
    """What a visit has to be worth.

    >>> must_save(1_000.0)
    'a visit must save 17 min of waiting'
    """
    return f"{MUST_SAVE} {waiting(price)}"


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
