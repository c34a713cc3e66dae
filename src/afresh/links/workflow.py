"""What a check changes in what is known of a link: entry status, standing, grace before "broken", drift.

The thesis lets the newest check decide ([M03] §4.2). Here the entry status still does; the *standing*, which people are
told of, is more patient: a server that does not answer today is suspect, and broken only after several failures on
several days. Our own outages and a site's wish for patience say nothing about the link.
"""

from dataclasses import replace

from afresh.base.records.links import SILENT, Check, CheckStatus, EntryStatus, LinkEvent, LinkState, Standing, Turned
from afresh.base.value_class import alike, dataclass

DAY = 86_400.0

_GONE = frozenset((CheckStatus.MISSING, CheckStatus.NET_NOT_FOUND))
_FAILING = frozenset(
    (
        *_GONE,
        CheckStatus.SERVER_ERROR,
        CheckStatus.ACCESS_DENIED,
        CheckStatus.NET_UNREACHABLE,
        CheckStatus.NET_TIMEOUT,
    )
)
#: What a page turns into for an hour and back: judged like a failure, not like a replacement.
_PASSING = frozenset((Turned.MAINTENANCE, Turned.ERROR, Turned.CAPTCHA, Turned.EMPTY, Turned.STAND_IN))
_WELL = frozenset((CheckStatus.NEW, CheckStatus.EQUAL, CheckStatus.SIMILAR))


@dataclass(frozen=True, slots=True, kw_only=True)
class Grace:
    """How long a link may fail before it is called broken: failures in a row, on so many different days (UTC)."""

    failures: int = 3
    days: int = 3
    missing_failures: int = 2  # the server itself, or the name service, says that there is nothing
    missing_days: int = 2


def advance(
    state: LinkState, check: Check, *, grace: Grace | None = None, step: float | None = None, drifted: bool = False
) -> LinkState:
    """The state after a check; ``step`` is P(same page) against the version before, ``drifted`` says it crept away.

    >>> down = Check(url="", at=0.0, status=CheckStatus.NET_TIMEOUT)
    >>> advance(LinkState(standing=Standing.OK), down).standing
    <Standing.SUSPECT: 'suspect'>
    """
    if check.status in SILENT:
        entry = _entry(state.entry)
        return replace(state, status=check.status, checked=check.at, detail=check.detail, entry=entry)
    known = state
    if is_failure(check):
        known = _count_failure(state, check.at)
    elif state.failures:
        known = replace(state, failures=0, failing_days=0, failing_day=-1, failing_since=None)
    standing = _standing(known, check, grace or Grace())
    return replace(
        known,
        status=check.status,
        checked=check.at,
        detail=check.detail,
        entry=EntryStatus.OK if check.status in _WELL else EntryStatus.NOT_OK,
        standing=standing,
        probability=check.probability,
        step=step,
        drifted=drifted,
        turned=check.turned,
        new_url=check.new_url,
        changed=check.at if standing is not state.standing else state.changed,
    )


def is_failure(check: Check) -> bool:
    """Whether the check brought nothing that counts: no answer, an error, or a page that stands in for an hour."""
    return check.status in _FAILING or (check.status is CheckStatus.DIFFERENT and check.turned in _PASSING)


def event_of(resource: int, url: str, title: str, before: LinkState, after: LinkState) -> LinkEvent | None:
    """What there is to tell: a change of standing; a first version found well, or a mere suspicion, is no news."""
    if after.standing is before.standing or after.status is None or after.checked is None:
        return None
    if after.standing in (Standing.SUSPECT, Standing.UNKNOWN):
        return None
    # From suspicion back to well: nobody was told of the suspicion.
    if after.standing is Standing.OK and before.standing in (Standing.UNKNOWN, Standing.SUSPECT):
        return None
    whose = {"resource": resource, "url": url, "title": title}
    return alike(LinkEvent, after, **whose, at=after.checked, before=before.standing, after=after.standing)


def _entry(entry: EntryStatus) -> EntryStatus:
    return EntryStatus.WAITING if entry is EntryStatus.RUNNING else entry


def _count_failure(state: LinkState, at: float) -> LinkState:
    day = int(at // DAY)
    return replace(
        state,
        failures=state.failures + 1,
        failing_days=state.failing_days + (day != state.failing_day),
        failing_day=day,
        failing_since=at if state.failing_since is None else state.failing_since,
    )


def _standing(state: LinkState, check: Check, grace: Grace) -> Standing:
    if not is_failure(check):
        return check.status.standing
    if check.http == 410:  # "gone" is the one answer that says for ever
        return Standing.BROKEN
    missing = check.status in _GONE
    failures = grace.missing_failures if missing else grace.failures
    days = grace.missing_days if missing else grace.days
    if state.failures >= failures and state.failing_days >= days:
        return Standing.BROKEN
    # Broken stays broken while it goes on failing, in whatever way.
    return Standing.BROKEN if state.standing is Standing.BROKEN else Standing.SUSPECT
