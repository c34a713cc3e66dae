"""No partitioning: whoever asks first. The lease alone keeps two fetchers from one site.  [G20] §4.3."""

from collections.abc import Sequence

from afresh.base.records.frontier import Everything, FetcherAccount, HashArcs, Partition

#: no site at all
NOTHING = HashArcs(())


def partition(account: FetcherAccount, members: Sequence[FetcherAccount]) -> Partition:  # noqa: ARG001 (one shape)
    """Any site."""
    return Everything()
