"""Which sites a fetcher may have, by hand."""

import pytest

from afresh.base.hashing import HASH_SPACE, ring_positions, site_hash, stable_hash
from afresh.base.records.frontier import (
    Everything,
    FetcherAccount,
    HashArcs,
    HashClass,
    Home,
    Partitioning,
    TopLevelDomain,
)
from afresh.frontier.partitionings import NOTHING, partition_for
from afresh.frontier.partitionings.consistent_hash import POSITIONS, ring


def account(uuid: str, registered: float = 0.0, tld: str = "") -> FetcherAccount:
    return FetcherAccount(uuid=uuid, contact="o@example.org", name=uuid, registered=registered, tld_preference=tld)


@pytest.mark.parametrize("mode", list(Partitioning))
def test_a_stranger_gets_nothing_and_so_does_anybody_without_members(mode: Partitioning) -> None:
    assert partition_for(mode, "stranger", [account("a")]) == NOTHING
    assert partition_for(mode, "a", []) == NOTHING


def test_none_is_everything() -> None:
    assert partition_for("none", "a", [account("a"), account("b")]) == Everything()


def test_a_preferred_domain_is_read_as_people_write_it() -> None:
    assert partition_for("top_level_domain", "a", [account("a", tld=" .DE ")]) == TopLevelDomain("de")


def test_who_prefers_no_domain_takes_any() -> None:
    assert partition_for("top_level_domain", "a", [account("a")]) == Everything()


def test_the_remainder_goes_by_registration_then_uuid_whatever_the_order_of_the_list() -> None:
    members = [account("z", 1.0), account("b", 2.0), account("a", 2.0)]
    assert [partition_for("fqdn_hash", uuid, members) for uuid in ("z", "a", "b")] == [
        HashClass(0, 3),
        HashClass(1, 3),
        HashClass(2, 3),
    ]


@pytest.mark.parametrize("mode", [Partitioning.RTT, Partitioning.GEOGRAPHIC, Partitioning.GRAPH])
def test_homes_are_asked_for_by_fetcher(mode: Partitioning) -> None:
    assert partition_for(mode, "a", [account("a")]) == Home("a")


def test_who_is_alone_on_the_ring_has_it_all() -> None:
    assert partition_for("consistent_hashing", "a", [account("a")]) == HashArcs(((0, HASH_SPACE),))


def test_an_empty_ring_owns_nothing() -> None:
    assert dict(ring(())) == {}
    assert ring(("a",), 0)["a"] == NOTHING


def test_a_site_goes_clockwise_to_the_next_place() -> None:
    """[G20] §4.3.2.3: what lies up to and including a place belongs to it; beyond the last the ring begins again."""
    one, two = ring_positions("a", 1)[0], ring_positions("b", 1)[0]
    low, high = sorted([(one, "a"), (two, "b")])
    arcs = ring(("a", "b"), 1)
    assert arcs[high[1]] == HashArcs(((low[0] + 1, high[0] + 1),))
    assert arcs[low[1]] == HashArcs(((0, low[0] + 1), (high[0] + 1, HASH_SPACE)))


def test_the_hash_never_changes() -> None:
    """Stores keep it: another value would move every site of every crawl."""
    assert stable_hash("www.example.com") == 2686494884384082392
    assert site_hash("WWW.Example.COM") == stable_hash("www.example.com")
    assert len(set(ring_positions("a", POSITIONS))) == POSITIONS
    assert all(0 <= place < HASH_SPACE for place in ring_positions("a", POSITIONS))
