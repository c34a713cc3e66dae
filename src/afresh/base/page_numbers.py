"""The number of a page: its site's number above, the hash of its URL below; and what is read off a URL.

``site << 36 | hash``: rows ordered by it lie site by site, and a URL is found without another index. Two URLs of a site
with the same 36 bits (seven pairs among a million pages) take neighbouring numbers.
"""

from collections.abc import Iterable
from hashlib import blake2b

from afresh.base.hashing import digest64

HASH_BITS = 36
HASH_MASK = (1 << HASH_BITS) - 1
MOST_SITES = (1 << 63 - HASH_BITS) - 1
LONGEST_URL = 2_048
LONGEST_NAME = 253
_from_bytes = int.from_bytes


def page_hash(url: str) -> int:
    """36 bits of the URL's BLAKE2b.

    >>> page_hash("http://a.example/") == page_hash("http://a.example/") < 2**36
    True
    """
    return _from_bytes(digest64(url), "big") & HASH_MASK


def page_hashes(urls: Iterable[str]) -> list[int]:
    """The same of many URLs, in less time; of such as can be encoded."""
    return [_from_bytes(blake2b(url.encode(), digest_size=8).digest(), "big") & HASH_MASK for url in urls]


def page_span(site: int) -> tuple[int, int]:
    """The first and the last number that a page of this site can have."""
    return site << HASH_BITS, (site << HASH_BITS) | HASH_MASK


def site_of(page: int) -> int:
    """The site's number in a page's."""
    return page >> HASH_BITS


def host_of(url: str) -> str:
    """The host of a canonical http(s) URL; '' if there is none, or if the URL is not one to keep.

    >>> host_of("https://www.example.org:8080/a?b"), host_of("http://[::1]/"), host_of("mailto:x@y.example")
    ('www.example.org', '[::1]', '')
    """
    if not url.startswith(("http://", "https://")) or len(url) > LONGEST_URL or "\0" in url:
        return ""
    authority = url.split("/", 3)[2]
    if "@" in authority:
        authority = authority.rpartition("@")[2]
    if authority.startswith("["):
        return authority.partition("]")[0] + "]" if "]" in authority else ""
    host = authority.partition(":")[0] if ":" in authority else authority
    return host if 0 < len(host) <= LONGEST_NAME else ""


def tld_of(site: str) -> str:
    """The top-level domain of a host; '' for an address.

    >>> tld_of("www.example.org"), tld_of("localhost"), tld_of("127.0.0.1")
    ('org', 'localhost', '')
    """
    label = site.rstrip(".").rpartition(".")[2]
    return "" if label.isdigit() or site.startswith("[") else label


def is_text(text: str) -> bool:
    """Whether every store can keep it: no NUL, no half of a surrogate pair."""
    if "\0" in text:
        return False
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return False
    return True
