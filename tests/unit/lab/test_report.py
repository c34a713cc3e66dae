"""Reports of experiments: figures in which every series can be told from the others."""

import re
from itertools import combinations
from pathlib import Path

import pytest

from afresh.lab.experiments.labels import Box
from afresh.lab.experiments.model import Experiment, Figure, Options, Outcome, Series
from afresh.lab.experiments.report import draw, style_of, write_report


@pytest.mark.parametrize("points", [True, False])
def test_no_two_of_many_series_look_the_same(points: bool) -> None:
    styles = [style_of(Series("s", [1.0], [1.0], points=points), place) for place in range(40)]
    assert len({tuple(sorted(style.items())) for style in styles}) == 40


def test_a_series_of_one_point_is_named_beside_it_and_in_the_legend() -> None:
    series = [Series(f"rule {k}", [float(k)], [float(k)], points=True) for k in range(15)]
    drawing = draw(Figure("many", "Many", "x", "y", series))
    assert [drawing.count(f">rule {k}<") for k in range(15)] == [2] * 15
    line = Series("a line", [0.0, 1.0], [0.0, 1.0])
    assert draw(Figure("two", "Two", "x", "y", [line, *series])).count(">a line<") == 1


def test_names_of_points_that_lie_close_together_do_not_overlap() -> None:
    names = [f"a_rule:number={number}" for number in range(30)]
    xs, ys = [1.0 + number % 4 * 0.01 for number in range(30)], [2.0 + number % 5 * 0.01 for number in range(30)]
    dense = Series("rules", [*xs, 30.0, 1.0], [*ys, 2.0, 90.0], points=True, names=[*names, "right", "top"])
    curve = Series("a curve", [1.0, 30.0], [90.0, 2.0])
    drawing = draw(Figure("dense", "Dense", "x", "y", [curve, dense], x_log=True, y_log=True))
    found = re.findall(r'<text style="font-size: 6px[^>]* x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]+)</text>', drawing)
    assert {name for *_, name in found} == {*names, "right", "top"}
    boxes = [Box(float(x), float(y), 3.2 * len(name), 6.0) for x, y, name in found]
    assert not [(one, two) for one, two in combinations(boxes, 2) if one.overlaps(two)]
    width = float(re.search(r'viewBox="0 0 ([\d.]+) ', drawing)[1])
    assert all(box.left + box.width < width for box in boxes)
    assert drawing == draw(Figure("dense", "Dense", "x", "y", [curve, dense], x_log=True, y_log=True))


def test_a_point_without_a_place_has_no_name() -> None:
    series = Series("rules", [1.0, 0.0, 3.0], [1.0, 2.0, float("nan")], points=True, names=["here", "zero", "none"])
    drawing = draw(Figure("few", "Few", "x", "y", [series], x_log=True, y_log=True))
    assert ">here<" in drawing
    assert ">zero<" not in drawing
    assert ">none<" not in drawing


def test_a_measured_value_and_the_published_one_share_a_heading(tmp_path: Path) -> None:
    rows = [{"rule": "a", "delay_feeds": 5_160.0, "published_delay_feeds": 3_600, "polls": 3}]
    chosen = Experiment("one", "One", "[R12] Table 1", lambda _: Outcome(rows=rows))
    write_report(chosen, chosen.run(Options()), tmp_path)
    page = (tmp_path / "report.html").read_text()
    assert "<th colspan='2' scope='colgroup'>delay feeds</th>" in page
    assert page.count(">published</th>") == 1
    assert "<td class='number'>1h26m</td><td class='number'>1h</td><td class='number'>3</td>" in page
    assert "| 1h26m | 1h | 3 |" in (tmp_path / "report.md").read_text()
    assert "a,5160.0,3600,3" in (tmp_path / "results.csv").read_text(), "programs read seconds"


def test_a_table_without_published_values_has_one_line_of_headings(tmp_path: Path) -> None:
    chosen = Experiment("two", "Two", "[R12]", lambda _: Outcome(rows=[{"rule": "a", "polls": 3}]))
    write_report(chosen, chosen.run(Options()), tmp_path, Options(seed=3, scale=0.2))
    page = (tmp_path / "report.html").read_text()
    assert "<code>afresh lab run two --seed 3 --scale 0.2</code>" in page
    assert page.count("<tr>") == 2
    assert "colspan" not in page.partition("<body>")[2]
