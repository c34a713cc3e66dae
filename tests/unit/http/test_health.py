"""Whose fault a failure is."""

import pytest

from afresh.base.models import Failed, Failure, NotModified, Outcome, Rejected, Trip
from afresh.http.health import NetworkHealth, has_route


def trip(site: str, headers: dict[str, str] | None = None) -> Trip:
    url = f"http://{site}/feed"
    return Trip(url=url, final_url=url, started=0.0, finished=1.0, headers=headers or {})


def failed(site: str, cause: Failure = Failure.DNS, headers: dict[str, str] | None = None) -> Failed:
    return Failed(trip=trip(site, headers), cause=cause, detail="no answer")


def cause(outcome: Outcome) -> Failure:
    assert isinstance(outcome, Failed)
    return outcome.cause


def online() -> NetworkHealth:
    return NetworkHealth(sites=3, window=100.0, probe=lambda: True)


def run(health: NetworkHealth, *sites: str, start: float = 0.0) -> list[Failure]:
    return [cause(health.judge(failed(site), site, start + n)) for n, site in enumerate(sites)]


def test_when_many_sites_fail_and_none_answers_it_is_us() -> None:
    health = online()
    assert run(health, "a.example", "b.example", "c.example", "d.example") == [
        Failure.DNS,
        Failure.DNS,
        Failure.OFFLINE,
        Failure.OFFLINE,
    ]
    assert health.is_offline


def test_one_dead_site_failing_again_and_again_is_its_own_fault() -> None:
    assert set(run(online(), *["a.example"] * 20)) == {Failure.DNS}


@pytest.mark.parametrize(
    "sign",
    [
        NotModified(trip=trip("x.example")),
        Rejected(trip=trip("x.example"), status=500),
        failed("x.example", Failure.TIMEOUT, {"server": "slow"}),
        failed("x.example", Failure.PROTOCOL, {"server": "odd"}),
    ],
)
def test_an_answer_from_anybody_means_the_network_works(sign: Outcome) -> None:
    health = online()
    run(health, "a.example", "b.example", "c.example")
    assert health.judge(sign, "x.example", 3.0) is sign
    assert not health.is_offline
    assert run(health, "d.example", start=4.0) == [Failure.DNS]


def test_failures_long_ago_are_no_evidence() -> None:
    health = online()
    run(health, "a.example", "b.example")
    assert run(health, "c.example", start=500.0) == [Failure.DNS]


def test_our_own_refusals_prove_nothing() -> None:
    health = online()
    run(health, "a.example", "b.example")
    refusal = failed("x.example", Failure.ADDRESS)
    assert health.judge(refusal, "x.example", 3.0) is refusal
    assert run(health, "c.example", start=4.0) == [Failure.OFFLINE]


def test_without_a_route_even_the_first_failure_is_ours() -> None:
    assert run(NetworkHealth(probe=lambda: False), "a.example") == [Failure.OFFLINE]


@pytest.mark.parametrize("site", ["localhost:8000", "news.localhost", "127.0.0.1:80", "[::1]:8080"])
def test_sites_on_this_machine_prove_nothing_and_are_never_excused(site: str) -> None:
    health = NetworkHealth(sites=1, probe=lambda: False)
    assert run(health, site) == [Failure.DNS]
    assert not health.is_offline


def test_detail_and_trip_survive_the_new_label() -> None:
    original = failed("a.example")
    judged = NetworkHealth(probe=lambda: False).judge(original, "a.example", 0.0)
    assert isinstance(judged, Failed)
    assert (judged.trip, judged.detail) == (original.trip, original.detail)


def test_memory_is_bounded() -> None:
    health = NetworkHealth(sites=10**9, window=1e12, probe=lambda: True)
    run(health, *(f"s{n}.example" for n in range(3000)))
    assert len(health._failing) <= 1000


def test_the_route_probe_answers_without_raising() -> None:
    assert has_route() in (True, False)
