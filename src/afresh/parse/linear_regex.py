"""Regular expressions that cannot run forever: RE2, whose time is linear in the text whatever the pattern.

A pattern is written by a person, the text by anybody. A backtracking engine can be made to take minutes by the two
together; RE2 has no backreferences and no look-around in exchange.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import re2

from afresh.base.errors import ParseError

MAX_PATTERN = 1_000  # characters
_MEMORY = 1 << 20  # bytes a compiled pattern may take; refuses (x{1000}){1000}


def _options(*, captures: bool = False) -> re2.Options:
    options = re2.Options()
    options.case_sensitive = False  # as everywhere in queries; (?-i) brings it back
    options.log_errors = False
    options.never_capture = not captures
    options.max_mem = _MEMORY
    return options


@lru_cache(maxsize=4096)
def compile_linear(pattern: str) -> Callable[[str], bool]:
    """A search for the pattern; raises ParseError for what is no pattern or one RE2 does not have.

    >>> compile_linear("colou?r")("All COLORS")
    True
    """
    compiled = _compile(pattern)

    def search(text: str) -> bool:
        return compiled.search(text.encode("utf-8", "replace")) is not None

    return search


@lru_cache(maxsize=4096)
def removing(pattern: str) -> Callable[[str], str]:
    """A text without what matches the pattern; raises ParseError as ``compile_linear`` does.

    >>> removing(r"[0-9]+ views")("A page, 17 views")
    'A page, '
    """
    compiled = _compile(pattern)

    def without(text: str) -> str:
        return str(compiled.sub(b"", text.encode("utf-8", "replace")).decode("utf-8", "replace"))

    return without


def substitute_linear(pattern: str, replacement: str) -> Callable[[str], str]:
    """Replaces what the pattern finds; ``\\1`` stands for its first group.

    >>> substitute_linear("^http://(.*)", r"https://\\1")("http://example.org/")
    'https://example.org/'
    """
    compiled = _compile(pattern, captures=True)
    try:
        compiled.sub(replacement, "")
        compiled.sub(replacement, pattern)
    except (re2.error, IndexError, ValueError) as error:
        raise ParseError(f"not a usable replacement: {replacement[:200]!r} ({_reason(error)})") from error

    def substitute(text: str) -> str:
        return str(compiled.sub(replacement, text))

    return substitute


def _compile(pattern: str, *, captures: bool = False) -> Any:
    if len(pattern) > MAX_PATTERN:
        raise ParseError(f"a regular expression of {len(pattern)} characters; at most {MAX_PATTERN} are allowed")
    try:
        return re2.compile(pattern, options=_options(captures=captures))
    except (re2.error, UnicodeEncodeError) as error:
        raise ParseError(f"not a usable regular expression: {_reason(error)}{_hint(pattern)}") from error


def _reason(error: Exception) -> str:
    told = error.args[0] if error.args else ""
    return told.decode("utf-8", "replace") if isinstance(told, bytes) else str(told)


def _hint(pattern: str) -> str:
    if "(?=" in pattern or "(?!" in pattern or "(?<" in pattern:
        return "; look-around is not available (it could run forever), use several patterns or conditions"
    if any(f"\\{digit}" in pattern for digit in range(1, 10)):
        return "; backreferences are not available (they could run forever)"
    return ""
