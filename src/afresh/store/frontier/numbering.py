"""Numbers of sites: each tells the bucket of its site, which is the one of its name.

``n * buckets + bucket``, n counted by bucket. A page's number begins with its site's, so it tells the bucket, too.
"""

from array import array
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from afresh.base.errors import StoreError
from afresh.base.page_numbers import HASH_BITS, HASH_MASK, MOST_SITES
from afresh.store.frontier.session import Session


def number_sites(session: Session, hashes: Mapping[str, int]) -> dict[str, int]:
    """New numbers for sites, by name, of these names and their hashes."""
    buckets = session.buckets
    in_bucket: defaultdict[int, list[str]] = defaultdict(list)
    for name, hashed in hashes.items():
        in_bucket[hashed % buckets].append(name)
    counts = [(bucket, len(members)) for bucket, members in sorted(in_bucket.items())]
    numbers: dict[str, int] = {}
    for bucket, last in session.insert_new("take_site_numbers", counts):
        members = in_bucket[bucket]
        numbers |= {name: n * buckets + bucket for n, name in enumerate(members, start=last - len(members) + 1)}
    if max(numbers.values()) > MOST_SITES:
        raise StoreError(f"the frontier is full: it holds {MOST_SITES:,} sites at most")
    return numbers


def moved_pages(pages: Any, site: int) -> Any:
    """Numbers of pages, as a list keeps them, under another number of their site; what is none stays as it is."""
    if not isinstance(pages, bytes) or len(pages) % 8:
        return pages
    return array("q", [(site << HASH_BITS) | (page & HASH_MASK) for page in array("q", pages)]).tobytes()
