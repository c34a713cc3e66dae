"""Plots: the same data as JSON and CSV, and the library served from its package."""

import csv
import io

import numpy as np
import pytest

from afresh.doors.pages.pictures import distribution_plot, forecast_plot, rhythm_plot
from afresh.doors.pages.plots import Line, Plot, as_csv
from afresh.feeds.rules import load
from afresh.feeds.rules.outlook import outlook
from tests.fakes.asgi_client import AsgiClient
from tests.fakes.service_context import NOW, FakeContext, visit, watch

DAY = 86_400.0


@pytest.fixture
def number(context: FakeContext) -> int:
    watch(context.store, "https://a.example/feed", title="Alpha")
    return visit(context.store, titles=["one", "=cmd()"], links=["https://a.example/1", "https://a.example/2"])


@pytest.mark.parametrize("name", ["activity", "delay", "delays", "resources/{}/history", "resources/{}/forecast"])
def test_csv_has_the_points_of_the_json(client: AsgiClient, number: int, name: str) -> None:
    path = "/plots/" + name.format(number)
    plot = client.get(path + ".json").json()
    points = [
        (line["name"], str(x), str(y)) for line in plot["series"] for x, y in zip(line["x"], line["y"], strict=True)
    ]
    answer = client.get(path + ".csv")
    assert answer.headers["content-type"].startswith("text/csv")
    rows = list(csv.reader(io.StringIO(answer.text)))[1:]
    assert [(row[0], row[1], row[2]) for row in rows] == points


def test_history_shows_entries_against_visits(client: AsgiClient, number: int) -> None:
    plot = client.get(f"/plots/resources/{number}/history.json").json()
    series = {line["name"]: line for line in plot["series"]}
    assert series["visits (new entries)"]["y"] == [2]
    assert series["entries published (delay)"]["text"] == ["one", "=cmd()"]
    assert series["entries published (delay)"]["y"] == [90.0, 89.0]
    assert plot["y2"] == "delay, seconds"
    assert client.get("/plots/resources/999/history.json").status == 404


def test_delays_are_shares_of_all(context: FakeContext, number: int) -> None:
    plot = distribution_plot(context.store.entries())
    assert sum(float(value or 0.0) for value in plot.series[0].y) == pytest.approx(100.0)
    assert dict(zip(plot.series[0].x, plot.series[0].y, strict=True))["5 min"] == 100.0


def test_words_of_a_feed_are_no_formula() -> None:
    plot = Plot(title="t", x="x", y="y", series=(Line(name="=1+1", x=("@a",), y=(1,)),))
    assert as_csv(plot).body.decode().splitlines()[1] == "'=1+1,'@a,1,,"


def test_library_comes_from_its_package_and_is_kept(client: AsgiClient) -> None:
    answer = client.get("/static/chart.js", accept_encoding="gzip")
    assert answer.headers["content-encoding"] == "gzip"
    assert "Chart.js v" in client.get("/static/chart.js").text[:200]
    assert client.get("/static/chart.js", if_none_match=answer.headers["etag"]).status == 304


def test_a_learnt_rhythm_is_seen() -> None:
    """A feed that publishes at 9 h and 17 h UTC on weekdays: these hours stand out, and the week sums to its rate."""
    rule = load("priced")
    state = np.zeros(rule.state_size)
    start = 1_800_000_000.0 // DAY * DAY
    days = [start + day * DAY for day in range(56) if (start // DAY + day + 3) % 7 < 5]
    times = np.array(sorted(day + hour * 3600.0 for day in days for hour in (9, 17)))
    hints = np.full(9, np.nan)
    seen = 0
    for now in np.arange(times[0] + 600.0, times[-1] + 3600.0, 4 * 3600.0):
        known = int(np.searchsorted(times, now, side="right"))
        window = times[max(0, known - 20) : known]
        type(rule).step(rule.params(), state, float(now), window, known - seen, hints, 0.5)
        seen = known
    found = outlook(state, float(times[-1]) + 3600.0)
    week = found.week.reshape(7, 24)
    assert set(np.argsort(week[2])[-2:]) == {9, 17}
    assert week[2].sum() > 1.5 * week[6].sum()
    assert found.week.sum() == pytest.approx(10.0, rel=0.4)
    assert found.expected.shape == (24,)
    assert np.all(found.expected >= 0.0)
    plot = rhythm_plot(found)
    assert [line.name for line in plot.series] == ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    assert plot.unknown == ()
    # Watched from Thursday 06 h to 12 h: only these hours are drawn, the others are marked.
    little = rhythm_plot(found, start + 6 * 3600.0, start + 12 * 3600.0)
    drawn = {line.name: [hour for hour, rate in enumerate(line.y) if rate is not None] for line in little.series}
    day = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][int(start // DAY + 3) % 7]
    assert drawn.pop(day) == [6, 7, 8, 9, 10, 11]
    assert not any(drawn.values())
    assert len(little.unknown) == 18
    ahead = forecast_plot(found, float(found.starts[0]) - 7200.0, float(found.starts[0]))
    assert len(ahead.unknown) == 24
    assert ahead.y2 == ""


def test_nothing_is_forecast_where_nothing_was_learnt(client: AsgiClient, number: int) -> None:
    assert client.get(f"/plots/resources/{number}/forecast.json").json()["series"] == []


def test_the_first_minutes_are_shown_by_the_minute_without_gaps(client: AsgiClient, context: FakeContext) -> None:
    watch(context.store, "https://a.example/feed", title="Alpha")
    visit(context.store, at=NOW - 600, due=NOW - 1)
    visit(context.store, at=NOW - 300, due=NOW + 1)
    plot = client.get("/plots/activity.json").json()
    assert plot["y"] == "in a minute"
    assert plot["series"][0]["y"] == [1, 0, 0, 0, 0, 1]


def test_old_activity_is_shown_by_the_quarter(client: AsgiClient, context: FakeContext) -> None:
    watch(context.store, "https://a.example/feed", title="Alpha")
    visit(context.store, at=NOW - 10 * 3600, due=NOW - 1)
    visit(context.store, at=NOW - 10 * 3600 + 60, due=NOW + 1)
    plot = client.get("/plots/activity.json").json()
    assert (plot["y"], plot["series"][0]["y"]) == ("in 15 minutes", [2])
