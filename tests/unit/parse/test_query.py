"""The query language: what is understood, and what is said about what is not."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afresh.base.errors import ParseError
from afresh.feeds.queries.language import MAX_TEXT, parse_query
from afresh.feeds.queries.model import (
    And,
    Branch,
    Comparison,
    Contains,
    Dated,
    Equals,
    Field,
    Matches,
    Not,
    Or,
    Order,
    Query,
    Source,
    SourceKind,
)
from afresh.feeds.queries.reading import MAX_CONDITIONS, MAX_DEPTH, MAX_SOURCES

DAY = 86_400.0


def condition_of(text: str) -> object:
    return parse_query(f"CREATE FEED x AS RETURN ALL WHERE {text}").branches[0].condition


def test_the_statement_of_the_thesis_is_understood() -> None:
    query = parse_query(
        """
        CREATE FEED mine AS
        RETURN "http://a.example/1" AS $a | "http://b.example/2" AS $b
        WHERE  $a[ITEM CONTAINS "kw1" OR ITEM CONTAINS "kw2"] AND
               $b[CATEGORY = "kw1" OR CATEGORY = "kw2"];
        """
    )
    either = Or((Contains(Field.ITEM, ("kw1",)), Contains(Field.ITEM, ("kw2",))))
    classified = Or((Equals(Field.CATEGORY, "kw1"), Equals(Field.CATEGORY, "kw2")))
    assert query.branches == (
        Branch(Source(SourceKind.URL, "http://a.example/1"), either),
        Branch(Source(SourceKind.URL, "http://b.example/2"), classified),
    )
    assert (query.name, query.order, query.descending, query.limit, query.replace) == (
        "mine",
        Order.DATE,
        True,
        50,
        False,
    )


def test_every_kind_of_source_and_clause() -> None:
    query = parse_query(
        "create or replace feed f-1 title 'My \"feed\"' as"
        " return 17 | FOLDER \"/news/local/\" | tag 'x' | feed other | all"
        " where title contains 'a' -- a remark\n order by source desc limit 7"
    )
    assert [str(branch.source) for branch in query.branches] == [
        "17",
        'FOLDER "news/local"',
        'TAG "x"',
        "FEED other",
        "ALL",
    ]
    assert {branch.condition for branch in query.branches} == {Contains(Field.TITLE, ("a",))}
    assert (query.title, query.order, query.descending, query.limit, query.replace) == (
        'My "feed"',
        Order.SOURCE,
        True,
        7,
        True,
    )
    assert parse_query("CREATE FEED x AS RETURN ALL ORDER BY SOURCE").descending is False
    assert parse_query("CREATE FEED x AS RETURN ALL ORDER BY SCORE").descending is True


def test_a_source_without_filter_lets_everything_pass() -> None:
    query = parse_query('CREATE FEED x AS RETURN 1 AS $a | 2 WHERE $a[ITEM CONTAINS "y"]')
    assert [branch.condition is None for branch in query.branches] == [False, True]


def test_and_binds_closer_than_or_and_not_closest() -> None:
    a, b, c = (Contains(Field.ITEM, (name,)) for name in "abc")
    text = 'ITEM CONTAINS "a" OR NOT ITEM CONTAINS "b" AND ITEM CONTAINS "c"'
    assert condition_of(text) == Or((a, And((Not(b), c))))
    grouped = '(ITEM CONTAINS "a" OR ITEM CONTAINS "b") AND NOT (ITEM CONTAINS "c")'
    assert condition_of(grouped) == And((Or((a, b)), Not(c)))
    assert condition_of('AUTHOR != " Ann  LEE "') == Not(Equals(Field.AUTHOR, "ann lee"))


def test_words_are_folded_and_patterns_kept() -> None:
    assert condition_of('TITLE CONTAINS "Solar-POWER"') == Contains(Field.TITLE, ("solar", "power"))
    assert condition_of(r'LINK MATCHES "/blog/\d+\b"') == Matches(Field.LINK, r"/blog/\d+\b")
    assert condition_of(r'TITLE MATCHES "say \"hi\""') == Matches(Field.TITLE, 'say "hi"')


@pytest.mark.parametrize(
    ("written", "start", "length"),
    [
        ("1970-01-02", DAY, DAY),
        ("1970-02", 31 * DAY, 28 * DAY),
        ("1970-12", 334 * DAY, 31 * DAY),
        ("1971", 365 * DAY, 365 * DAY),
        ("1970-01-01T01:00Z", 3600.0, 60.0),
        ("1970-01-01T01:00:05+01:00", 5.0, 1.0),
    ],
)
def test_dates_are_spans(written: str, start: float, length: float) -> None:
    assert condition_of(f'DATE <= "{written}"') == Dated(Comparison.UNTIL, start, start + length)


def test_dates_may_be_relative_to_the_finding() -> None:
    assert condition_of("PUBDATE >= NOW - 7d") == Dated(Comparison.SINCE, -7 * DAY, -7 * DAY, relative=True)
    assert condition_of('DATE > NOW - "1d12h"') == Dated(Comparison.AFTER, -1.5 * DAY, -1.5 * DAY, relative=True)


MISTAKES = {
    "CREATE FED x": ("1:8", "expected FEED or OR REPLACE, found 'FED'"),
    "hello": ("1:1", "expected CREATE, found 'hello'"),
    "CREATE FEED Foo_Bar AS RETURN ALL": ("1:13", "try foo-bar"),
    "CREATE FEED ../x AS RETURN ALL": ("1:13", "expected a name"),
    "CREATE FEED x AS RETURN ALL WHERE": ("1:34", "expected a condition"),
    'CREATE FEED x AS\nRETURN ALL\nWHERE ITEM CONTANS "x"': ("3:12", "CONTAINS or MATCHES, found 'CONTANS'"),
    'CREATE FEED x AS RETURN "a': ("1:25", "the text is not closed"),
    'CREATE FEED x AS RETURN ALL AS $a WHERE $b[ITEM CONTAINS "x"]': ("1:41", "no source is called $b"),
    'CREATE FEED x AS RETURN 1 AS $a WHERE $a[ITEM CONTAINS "x"] AND $a[ITEM CONTAINS "y"]': ("1:65", "two filters"),
    "CREATE FEED x AS RETURN 1 AS $a | 2 AS $a": ("1:40", "two sources are called $a"),
    'CREATE FEED x AS RETURN ALL WHERE ITEM = "x"': ("1:40", "CONTAINS or MATCHES, not with ="),
    'CREATE FEED x AS RETURN ALL WHERE ITEM CONTAINS "!"': ("1:49", "looks for words"),
    'CREATE FEED x AS RETURN ALL WHERE ITEM MATCHES "("': ("1:48", "not a usable regular expression"),
    r'CREATE FEED x AS RETURN ALL WHERE ITEM MATCHES "(a)\1"': ("1:48", "backreferences are not available"),
    'CREATE FEED x AS RETURN ALL WHERE ITEM MATCHES "a(?=b)"': ("1:48", "look-around is not available"),
    'CREATE FEED x AS RETURN ALL WHERE DATE > "soon"': ("1:42", "not a date: 'soon'"),
    'CREATE FEED x AS RETURN ALL WHERE DATE > "2026-13-01"': ("1:42", "not a date"),
    "CREATE FEED x AS RETURN ALL WHERE DATE > NOW - 5q": ("1:48", "not a duration"),
    "CREATE FEED x AS RETURN ALL LIMIT 0": ("1:35", "1 to 500"),
    "CREATE FEED x AS RETURN ALL ORDER BY size": ("1:38", "expected DATE, SCORE or SOURCE"),
    "CREATE FEED x AS RETURN ALL; y": ("1:30", "expected the end, found 'y'"),
    "CREATE FEED x AS RETURN 99999999999999999999": ("1:25", "too large"),
    'CREATE FEED x AS RETURN FOLDER "//"': ("1:32", "needs a name"),
    "CREATE FEED x AS RETURN ALL WHERE " + "(" * 40 + 'ITEM CONTAINS "a"' + ")" * 40: (
        "1:75",
        f"than {MAX_DEPTH} deep",
    ),
    "CREATE FEED x AS RETURN ALL WHERE " + "NOT " * 900 + 'ITEM CONTAINS "a"': ("1:3635", f"than {MAX_DEPTH} deep"),
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes_are_shown_where_they_are(text: str) -> None:
    position, message = MISTAKES[text]
    with pytest.raises(ParseError) as caught:
        parse_query(text)
    assert message in str(caught.value)
    assert caught.value.position == position
    line, column = (int(part) for part in position.split(":"))
    assert str(caught.value).startswith(f"line {line}, column {column}: ")
    shown, caret = caught.value.excerpt.split("\n")
    assert caret.strip() == "^"
    assert len(shown) <= 100
    source = (text.split("\n")[line - 1] + " ")[column - 1]
    assert (shown + " ")[len(caret) - 1] == source


def test_what_is_too_much_is_refused() -> None:
    for text, message in (
        (" " * (MAX_TEXT + 1), "characters"),
        ("   ", "empty query"),
        ("CREATE FEED x AS RETURN " + " | ".join(["1"] * (MAX_SOURCES + 1)), "sources; at most"),
        ("CREATE FEED x AS RETURN ALL WHERE " + " OR ".join(['LINK = "a"'] * (MAX_CONDITIONS + 1)), "conditions"),
        ("CREATE FEED " + "x" * 65 + " AS RETURN ALL", "at most 64"),
    ):
        with pytest.raises(ParseError, match=message):
            parse_query(text)


WORDS = (
    "CREATE OR REPLACE FEED x AS RETURN ALL | FOLDER TAG 't' $a [ ] ( ) WHERE AND NOT ITEM TITLE CONTAINS = MATCHES"
    ' DATE < <= NOW - 7d 17 ORDER BY SCORE LIMIT ; -- \n \\ " é 東 \ud800 \0'
)


@settings(deadline=None)  # the first query builds the parser
@given(st.lists(st.sampled_from(WORDS.split(" ")), max_size=25).map(" ".join) | st.text(max_size=60))
def test_anything_is_a_query_or_a_parse_error(text: str) -> None:
    with suppress(ParseError):
        assert isinstance(parse_query(text), Query)
