"""Points on a plane as text, both axes logarithmic, for terminals."""

import math
from collections.abc import Callable, Mapping, Sequence

WIDTH, HEIGHT = 64, 16
Point = tuple[float, float]


def scatter(points: Mapping[str, Point], *, x: Callable[[float], str], y: Callable[[float], str]) -> list[str]:
    """Lines of a picture: each point a letter, the letters explained below; ``x`` and ``y`` write an axis's ends.

    Points that share a place share the letter of the first. Only what is finite and above 0 can be shown.

    >>> scatter({"a rule": (1.0, 1.0), "another": (8.0, 4.0)}, x=str, y=str)[0]
    '    4.0 |                                                                b'
    """
    shown = {name: at for name, at in points.items() if all(0.0 < value < math.inf for value in at)}
    if not shown:
        return []
    columns, rows = zip(*shown.values(), strict=True)
    grid = [[" "] * (WIDTH + 1) for _ in range(HEIGHT + 1)]
    letters: dict[str, str] = {}
    for number, (name, (right, up)) in enumerate(shown.items()):
        row, column = HEIGHT - _place(up, rows, HEIGHT), _place(right, columns, WIDTH)
        if grid[row][column] == " ":
            grid[row][column] = chr(ord("a") + number) if number < 26 else "·"
        letters[name] = grid[row][column]
    ends = {0: y(max(rows)), HEIGHT: y(min(rows))}
    lines = [f"{ends.get(place, ''):>7} |{''.join(line).rstrip()}" for place, line in enumerate(grid)]
    low, high = x(min(columns)), x(max(columns))
    return [*lines, f"{'':8}+{'-' * WIDTH}", f"{'':9}{low}{high:>{WIDTH - len(low)}}", *_legend(letters)]


def _place(value: float, all_values: Sequence[float], size: int) -> int:
    low, high = math.log(min(all_values)), math.log(max(all_values))
    return round(size * (math.log(value) - low) / (high - low)) if high > low else 0


def _legend(letters: Mapping[str, str]) -> list[str]:
    names: dict[str, list[str]] = {}
    for name, letter in letters.items():
        names.setdefault(letter, []).append(name)
    return [f"{'':9}{letter}  {', '.join(named)}" for letter, named in names.items()]
