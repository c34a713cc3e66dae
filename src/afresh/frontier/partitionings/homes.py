"""Partitionings that give sites a home beforehand: round-trip time, geography and graph share this rule."""

from collections.abc import Sequence

from afresh.base.records.frontier import FetcherAccount, Home, Partition


def partition(account: FetcherAccount, members: Sequence[FetcherAccount]) -> Partition:  # noqa: ARG001 (one shape)
    """The sites at home with the fetcher, and those without a home: somebody must fetch a site first."""
    return Home(account.uuid)
