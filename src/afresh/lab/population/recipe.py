"""What a synthetic population is made of: shares, laws and their constants, with presets by name."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import nan
from types import MappingProxyType

from afresh.base.errors import ModelError
from afresh.feeds.patterns import Pattern

#: Shares of the classes among feeds that can be evaluated: dated and reachable.  [R12] Fig. 3.11, read from the text.
CLASS_SHARES: Mapping[Pattern, float] = MappingProxyType(
    {
        Pattern.SPONTANEOUS: 0.33,
        Pattern.ZOMBIE: 0.25,
        Pattern.SLICED: 0.18,
        Pattern.SINGLE_ENTRY: 0.095,
        Pattern.EMPTY: 0.085,
        Pattern.CONSTANT: 0.025,
        Pattern.CHUNKED: 0.025,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Constants of a population; the defaults meet the published results of the fixed intervals within about 15 %.

    Rates are entries in 20 days, the length of the published test phase.
    """

    classes: Mapping[Pattern, float] = field(default_factory=lambda: CLASS_SHARES)
    # rate law: P(rate > x) = (1 + x/scale)^-shape, cut at the fastest feed ever seen, 42 entries a minute
    publishing: float = 0.50  # share of feeds with a rate above 0
    scale: float = 4.0
    shape: float = 0.775
    fastest: float = 1.2e6
    # entries that come together
    batch_mean: float = 1.25  # geometric
    bulk_share: float = 0.05  # publishing feeds whose batches are of the order of the window
    crowding: float = 0.5  # fast feeds publish in batches of up to this part of their window; Table A.2 needs them
    same_second: float = 0.75  # share of feeds whose batches carry one time; the others spread theirs
    batch_spread: float = 60.0  # seconds between the entries of a spread batch
    on_the_minute: float = 0.10  # feeds rebuilt once a minute
    day_spread: float = 0.5  # standard deviation of a day's busyness over its mean
    # rare habits
    burst_share: float = 0.02
    bursts_per_week: float = 1.0
    burst_factor: tuple[float, float] = (3.0, 10.0)
    burst_hours: tuple[float, float] = (1.0, 24.0)
    fading: float = 0.35  # spontaneous feeds whose past was busier than their present
    fading_factor: float = 50.0  # how much busier, median
    waking: float = 0.20  # spontaneous and sliced feeds whose past was slower than their present; Table A.4 needs them
    waking_factor: float = 20.0  # how much slower, median
    daily_single: float = 0.0026  # single-entry feeds replaced once a day ("tip of the day")
    # zombies: dense old windows
    zombie_gap: float = 0.35 * 86_400.0  # median over feeds of the mean gap
    zombie_spread: float = 2.5  # standard deviation of its logarithm
    # change of rates during the period
    drift: float = 0.0  # standard deviation of the logarithmic change of rate from beginning to end
    dying: float = 0.0  # share of publishing feeds that stop within the period
    # what servers say and send
    ttl_share: float = 0.115
    conditional: float = 0.52  # servers that answer 304
    size_median: float = 17_000.0
    size_spread: float = 1.4
    # loss among all entries when ttl is obeyed by the three fastest feeds (Table 5.4: recall falls by a tenth)
    ttl_loss: float = 0.10
    planted_ttl: float = nan  # seconds the three fastest feeds announce; NaN: solved so that ttl_loss comes out
    variable_windows: float = 0.0  # share of feeds with recorded, varying windows; 0.10 was observed

    def __post_init__(self) -> None:
        total = sum(self.classes.values())
        if abs(total - 1) > 0.02 or any(share < 0 for share in self.classes.values()):
            raise ModelError(f"class shares must be 0 or more and add up to 1, not {total:.3f}")
        busy = sum(self.classes.get(p, 0.0) for p in PUBLISHING) / total
        if not 0 < self.publishing <= busy:
            raise ModelError(f"publishing must lie in (0, {busy:.3f}], the share of classes that may publish")


#: Classes that may have new entries by their own rate.
PUBLISHING = (Pattern.CONSTANT, Pattern.SLICED, Pattern.CHUNKED, Pattern.SPONTANEOUS)

RECIPES: Mapping[str, Recipe] = MappingProxyType(
    {
        "stationary": Recipe(),
        # [R12] §4.4.2 conjectures that rules which follow the rate win only when rates move
        "drifting": replace(Recipe(), drift=1.5, dying=0.10),
        # the lazy burst detector pays here, as it must not on the stationary one (IndHist/TTL 10, 3 against IndHist 10)
        "bursty": replace(
            Recipe(), burst_share=0.90, bursts_per_week=1.0, burst_factor=(20.0, 80.0), burst_hours=(2.0, 24.0)
        ),
    }
)


def recipe_named(kind: str) -> Recipe:
    """The preset of that name."""
    try:
        return RECIPES[kind]
    except KeyError:
        raise ModelError(f"unknown kind of population: {kind!r}; there are {', '.join(RECIPES)}") from None
