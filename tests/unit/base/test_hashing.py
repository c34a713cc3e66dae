"""Numbers that stores keep and machines share: they never change, whatever is done to the code that makes them."""

from hashlib import blake2b

import pytest

from afresh.base.hashing import digest64, stable_hash
from afresh.base.page_numbers import HASH_MASK, page_hash, page_hashes
from afresh.store.sql.rows import url_key


@pytest.mark.parametrize("text", ["", "https://www.example.com/a", "https://www.example.com/ä", "\ud800x"])
def test_every_number_of_a_text_comes_from_the_same_eight_bytes(text: str) -> None:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    number = int.from_bytes(digest, "big")
    assert digest64(text) == digest
    assert stable_hash(text) == number >> 1
    assert page_hash(text) == number & HASH_MASK
    assert url_key(text) == url_key(f"{text}#part") == number - (1 << 64) * (number >> 63)


def test_numbers_are_those_of_every_version_before() -> None:
    url = "https://www.example.com/a"
    assert (stable_hash(url), page_hash(url), url_key(url)) == (2494428354787821839, 63511499294, 4988856709575643678)
    assert page_hashes([url]) == [page_hash(url)]
