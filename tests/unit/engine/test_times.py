"""The times of a daemon's store, for its timekeeper."""

from contextlib import closing
from pathlib import Path

from afresh.base.settings import Settings
from afresh.engine.times import WatchedTimes
from afresh.store import open_store
from tests.laws.store_material import NOW, feeds, report

DAY = 86_400.0


def test_pauses_that_were_not_over_last_for_their_rest_and_the_store_does_not_bear_it(tmp_path: Path) -> None:
    left_alone: dict[str, float] = {}
    with closing(open_store(str(tmp_path / "afresh.db"))) as store:
        store.add(feeds(2), now=NOW)
        first, second = store.lease(holder="a", now=NOW, until=NOW + 60.0, limit=2)
        store.record([report(first, NOW, next_allowed=NOW + 600.0), report(second, NOW, next_allowed=NOW + 30 * DAY)])
        before = store.list_sites()
        ahead = NOW + 30 * DAY
        WatchedTimes(store, Settings(), leave_alone=left_alone.__setitem__).resume_pauses(ahead, since=NOW)
        assert left_alone == {first.site: ahead + 600.0, second.site: ahead + DAY}
        assert store.list_sites() == before
