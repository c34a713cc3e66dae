"""By top-level domain: a fetcher gets the sites of the domain it prefers.  [G20] §4.3.2.1.

Not exclusive (two fetchers may prefer one domain) and not complete (a domain may be preferred by nobody, [G20] §7.2.3).
A fetcher that prefers nothing takes any site: one such fetcher is the remedy for the domains that nobody prefers.
"""

from collections.abc import Sequence

from afresh.base.records.frontier import Everything, FetcherAccount, Partition, TopLevelDomain


def partition(account: FetcherAccount, members: Sequence[FetcherAccount]) -> Partition:  # noqa: ARG001 (one shape)
    """The sites under the fetcher's preferred domain; without a preference any."""
    preferred = account.tld_preference.lower().strip().removeprefix(".")
    return TopLevelDomain(preferred) if preferred else Everything()
