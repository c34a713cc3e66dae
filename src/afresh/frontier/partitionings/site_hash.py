"""By the hash of the host name: remainder of a division by the number of fetchers.  [G20] §4.3.2.2.

Even and exclusive, and nothing is stored beside the hash: the remainder is taken when a list is asked for. Its price is
that one more fetcher moves nearly every site (N of N + 1), so that caches of names and robots.txt go cold.
"""

from collections.abc import Sequence

from afresh.base.records.frontier import FetcherAccount, HashClass, Partition


def partition(account: FetcherAccount, members: Sequence[FetcherAccount]) -> Partition:
    """The class whose number is the fetcher's place by registration, then UUID."""
    place = (account.registered, account.uuid)
    return HashClass(index=sum((other.registered, other.uuid) < place for other in members), count=len(members))
