"""Which fetcher gets a site? One partitioning a module; nothing here measures, asks or remembers.

``partition_for`` says which sites one fetcher may have. For *none*, *top-level domain* and the two hashes that follows
from the list of fetchers alone; for *round-trip time*, *geography* and *graph* sites are given homes beforehand
(``frontier.ranking``), and a fetcher may have the sites at home with it and those that nobody has yet.
"""

from collections.abc import Callable, Mapping, Sequence

from afresh.base.records.frontier import FetcherAccount, Partition, Partitioning
from afresh.frontier.partitionings import consistent_hash, homes, none, site_hash, tld
from afresh.frontier.partitionings.none import NOTHING

__all__ = ["EXCLUSIVE", "NOTHING", "partition_for"]

#: partitionings under which a site has exactly one owner
EXCLUSIVE = frozenset({Partitioning.SITE_HASH, Partitioning.CONSISTENT})

_Rule = Callable[[FetcherAccount, Sequence[FetcherAccount]], Partition]

_RULES: Mapping[Partitioning, _Rule] = {
    Partitioning.NONE: none.partition,
    Partitioning.TLD: tld.partition,
    Partitioning.SITE_HASH: site_hash.partition,
    Partitioning.CONSISTENT: consistent_hash.partition,
    Partitioning.RTT: homes.partition,
    Partitioning.GEOGRAPHIC: homes.partition,
    Partitioning.GRAPH: homes.partition,
}


def partition_for(mode: Partitioning | str, fetcher_uuid: str, members: Sequence[FetcherAccount]) -> Partition:
    """The sites a fetcher may have; a fetcher that is not a member may have none ([G20] §5.4.3).

    >>> ada, ben = (FetcherAccount(uuid=u, contact="o@example.org", name=u, registered=0.0) for u in ("a", "b"))
    >>> partition_for("fqdn_hash", "b", [ada, ben])
    HashClass(index=1, count=2)
    >>> partition_for("fqdn_hash", "c", [ada, ben])
    HashArcs(arcs=())
    """
    account = next((member for member in members if member.uuid == fetcher_uuid), None)
    return NOTHING if account is None else _RULES[Partitioning(mode)](account, members)
