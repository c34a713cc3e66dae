"""Standing, grace, drift and news of a link, check by check."""

import pytest

from afresh.base.records.links import Check, CheckStatus, EntryStatus, LinkState, Standing, Turned
from afresh.links.workflow import DAY, Grace, advance, event_of

WELL = advance(LinkState(), Check(url="", at=0.0, status=CheckStatus.NEW))


def after(*checks: tuple[float, CheckStatus], start: LinkState = WELL, **more: object) -> LinkState:
    state = start
    for at, status in checks:
        state = advance(state, Check(url="", at=at, status=status, **more))  # type: ignore[arg-type]
    return state


@pytest.mark.parametrize(
    ("status", "entry", "standing"),
    [
        (CheckStatus.NEW, EntryStatus.OK, Standing.OK),
        (CheckStatus.EQUAL, EntryStatus.OK, Standing.OK),
        (CheckStatus.SIMILAR, EntryStatus.OK, Standing.OK),
        (CheckStatus.MOVED, EntryStatus.NOT_OK, Standing.MOVED),
        (CheckStatus.DIFFERENT, EntryStatus.NOT_OK, Standing.BROKEN),
        (CheckStatus.UNSUPPORTED, EntryStatus.NOT_OK, Standing.BROKEN),
        (CheckStatus.FRAGMENT_MISSING, EntryStatus.NOT_OK, Standing.BROKEN),  # of documents; nobody keeps fragments
        (CheckStatus.SYNTAX_URL, EntryStatus.NOT_OK, Standing.BROKEN),
        (CheckStatus.PROTOCOL_UNSUPPORTED, EntryStatus.NOT_OK, Standing.UNKNOWN),
        (CheckStatus.MISSING, EntryStatus.NOT_OK, Standing.SUSPECT),
        (CheckStatus.ACCESS_DENIED, EntryStatus.NOT_OK, Standing.SUSPECT),
        (CheckStatus.SERVER_ERROR, EntryStatus.NOT_OK, Standing.SUSPECT),
        (CheckStatus.NET_NOT_FOUND, EntryStatus.NOT_OK, Standing.SUSPECT),
        (CheckStatus.NET_UNREACHABLE, EntryStatus.NOT_OK, Standing.SUSPECT),
        (CheckStatus.NET_TIMEOUT, EntryStatus.NOT_OK, Standing.SUSPECT),
        (CheckStatus.OFFLINE, EntryStatus.OK, Standing.OK),  # as it was
        (CheckStatus.REFUSED, EntryStatus.OK, Standing.OK),
        (CheckStatus.THROTTLED, EntryStatus.OK, Standing.OK),
    ],
)
def test_every_status_has_its_consequence(status: CheckStatus, entry: EntryStatus, standing: Standing) -> None:
    state = after((1.0, status))
    assert (state.entry, state.standing, state.status, state.checked) == (entry, standing, status, 1.0)


def test_the_table_above_knows_every_status() -> None:
    [mark] = test_every_status_has_its_consequence.pytestmark  # type: ignore[attr-defined]
    assert {row[0] for row in mark.args[1]} == set(CheckStatus)


def test_a_server_is_dead_after_several_failures_on_several_days() -> None:
    down = CheckStatus.NET_TIMEOUT
    same_day = after(*((n * 60.0, down) for n in range(1, 50)))
    assert (same_day.standing, same_day.failures, same_day.failing_days) == (Standing.SUSPECT, 49, 1)
    two_days = after((1.0, down), (DAY + 1.0, down))
    assert two_days.standing is Standing.SUSPECT
    third = after((2 * DAY + 1.0, down), start=two_days)
    assert (third.standing, third.failing_since, third.changed) == (Standing.BROKEN, 1.0, 2 * DAY + 1.0)
    back = after((3 * DAY, CheckStatus.EQUAL), start=third)
    assert (back.standing, back.failures, back.failing_days, back.failing_since) == (Standing.OK, 0, 0, None)


def test_a_missing_page_is_believed_sooner_and_gone_at_once() -> None:
    missing = CheckStatus.MISSING
    assert after((1.0, missing), (2.0, missing), http=404).standing is Standing.SUSPECT
    assert after((1.0, missing), (DAY + 1.0, missing), http=404).standing is Standing.BROKEN
    assert after((1.0, missing), http=410).standing is Standing.BROKEN


def test_our_own_outages_count_for_nothing() -> None:
    down, ours = CheckStatus.NET_TIMEOUT, CheckStatus.OFFLINE
    state = after((1.0, down), *((n * DAY, ours) for n in range(1, 9)))
    assert (state.failures, state.failing_days, state.standing) == (1, 1, Standing.SUSPECT)
    assert state.status is ours


def test_a_maintenance_page_is_a_failure_and_a_parked_one_is_not() -> None:
    different = CheckStatus.DIFFERENT
    assert after((1.0, different), turned=Turned.MAINTENANCE).standing is Standing.SUSPECT
    assert after((1.0, different), turned=Turned.PARKED).standing is Standing.BROKEN
    for_days = after(*((n * DAY, different) for n in range(1, 4)), turned=Turned.MAINTENANCE)
    assert for_days.standing is Standing.BROKEN


def test_broken_stays_broken_while_it_goes_on_failing() -> None:
    parked = after((1.0, CheckStatus.DIFFERENT), turned=Turned.PARKED)
    assert after((2.0, CheckStatus.SERVER_ERROR), start=parked).standing is Standing.BROKEN


def test_grace_can_be_set() -> None:
    check = Check(url="", at=1.0, status=CheckStatus.SERVER_ERROR)
    assert advance(WELL, check, grace=Grace(failures=1, days=1)).standing is Standing.BROKEN


def test_news_is_a_change_that_people_care_about() -> None:
    def news(before: LinkState, after_it: LinkState) -> bool:
        return event_of(1, "u", "t", before, after_it) is not None

    suspect = after((1.0, CheckStatus.NET_TIMEOUT))
    broken = after((2 * DAY, CheckStatus.NET_TIMEOUT), (3 * DAY, CheckStatus.NET_TIMEOUT), start=suspect)
    assert broken.standing is Standing.BROKEN
    assert not news(LinkState(), WELL)
    assert not news(WELL, suspect)
    assert not news(suspect, after((2.0, CheckStatus.EQUAL), start=suspect))
    assert news(suspect, broken)
    assert not news(broken, after((9 * DAY, CheckStatus.NET_TIMEOUT), start=broken))
    assert news(broken, after((9 * DAY, CheckStatus.EQUAL), start=broken))
    assert news(WELL, after((1.0, CheckStatus.MOVED)))
    told = event_of(7, "u", "t", suspect, broken)
    assert told is not None
    assert (told.resource, told.before, told.after, told.at) == (7, Standing.SUSPECT, Standing.BROKEN, 3 * DAY)
