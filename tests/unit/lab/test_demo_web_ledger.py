"""The ledger counts what visitors did to a site: hand-made sequences of requests."""

import pytest

from afresh.lab.web.ledger import ABORT_SLACK, Breach, Ledger, Seen


class Visitor:
    """Makes requests on a ledger by the second."""

    def __init__(self, **options: float) -> None:
        self.ledger = Ledger(polite_delay=2.0, **options)  # type: ignore[arg-type]

    def ask(
        self, start: float, end: float, path: str = "/a", site: str = "x", status: int = 200, **promises: object
    ) -> Seen:
        seen = self.ledger.begin(site, path, start)
        self.ledger.finish(seen, end, status, **promises)  # type: ignore[arg-type]
        return seen

    @property
    def breaches(self) -> list[Breach]:
        return [violation.breach for violation in self.ledger.violations]


@pytest.fixture
def visitor() -> Visitor:
    return Visitor()


def test_a_polite_visitor_breaks_nothing(visitor: Visitor) -> None:
    for start in (0.0, 2.5, 5.0, 100.0):
        visitor.ask(start, start + 0.5)
    assert visitor.breaches == []
    assert visitor.ledger.requests == 4


def test_the_gap_counts_from_the_end_of_the_request_before(visitor: Visitor) -> None:
    visitor.ask(0.0, 1.5)
    visitor.ask(3.0, 3.1, "/b")
    [violation] = visitor.ledger.violations
    assert (violation.breach, violation.path, violation.previous) == (Breach.TOO_SOON, "/b", "/a")
    assert (violation.waited, violation.required, violation.at) == (1.5, 2.0, 3.0)


def test_sites_do_not_disturb_each_other(visitor: Visitor) -> None:
    visitor.ask(0.0, 1.0, site="x")
    visitor.ask(0.5, 1.2, site="y")
    visitor.ask(1.1, 1.3, site="z")
    assert visitor.breaches == []


def test_overlap_is_counted_once_per_request(visitor: Visitor) -> None:
    first = visitor.ledger.begin("x", "/a", 0.0)
    second = visitor.ledger.begin("x", "/b", 10.0)
    visitor.ledger.finish(first, 11.0, 200)
    assert visitor.breaches == [Breach.OVERLAP]
    third = visitor.ledger.begin("x", "/c", 13.0)  # the second is still open
    for seen in (second, third):
        visitor.ledger.finish(seen, 14.0, 200)
    assert visitor.breaches == [Breach.OVERLAP, Breach.OVERLAP]
    visitor.ask(16.0, 16.1)
    assert len(visitor.breaches) == 2


def test_retry_after_binds_the_whole_site_until_it_has_run_out(visitor: Visitor) -> None:
    visitor.ask(0.0, 1.0, status=429, retry_after=10.0)
    visitor.ask(5.0, 5.1, "/b")
    visitor.ask(10.9, 10.95, "/a")
    assert visitor.breaches == [Breach.RETRY_AFTER] * 2
    visitor.ask(13.0, 13.1)
    assert len(visitor.breaches) == 2
    violation = visitor.ledger.violations[0]
    assert (violation.waited, violation.required) == (4.0, 10.0)


def test_a_shorter_retry_after_does_not_shorten_a_longer_one(visitor: Visitor) -> None:
    visitor.ask(0.0, 1.0, status=503, retry_after=20.0)
    visitor.ask(5.0, 6.0, status=429, retry_after=2.0)
    visitor.ask(12.0, 12.1)
    assert visitor.breaches == [Breach.RETRY_AFTER] * 2


def test_a_hop_of_the_same_visit_is_excused_once(visitor: Visitor) -> None:
    visitor.ask(0.0, 0.1, status=302, redirect=("x", "/b?hop=1"))
    hop = visitor.ask(0.15, 0.2, "/b?hop=1")
    assert hop.is_hop
    assert visitor.breaches == []
    visitor.ask(0.3, 0.4, "/b?hop=1")
    assert visitor.breaches == [Breach.TOO_SOON]


