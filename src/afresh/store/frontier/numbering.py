"""Numbers of sites: each tells the bucket of its site, which is the one of its name.

``n * buckets + bucket``, n counted by bucket. A page's number begins with its site's, so it tells the bucket, too.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from afresh.base.errors import SchemaMismatch, StoreError
from afresh.base.hashing import bucket_of
from afresh.base.page_numbers import HASH_BITS, HASH_MASK, MOST_SITES
from afresh.store.frontier.session import Session

BUCKETS: Final = 64  # of a new frontier
MOST_BUCKETS: Final = 1_024
_SETTING = "SELECT value FROM setting WHERE key = 'buckets'"
_SOME_SITE = "SELECT id, name FROM site LIMIT 1"


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


def said_buckets(ask: Callable[[str], Sequence[Any] | None], where: str) -> int:
    """How many buckets a frontier says that it has; refuses one that says nothing sensible."""
    row = ask(_SETTING)
    text = str(row[0]) if row else ""
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MOST_BUCKETS):
        said = f"{text!r}" if row else "nothing"
        raise SchemaMismatch(
            f"{where}: the setting `buckets` of this frontier says {said}; it is written when a frontier is made,"
            " and must not change"
        )
    return int(text)


def find_buckets(ask: Callable[[str], Sequence[Any] | None], where: str) -> int:
    """How many buckets a frontier has; refuses one whose sites contradict what it says."""
    buckets = said_buckets(ask, where)
    site = ask(_SOME_SITE)
    if site is not None and isinstance(site[1], str) and bucket_of(site[1], buckets) != site[0] % buckets:
        raise SchemaMismatch(
            f"{where}: the sites of this frontier were not numbered for {buckets} buckets, though its setting"
            " `buckets` says so; put back what it was made with"
        )
    return buckets


def moved_pages(pages: Any, site: int) -> Any:
    """Numbers of pages, as a list keeps them, under another number of their site; what is none stays as it is."""
    if not isinstance(pages, bytes) or len(pages) % 8:
        return pages
    return array("q", [(site << HASH_BITS) | (page & HASH_MASK) for page in array("q", pages)]).tobytes()
