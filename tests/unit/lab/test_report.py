"""Reports of experiments: figures in which every series can be told from the others."""

import pytest

from afresh.lab.experiments.model import Figure, Series
from afresh.lab.experiments.report import draw, style_of


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
