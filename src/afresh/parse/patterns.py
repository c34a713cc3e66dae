"""Regular expressions as somebody wrote them into settings or options; RE2 is loaded with the first of them."""

from collections.abc import Callable, Sequence

Pattern = Callable[[str], bool]


def compile_all(written: Sequence[str]) -> tuple[Pattern, ...]:
    """A search for each; raises ParseError for what is no pattern."""
    if not written:
        return ()
    from afresh.parse.linear_regex import compile_linear  # noqa: PLC0415 (few have a pattern)

    return tuple(map(compile_linear, written))
