"""A log never fills up with the same line."""

import logging

from afresh.doors.cli.logs import Sparingly
from tests.fakes.clocks import StillClock


def line(words: str, *values: object, name: str = "asyncio", level: int = logging.ERROR) -> logging.LogRecord:
    return logging.LogRecord(name, level, "", 0, words, values, None)


def test_many_lines_of_a_kind_are_one_line_with_a_number() -> None:
    clock = StillClock()
    sparingly = Sparingly(clock.now, most=5)
    let_through = [sparingly.filter(line("accept failed: %s", number)) for number in range(1000)]
    assert sum(let_through) == 5
    assert sparingly.filter(line("something else"))
    clock.advance(61.0)
    last = line("accept failed: %s", 1000)
    assert sparingly.filter(last)
    assert last.getMessage() == "accept failed: 1000 (and 995 more like it before)"


def test_the_diary_of_visits_is_whole() -> None:
    sparingly = Sparingly(StillClock().now, most=5)
    assert all(sparingly.filter(line("visited %s", n, name="afresh.loop", level=logging.INFO)) for n in range(100))
