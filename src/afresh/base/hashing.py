"""The one hash of the frontier: 63 bits, the same in every process, on every machine, in every version.

Sites are divided among fetchers by it, and stores keep it in a signed 64-bit column. Python's own ``hash`` is salted
per process and must not be used for this ([G20]'s prototype did, so that its parts disagreed on who owns a site).
"""

from functools import lru_cache
from hashlib import blake2b

#: hashes lie in 0 … HASH_SPACE - 1
HASH_SPACE = 1 << 63


def digest64(text: str) -> bytes:
    """BLAKE2b-64 of the UTF-8 text, whatever text: halves of characters have one, too."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def stable_hash(text: str) -> int:
    """The upper 63 bits of BLAKE2b-64 of the UTF-8 text.

    >>> stable_hash("www.example.com")
    2686494884384082392
    """
    return int.from_bytes(digest64(text), "big") >> 1


def site_hash(site: str) -> int:
    """Where a site lies in the space that hash partitionings divide; host names are compared without case."""
    return stable_hash(site.lower())


@lru_cache(maxsize=1 << 16)
def bucket_of(name: str, buckets: int) -> int:
    """The bucket, of so many, of a site and of all that belongs to it: rows of one bucket are on one server.

    >>> bucket_of("www.example.com", 64), bucket_of("WWW.example.com", 64)
    (24, 24)
    """
    return site_hash(name) % buckets


def ring_positions(uuid: str, count: int) -> tuple[int, ...]:
    """The places of one fetcher on the ring of consistent hashing, in the order they were drawn."""
    return tuple(stable_hash(f"{uuid}#{number}") for number in range(count))
