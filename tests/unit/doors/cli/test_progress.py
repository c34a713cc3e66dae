"""The progress bar: how many are done is seen at any width, and words get what is left."""

import io
import re

import pytest
from rich.console import Console

from afresh.doors.cli.progress import _Bar

HOSTS = "checking; left: " + ", ".join(f"a-rather-long-name-{n}.example.org 2{n}" for n in range(4))


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
def test_the_count_is_seen_at_any_width(width: int) -> None:
    screen = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None, legacy_windows=False)
    bar = _Bar(screen, "checking", 300, lambda: HOSTS)
    for _ in range(28):
        bar._drawn = 0.0
        bar._advance()
    with screen.capture() as capture:
        screen.print(bar._progress.get_renderable())
    [line] = capture.get().splitlines()
    assert " 28/300 " in line
    assert re.search(r"300 ━.* [\d-]:[\d-]{2}:[\d-]{2} ", line)
    assert len(line.rstrip()) <= width
    assert "checking; left: a" in line
    assert line.rstrip().endswith("23" if width == 200 else "…"), "all hosts where there is room"