def test_only_the_address_the_redirect_named_is_excused(visitor: Visitor) -> None:
    visitor.ask(0.0, 0.1, status=302, redirect=("x", "/b"))
    visitor.ask(0.2, 0.3, "/c")
    assert visitor.breaches == [Breach.TOO_SOON]


def test_a_redirect_does_not_excuse_for_ever(visitor: Visitor) -> None:
    visitor.ask(0.0, 0.1, status=302, redirect=("x", "/b"))
    visitor.ask(50.0, 50.1)
    visitor.ask(50.2, 50.3, "/b")
    assert visitor.breaches == [Breach.TOO_SOON]


def test_a_redirect_to_another_site_is_a_visit_of_that_site(visitor: Visitor) -> None:
    visitor.ask(0.0, 1.0, "/b", site="y")
    visitor.ask(1.0, 1.1, status=301, redirect=("y", "/b"))
    visitor.ask(1.2, 1.3, "/b", site="y")
    visitor.ask(1.4, 1.5, "/b", site="x")
    assert visitor.breaches == [Breach.TOO_SOON] * 2


def test_robots_txt_and_people_are_exempt_and_do_not_count_as_the_request_before(visitor: Visitor) -> None:
    visitor.ask(0.0, 0.1, "/robots.txt")
    visitor.ask(0.2, 0.3)
    visitor.ask(0.4, 0.5, "/robots.txt")
    person = visitor.ledger.begin("x", "/", 0.6, headers={"sec-fetch-dest": "document"})
    visitor.ledger.finish(person, 2.2, 200)
    visitor.ask(2.35, 2.4)
    assert visitor.breaches == []
    assert visitor.ledger.requests == 5


def test_disallowed_paths_are_a_breach(visitor: Visitor) -> None:
    seen = visitor.ledger.begin("x", "/private/", 0.0, allowed=False)
    visitor.ledger.finish(seen, 0.1, 200)
    assert visitor.breaches == [Breach.DISALLOWED]


def test_a_visitor_who_left_gets_the_time_the_server_needs_to_notice(visitor: Visitor) -> None:
    visitor.ask(0.0, 5.0, aborted=True)
    visitor.ask(7.0 - ABORT_SLACK / 2, 7.0)
    assert visitor.breaches == []
    visitor.ask(9.0 - ABORT_SLACK / 2, 9.0)  # an ordinary end has no such slack
    assert visitor.breaches == [Breach.TOO_SOON]
    assert visitor.ledger.aborted == 1
    assert visitor.ledger.statuses == {200: 2}


def test_crawl_delay_is_counted_apart() -> None:
    visitor = Visitor(crawl_delays={"x": 5.0})  # type: ignore[arg-type]
    visitor.ask(0.0, 1.0)
    visitor.ask(4.0, 5.0)
    visitor.ask(10.0, 10.1)
    assert visitor.breaches == []
    assert visitor.ledger.crawl_delay_ignored == 1


def test_summary_counts_answers() -> None:
    ledger = Ledger(polite_delay=0.0)
    for number, (status, pattern) in enumerate([(200, "Sliced"), (304, "Sliced"), (500, "Constant"), (404, "")]):
        headers = {"if-none-match": '"x"'} if status == 304 else {}
        ledger.finish(ledger.begin("x", "/a", number, headers=headers, pattern=pattern), number + 0.5, status)
    summary = ledger.summary()
    assert summary["requests"] == 4
    assert summary["not_modified"] == 1
    assert summary["conditional"] == 1
    assert summary["statuses"] == {"200": 1, "304": 1, "404": 1, "500": 1}
    assert summary["patterns"] == {"Sliced": 2}
    assert summary["politeness_violations"] == 0


def test_counts_go_on_when_the_log_is_full() -> None:
    ledger = Ledger(polite_delay=2.0, keep=3)
    for number in range(10):
        ledger.finish(ledger.begin("x", "/a", number), number + 0.5, 200)
    assert len(ledger.log) == len(ledger.violations) == 3
    assert ledger.summary()["politeness_violations"] == 9
