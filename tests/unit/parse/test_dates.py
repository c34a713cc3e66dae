"""Dates as feeds write them."""

from datetime import UTC, datetime

import pytest

from afresh.parse.dates import parse_date


def at(*fields: int) -> float:
    return datetime(*fields, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Sat, 07 Sep 2002 00:00:01 GMT", at(2002, 9, 7, 0, 0, 1)),
        ("Sat, 07 Sep 02 00:00:01 GMT", at(2002, 9, 7, 0, 0, 1)),
        ("07 Sep 98 1:02 EST", at(1998, 9, 7, 6, 2)),
        ("Mon, 26 January 2004 16:31:00 EDT", at(2004, 1, 26, 20, 31)),
        ("Tue, 5 Sept 2020 10:00:00 +0530", at(2020, 9, 5, 4, 30)),
        ("Tue, 5 Sep 2020 10:00:00 GMT+0200", at(2020, 9, 5, 8, 0)),
        ("Tue, 5 Sep 2020 10:00:00 CEST", at(2020, 9, 5, 8, 0)),
        ("Tue, 5 Sep 2020 10:00:00 XYZ", at(2020, 9, 5, 10, 0)),
        ("Tue, 5 Sep 2020 10:00:00 +0000 (UTC)", at(2020, 9, 5, 10, 0)),
        ("2003-12-13T18:30:02Z", at(2003, 12, 13, 18, 30, 2)),
        ("2003-12-13T18:30:02+01:00", at(2003, 12, 13, 17, 30, 2)),
        ("2003-12-13T18:30:02.25-0100", at(2003, 12, 13, 19, 30, 2) + 0.25),
        ("2003-12-13 18:30:02", at(2003, 12, 13, 18, 30, 2)),
        ("2003-12-13T18:30", at(2003, 12, 13, 18, 30)),
        ("2003-12-13", at(2003, 12, 13)),
        ("20031213T183002Z", at(2003, 12, 13, 18, 30, 2)),
        ("Sun Nov  6 08:49:37 1994", at(1994, 11, 6, 8, 49, 37)),
        ("December 31, 2020 5:00 PM", at(2020, 12, 31, 17)),
        ("Thu, 1 Apr 2021 24:00:00 GMT", at(2021, 4, 2)),
        ("Wed, 31 Dec 9999 23:59:59 GMT", at(9999, 12, 31, 23, 59, 59)),
    ],
)
def test_reads_what_feeds_write(text: str, expected: float) -> None:
    assert parse_date(text) == expected
    assert parse_date(f"\n {text} ") == expected


@pytest.mark.parametrize(
    "text",
    ["", " ", None, "soon", "Sunday", "10:30", "2003", "2003-12", "0000-00-00 00:00:00", "2004-13-01T00:00:00Z",
     "Fri, 31 Feb 2020 10:00:00 GMT", "99999-01-01", "1969-12-31T23:59:59Z", "Wed, 31 Dec 9999 23:59:59 -0100",
     "Tue, 5 Sep 2020 25:00:00 GMT", "9" * 60, "-" * 60, "1" * 10_000, "2020-01-01T00:00:00+99:99" + "0" * 50],
)  # fmt: skip
def test_unusable_dates_are_none(text: str | None) -> None:
    assert parse_date(text) is None
