"""Names of pages: the same for what Scrapy takes for the same, and for nothing else."""

from scrapy import Request
from scrapy.utils.request import RequestFingerprinter

from afresh.base.page_numbers import LONGEST_URL
from afresh.doors.scrapy.naming import due_time, once_more, page_of, site_of

NOW = 1_790_000_000.0


class ByHeader:
    """A project's own."""

    def fingerprint(self, request: Request) -> bytes:
        return bytes(request.headers.get("X-Who") or b"")


def name(request: Request) -> str:
    return page_of(request, RequestFingerprinter())


def test_equal_requests_have_one_name() -> None:
    first = Request("http://Example.org/a?b=1&a=2#part")
    assert name(first) == name(Request("http://example.org/a?a=2&b=1")) == "http://example.org/a?a=2&b=1"


def test_method_and_body_count() -> None:
    url = "http://example.org/"
    requests = [
        Request(url),
        Request(url, method="POST"),
        Request(url, method="POST", body="x"),
        Request(url, body="x"),
    ]
    assert len({name(one) for one in requests}) == 4
    assert name(requests[2]) == name(Request(url, method="POST", body="x"))


def test_a_fingerprinter_of_the_project_decides() -> None:
    url = "http://example.org/"
    one, other = (page_of(Request(url, headers={"X-Who": who}), ByHeader()) for who in "ab")
    assert one != other
    assert one.startswith(f"{url}#")


def test_names_fit_into_a_store() -> None:
    long = Request("http://example.org/" + "x" * 5_000)
    assert len(once_more(name(long))) <= LONGEST_URL
    assert name(long) != name(Request("http://example.org/" + "x" * 5_001))


def test_a_name_nobody_has() -> None:
    assert once_more("http://example.org/") != once_more("http://example.org/")


def test_the_site_is_the_host() -> None:
    assert site_of(Request("http://user@Example.org:8080/")) == "example.org"


def test_due_times_order_as_scrapy_does() -> None:
    lifo = [due_time(0, NOW + second, newest_first=True) for second in range(3)]
    fifo = [due_time(0, NOW + second, newest_first=False) for second in range(3)]
    start = [due_time(0, NOW + second, newest_first=True, is_start=True) for second in range(3)]
    assert sorted(lifo, reverse=True) == lifo
    assert sorted(fifo) == fifo
    assert sorted(start) == start
    assert max(lifo) < min(fifo) < min(start)
    assert max(start) < due_time(-1, NOW + 9, newest_first=True)
    beyond = [
        due_time(priority, NOW, newest_first=False) for priority in (10**9, 10_000, 9_999, -9_999, -10_000, -(10**9))
    ]
    assert beyond == sorted(beyond)
    assert 0.0 < beyond[0] == beyond[1] < beyond[2]
    assert beyond[-2] == beyond[-1] < NOW


def test_some_milliseconds_are_told_apart() -> None:
    for priority in (0, 10_000, -10_000):
        assert due_time(priority, NOW, newest_first=False) < due_time(priority, NOW + 0.03, newest_first=False)
