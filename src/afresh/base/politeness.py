"""Politeness in numbers: when a site may be asked again, and how errors slow us down."""

from afresh.base.models import Failed, Failure, Outcome, Rejected
from afresh.base.value_class import dataclass

DAY = 86_400.0
_UNREACHABLE = frozenset((Failure.DNS, Failure.CONNECT, Failure.TLS, Failure.TIMEOUT))


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """How much a site is spared; seconds."""

    delay: float = 1.0  # from the end of a request to the start of the next
    duration_factor: float = 0.0  # also wait this many times as long as the answer took (Mercator, Heritrix); 0: off
    max_duration_delay: float = 30.0  # but no longer than this on account of slowness
    backoff_base: float = 60.0  # after the first failure in a row
    backoff_cap: float = DAY  # one try a day, for ever
    max_retry_after: float = 7 * DAY  # wishes past this are mistakes or malice: asked again after a week


def backoff(failures: int, *, base: float = 60.0, cap: float = DAY, u: float = 0.5) -> float:
    """Seconds to wait after so many failures in a row: doubling from ``base`` to ``cap``, never giving up.

    ``u`` in [0, 1) spreads the waits over ±25 %, so that feeds that failed together do not come back together.

    >>> [backoff(n) for n in (0, 1, 2, 3, 50)]
    [0.0, 60.0, 120.0, 240.0, 86400.0]
    """
    if failures <= 0:
        return 0.0
    doubled = base * 2.0 ** min(failures - 1, 60)
    return min(cap, doubled) * (0.75 + 0.5 * u)


def next_allowed(
    outcome: Outcome,
    *,
    manners: Manners | None = None,
    delay: float | None = None,
    failures: int = 0,
    u: float = 0.5,
) -> float:
    """Earliest start of the next request to the site of this outcome.

    ``delay`` is the site's own (robots' Crawl-delay, the operator's wish) and replaces the manners' if longer;
    ``failures`` counts the site's failures in a row, this one included.
    """
    manners = manners or Manners()
    trip = outcome.trip
    wait = max(manners.delay, delay or 0.0)
    if manners.duration_factor > 0.0:
        slowness = manners.duration_factor * max(0.0, trip.finished - trip.started)
        wait = max(wait, min(slowness, manners.max_duration_delay))
    asked = site_rest_of(outcome, manners=manners)
    if asked is not None:
        wait = max(wait, asked)
    elif is_sites_trouble(outcome):
        wait = max(wait, backoff(max(1, failures), base=manners.backoff_base, cap=manners.backoff_cap, u=u))
    return trip.finished + wait


def retry_after_of(outcome: Outcome, *, manners: Manners | None = None) -> float | None:
    """Seconds the server asked us to stay away, or the gate would keep us, within reason; None if nobody did."""
    match outcome:
        case Rejected(retry_after=wait) | Failed(cause=Failure.LATER, retry_after=wait) if wait is not None:
            return min(max(wait, 0.0), (manners or Manners()).max_retry_after)
    return None


def site_rest_of(outcome: Outcome, *, manners: Manners | None = None) -> float | None:
    """Seconds the whole site is to be left alone, because it said so; None: it did not.

    A request that the gate kept back for robots.txt, or for the pause of another site, waits by itself.
    """
    if isinstance(outcome, Failed):
        return min(outcome.site_rest, (manners or Manners()).max_retry_after) or None
    return retry_after_of(outcome, manners=manners)


def is_sites_trouble(outcome: Outcome) -> bool:
    """Trouble that the site's other resources would meet as well; a 404 is one resource's own."""
    match outcome:
        case Rejected(status=status):
            return status == 429 or status >= 500
        case Failed(cause=cause):
            return cause in _UNREACHABLE
    return False
