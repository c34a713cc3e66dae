"""A log never fills up with the same line."""

import logging
import warnings

from afresh.doors.cli.logs import Sparingly, set_up_logs
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


def test_what_libraries_say_of_each_other_is_not_for_operators() -> None:
    """Declared in a thread while another one compiles, routes brought two warnings onto the screen of `afresh run`."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        set_up_logs("warning")
        for module in ("pydantic._internal._generate_schema", "somebody.elses"):
            warnings.warn_explicit("The 'alias' attribute has no effect", UserWarning, "x.py", 1, module=module)
    assert len(told) == 1
