"""Pages of resources by shortcuts: what they look at first must not change what they show."""

from pathlib import Path

import pytest

from afresh.base.models import Counters, ResourceFilter
from afresh.store import open_store
from afresh.store.sql import filters
from tests.laws.store import the_latest_visited_come_first_page_after_page
from tests.laws.store_material import NOW, feeds, report, take


@pytest.mark.parametrize("visits", [1, 2, 5])
def test_the_order_by_visit_holds_however_few_visits_are_looked_at(
    visits: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filters, "LATELY", visits)
    path = tmp_path / "afresh.db"
    the_latest_visited_come_first_page_after_page(lambda: open_store(str(path)))


@pytest.mark.parametrize("order", ["id", "due", "title", "last_visit"])
def test_the_few_that_fail_are_found_without_reading_all(order: str, tmp_path: Path) -> None:
    failing, usual = (
        filters.listing(ResourceFilter(failing=asked), after=0, limit=50, order=order) for asked in (True, None)
    )
    store = open_store(str(tmp_path / "afresh.db"))
    store.add(feeds(4), now=NOW)
    store.record([report(lease, counters=Counters(failures=1)) for lease in take(store, limit=1)])
    with store._database.reading() as connection:
        plan, other = (
            [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
            for sql, values in (failing, usual)
        )
    store.close()
    assert any("resource_failing" in step for step in plan), plan
    assert not any("SCAN resource" in step for step in plan), plan
    assert not any("resource_failing" in step for step in other), other
