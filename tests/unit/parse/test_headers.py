"""What HTTP headers say about time."""

import pytest

from afresh.parse.headers import clock_offset, http_date, link_hub, max_age, retry_after

NOON = 784_123_200.0  # Sun, 06 Nov 1994 12:00:00 GMT
LATER = "Sun, 06 Nov 1994 12:10:00 GMT"
DATE = "Sun, 06 Nov 1994 12:00:00 GMT"


@pytest.mark.parametrize("text", [DATE, "Sunday, 06-Nov-94 12:00:00 GMT", "Sun Nov  6 12:00:00 1994"])
def test_three_forms_of_http_dates(text: str) -> None:
    assert http_date(text) == NOON


@pytest.mark.parametrize("text", [None, "", "0", "-1", "never", "x" * 10_000])
def test_no_dates(text: str | None) -> None:
    assert http_date(text) is None


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"cache-control": "public, max-age=600"}, 600.0),
        ({"cache-control": "max-age=600", "age": "100"}, 500.0),
        ({"cache-control": "max-age=600", "age": "700"}, 0.0),
        ({"cache-control": "max-age=600", "expires": DATE}, 600.0),
        ({"cache-control": 'Max-Age="60"'}, 60.0),
        ({"cache-control": "s-maxage=600"}, None),
        ({"cache-control": "max-age=999999999999"}, 366 * 86_400.0),
        ({"cache-control": "max-age=-5"}, None),
        ({"cache-control": "no-cache"}, 0.0),
        ({"expires": LATER, "date": DATE}, 600.0),
        ({"expires": LATER}, 540.0),
        ({"expires": DATE, "date": LATER}, 0.0),
        ({"expires": "0"}, 0.0),
    ],
)
def test_max_age(headers: dict[str, str], expected: float | None) -> None:
    assert max_age(headers, NOON + 60.0) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("-5", 0.0),
        ("1.5", 1.0),
        (LATER, 600.0),
        ("Sun, 06 Nov 1994 11:00:00 GMT", 0.0),
        ("999999999", 7 * 86_400.0),
        ("9" * 50, None),
        ("soon", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after(value: str | None, expected: float | None) -> None:
    assert retry_after(value, NOON) == expected


def test_clock_offset() -> None:
    assert clock_offset({"date": DATE}, NOON + 5.0) == 5.0
    assert clock_offset({"date": DATE, "age": "60"}, NOON + 65.0) == 5.0
    assert clock_offset({}, NOON) is None
    assert clock_offset({"date": "x"}, NOON) is None


@pytest.mark.parametrize(
    ("value", "hub"),
    [
        ('<https://hub.example.org/>; rel="hub"', "https://hub.example.org/"),
        ("<https://hub.example.org/>;rel=hub", "https://hub.example.org/"),
        (
            '<https://e.org/a,b;c>; rel="self", <https://h.org/>; title="x, <y>; rel=z"; REL="next Hub"',
            "https://h.org/",
        ),
        ('<https://one.org/>; rel=hub, <https://two.org/>; rel="hub"', "https://one.org/"),
        ('</relative>; rel="hub", <https://h.org/>; rel="hub"', "https://h.org/"),
        ('<javascript:alert(1)>; rel="hub"', ""),
        ('<https://e.org/>; title="rel=hub"', ""),
        ('<https://e.org/>; rel="hubs"', ""),
        ("<https://e.org/", ""),
        ("", ""),
    ],
)
def test_hub_of_link_header(value: str, hub: str) -> None:
    assert link_hub({"link": value}) == hub
    assert link_hub({}) == ""


def test_endless_link_header_is_quick() -> None:
    for value in ("<a>" + ";x=" * 1_000_000, "<" * 1_000_000, '<a>;x="' * 300_000):
        assert link_hub({"link": value}) == ""
