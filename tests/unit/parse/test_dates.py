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
    ["", " ", None, "soon", "Sunday", "10:30", "1803", "2003-13", "0000-00-00 00:00:00", "2004-13-01T00:00:00Z",
     "Fri, 31 Feb 2020 10:00:00 GMT", "99999-01-01", "1969-12-31T23:59:59Z", "Wed, 31 Dec 9999 23:59:59 -0100",
     "Tue, 5 Sep 2020 25:00:00 GMT", "9" * 60, "-" * 60, "1" * 10_000, "2020-01-01T00:00:00+99:99" + "0" * 50],
)  # fmt: skip
def test_unusable_dates_are_none(text: str | None) -> None:
    assert parse_date(text) is None


@pytest.mark.parametrize(
    ("text", "standard"),
    [
        ("2003", "2003-01-01T00:00:00Z"),
        ("2003-12", "2003-12-01T00:00:00Z"),
        ("-0312", "2003-12-01T00:00:00Z"),
        ("-03-12", "2003-12-01T00:00:00Z"),
        ("031231", "2003-12-31T00:00:00Z"),
        ("03-12-31", "2003-12-31T00:00:00Z"),
        ("99-12-31", "1999-12-31T00:00:00Z"),
        ("03335", "2003-12-01T00:00:00Z"),
        ("2004-366", "2004-12-31T00:00:00Z"),
        ("2003-012-31T10:14:55+00:00", "2003-12-31T10:14:55Z"),
        ("Fri, 2006/09/15 08:19:53 EDT", "2006-09-15T12:19:53Z"),
        ("Thu Aug 30 2012 17:26:16 +0200", "2012-08-30T15:26:16Z"),
        ("Sun Jul 15 01:16:00 +0000 2012", "2012-07-15T01:16:00Z"),
        ("Mon, 26 January 2004 16:31:00 AT", "2004-01-26T20:31:00Z"),
        ("Κυρ, 11 Ιούλ 2004 12:00:00 EST", "2004-07-11T17:00:00Z"),
        ("2004-július-13T9:15-05:00", "2004-07-13T14:15:00Z"),
        ("2004-05-25 오후 11:23:17", "2004-05-25T14:23:17Z"),
        ("2004-05-25 오전 12:23:17", "2004-05-24T15:23:17Z"),
        ("2004년 05월 28일  01:31:15", "2004-05-27T16:31:15Z"),
        ("Do, 07. März 2002 10:00:00 +0100", "2002-03-07T09:00:00Z"),
        ("jeu., 7 févr. 2002 10:00:00 GMT", "2002-02-07T10:00:00Z"),
        ("7 de septiembre de 2002", "2002-09-07T00:00:00Z"),
        ("Tue Jan 02 2024 03:04:05 GMT+0100 (CET)", "2024-01-02T02:04:05Z"),
        ("Tue Jan 02 2024 03:04:05 GMT-0500 (Central European Standard Time)", "2024-01-02T08:04:05Z"),
        ("Tue, 02 Jan 2024 03:04:05 GMT+1", "2024-01-02T02:04:05Z"),
        ("2024-01-02 03:04:05 UTC-8", "2024-01-02T11:04:05Z"),
        ("2024-01-02T03:04:05.5+01:00[Europe/Berlin]", "2024-01-02T02:04:05.5Z"),
        ("2024-01-02T03:04Z[UTC]", "2024-01-02T03:04:00Z"),
        ("2024年1月2日 3:04", "2024-01-02T03:04:00Z"),
        ("2024年01月02日", "2024-01-02T00:00:00Z"),
        ("1704164645", "2024-01-02T03:04:05Z"),
        ("1704164645123", "2024-01-02T03:04:05Z"),
    ],
)
def test_rare_forms(text: str, standard: str) -> None:
    assert parse_date(text) == parse_date(standard)


@pytest.mark.parametrize(
    "text",
    ["2003-366", "03-13-31", "2013-01-27-01", "2003-13-01", "Sun, 16 Dec 2012 11:47:32 +zz:00",
     "2012-12-16T11:47:32+00:zz", "Sun, 16 zzz 2012 11:47:32 GMT", "Sun, 99 Jun 2009 12:00:00 GMT",
     "2003-02-30T00:00:00Z", "Sun, 16 Dec 2012 1:2:3:4 GMT"],
)  # fmt: skip
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    assert parse_date(text) is None


def test_days_counted_from_new_year_and_years_nobody_means() -> None:
    assert parse_date("22013") == parse_date("2022-01-13")  # as feedparser reads it
    assert parse_date("Thu, 01 Jan 0100 00:00:01 +0100") is None
