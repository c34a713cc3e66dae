"""Pages that a person chose: looked at soon, learnt from as the likelihood says, within the price and the bounds."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from afresh.base.models import CHOSEN, Kind
from afresh.base.settings.sections import RevisitSettings
from afresh.engine.add import Wanted, add
from afresh.engine.importing import read_import
from afresh.pages.model import PAGE_SIZE, PageModel
from afresh.pages.policies.belief import EVIDENCE, EXPOSURE, ODDS, belief_index, belief_interval
from afresh.pages.policies.site_clocked import SITE_CLOCKED
from afresh.store import open_store
from tests.unit.engine.test_visit import DAY, URL, Bench
from tests.unit.pages.test_planner import html

MINUTE, HOUR = 60.0, 3_600.0


def chosen() -> Bench:
    bench = Bench()
    bench.resource = replace(bench.resource, kind=Kind.PAGE, state_of=CHOSEN)
    return bench


def waits(bench: Bench, visits: int, *, changes: bool) -> list[float]:
    """Seconds from each visit to the next, which is made when it is due."""
    found: list[float] = []
    for turn in range(visits):
        bench.web.document(URL, html(f"text {turn if changes else 0}"), content_type="text/html")
        bench.visit(found[-1] if found else 0.0)
        found.append(bench.resource.due - bench.clock.now())
    return found


def test_it_is_looked_at_soon_and_then_after_waits_that_grow() -> None:
    found = waits(chosen(), 8, changes=False)
    assert found[0] < 30 * MINUTE
    assert found == sorted(found)
    assert sum(found[:4]) < DAY
    found_by_a_sitemap = Bench()
    found_by_a_sitemap.resource = replace(found_by_a_sitemap.resource, kind=Kind.PAGE)
    assert waits(found_by_a_sitemap, 1, changes=False)[0] > 3 * HOUR


def test_a_page_that_changes_all_the_time_is_fast_after_three_looks() -> None:
    bench = chosen()
    found = waits(bench, 4, changes=True)
    assert max(found) < 30 * MINUTE
    told = bench.kinds[Kind.PAGE].explain(bench.resource, now=bench.clock.now(), site=None, signals={})
    assert told.numbers["rate_per_day"] > 50
    assert told.numbers["changes_seen"] == 3.0


@pytest.mark.parametrize("period", [10 * MINUTE, HOUR, DAY, 30 * DAY])
def test_each_change_counts_for_as_long_as_it_waits(period: float) -> None:
    params, nothing = SITE_CLOCKED.parameters(), np.zeros(SITE_CLOCKED.world_size)
    row = PageModel(RevisitSettings()).row(np.empty(0), CHOSEN, 2.0)
    row[EVIDENCE], row[EXPOSURE] = 1.0, period
    wait = belief_interval(params, row, nothing, nothing, 1_000.0)
    assert wait == pytest.approx(math.sqrt(1_000.0 * period))  # of half the price, for it counts twice
    assert belief_index(params, row, nothing, nothing, wait) == pytest.approx(1_000.0)


def test_bounds_and_a_pinned_interval_hold() -> None:
    bench = chosen()
    bench.resource = replace(bench.resource, shortest=2 * HOUR, longest=3 * HOUR)
    assert all(2 * HOUR <= wait <= 3 * HOUR for wait in waits(bench, 6, changes=False))
    pinned = chosen()
    pinned.resource = replace(pinned.resource, pinned=10 * MINUTE)
    assert waits(pinned, 3, changes=False) == pytest.approx([10 * MINUTE] * 3)


def test_it_is_said_that_a_person_chose_it() -> None:
    bench = chosen()

    def told() -> tuple[str, dict[str, float]]:
        why = bench.kinds[Kind.PAGE].explain(bench.resource, now=bench.clock.now(), site=None, signals={})
        return why.summary, dict(why.numbers)

    waits(bench, 1, changes=False)
    summary, numbers = told()
    assert "nothing is known about its changes yet: chosen by a person" in summary
    assert numbers["chosen"] == 1.0
    assert numbers["interval"] < numbers["usual_interval"]
    bench.visit(10 * MINUTE)
    assert "chosen by a person, so its first visits come sooner" in told()[0]
    for _ in range(5):
        bench.visit(DAY)
    summary, numbers = told()
    assert "sooner" not in summary
    assert numbers["chosen"] == 1.0


def test_what_people_add_is_chosen_and_what_sitemaps_list_is_not(tmp_path: Path) -> None:
    store = open_store(f"{tmp_path}/pages.db")
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    sitemap = f"<urlset xmlns='{space}'><url><loc>https://a.example/listed</loc></url></urlset>".encode()
    wanted = [
        Wanted(url="https://a.example/", kind=Kind.PAGE),
        Wanted(url="https://a.example/feed"),
        *read_import(sitemap).wanted,
    ]
    bench = Bench()
    numbers = [item.id for item in add(store, wanted, bench.settings, now=0.0)]
    assert [store.get(number or 0).state_of for number in numbers] == [CHOSEN, "", ""]
    store.close()


def test_rows_of_earlier_versions_go_on_as_they_were() -> None:
    model = PageModel(RevisitSettings())
    old = np.array([1.0, 3.0, 50 * DAY, 0.0, 0.0, 0.0])
    row = model.row(old, "site-clocked", 1.0)
    assert len(row) == PAGE_SIZE
    assert not model.is_chosen(row)
    assert model.belief(row) == (3.0, 50 * DAY)
    before = model.row(old, "site-clocked", 1.0)
    model.learn(row, model.clock(np.empty(0)), last=0.0, now=DAY, changed=True)
    assert row[1] > before[1]
    assert not row[ODDS:].any()


def test_damaged_odds_leave_the_belief_that_was_drawn_from_them() -> None:
    model = PageModel(RevisitSettings())
    row = model.row(np.empty(0), CHOSEN, 1.0)
    broken = row.copy()
    broken[ODDS + 3] = np.nan
    again = model.row(broken, "site-clocked", 1.0)
    assert not model.is_chosen(again)
    assert model.belief(again) == model.belief(row)
