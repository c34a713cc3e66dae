"""Buckets: what belongs to a site has the site's bucket, and rows of one bucket are on one server.

The bucket is that of the site's name (``base.hashing.bucket_of``). Numbers of sites and of leases tell it:
``n * buckets + bucket``.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar

from afresh.base.errors import SchemaMismatch
from afresh.base.hashing import bucket_of

BUCKETS: Final = 64  # of what is made new
MOST_BUCKETS: Final = 1_024
_SETTING = "SELECT value FROM setting WHERE key = 'buckets'"
_SOME_SITE = "SELECT id, name FROM site ORDER BY name LIMIT 1"

T = TypeVar("T")
Item = TypeVar("Item")
Ask = Callable[[str], Sequence[Any] | None]


def said_buckets(ask: Ask, where: str) -> int:
    """How many buckets a database says that it has; refuses one that says nothing sensible."""
    row = ask(_SETTING)
    text = str(row[0]) if row else ""
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MOST_BUCKETS):
        said = f"{text!r}" if row else "nothing"
        raise SchemaMismatch(
            f"{where}: its setting `buckets` says {said}; it is written when the tables are made, and must not change"
        )
    return int(text)


def find_buckets(ask: Ask, where: str) -> int:
    """How many buckets a database has; refuses one whose sites contradict what it says."""
    buckets = said_buckets(ask, where)
    site = ask(_SOME_SITE)
    if site is not None and isinstance(site[1], str) and bucket_of(site[1], buckets) != site[0] % buckets:
        raise SchemaMismatch(
            f"{where}: its sites were not numbered for {buckets} buckets, though its setting `buckets` says so;"
            " put back what it was made with"
        )
    return buckets


def check_buckets(ask: Ask, where: str) -> None:
    """Refuses a store with another number of buckets than its statements know."""
    if (found := find_buckets(ask, where)) != BUCKETS:
        raise SchemaMismatch(f"{where} is divided into {found} buckets, this afresh knows {BUCKETS}; upgrade afresh")


def with_bucket(n: int, bucket: int) -> int:
    """The number that tells its bucket.

    >>> with_bucket(3, 7), bucket_in(with_bucket(3, 7))
    (199, 7)
    """
    return n * BUCKETS + bucket


def bucket_in(number: int) -> int:
    """The bucket that the number of a site or of a lease tells."""
    return number % BUCKETS


class OneServer:
    """All buckets are in one place."""

    is_divided = False

    def each(self, work: Callable[[Any], T], /) -> list[T]:
        found: T = self.look(work)  # type: ignore[attr-defined]
        return [found]

    def parted(self, items: Iterable[Item], _bucket: Callable[[Item], int], /) -> list[tuple[int | None, list[Item]]]:
        return [(None, list(items))]

    def away(self) -> list[str]:
        return []
