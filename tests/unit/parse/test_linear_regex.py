"""Regular expressions and texts of entries: bounded whatever is written."""

import time

import pytest

from afresh.base.errors import ParseError
from afresh.parse.linear_regex import MAX_PATTERN, compile_linear
from afresh.parse.plain_text import MAX_TEXT, plain_text


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*$", "(.*a){20}$", "(x+x+)+y"])
def test_patterns_that_would_run_forever_do_not(pattern: str) -> None:
    begin = time.process_time()
    compile_linear(pattern)("a" * 50_000 + "x" * 50_000 + "!")
    assert time.process_time() - begin < 2.0  # a backtracking engine needs longer than the universe


def test_case_matters_only_if_asked() -> None:
    assert compile_linear("Straße")("STRASSE straße")
    assert not compile_linear("(?-i)Solar")("solar")
    assert compile_linear("東.都")("いま東京都に")
    assert not compile_linear("x")("\ud800 lone")


@pytest.mark.parametrize(
    "pattern", ["(", "[z-a]", "a{1001}", "((((a{100}){100}){100}){100})", "\ud800", "x" * (MAX_PATTERN + 1)]
)
def test_unusable_patterns_are_refused(pattern: str) -> None:
    with pytest.raises(ParseError, match="regular expression"):
        compile_linear(pattern)


def test_text_is_what_a_person_reads() -> None:
    assert plain_text("a &lt; b &amp; c") == "a < b & c"
    assert plain_text("<h1>One</h1>two<br>th<em>r</em>ee<style>p {}</style><!-- no -->") == "One two three"
    assert plain_text("1 < 2 and 3 > 2") != ""
    assert plain_text("") == ""
    assert "deep" in plain_text("<div>" * 5_000 + "deep")
    assert len(plain_text("x" * (2 * MAX_TEXT))) == MAX_TEXT
