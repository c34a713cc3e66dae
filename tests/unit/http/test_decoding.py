"""Bodies unpacked within limits."""

import contextlib
import gzip
import tracemalloc
import zlib

import brotli
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afresh.base.errors import TooLarge
from afresh.http.decoding import BrokenEncoding, decode


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


PACKERS = {"gzip": gzip.compress, "deflate": zlib.compress, "Deflate": raw_deflate, "br": brotli.compress}


@settings(deadline=None)
@given(data=st.binary(max_size=5000), name=st.sampled_from(sorted(PACKERS)))
def test_what_was_packed_is_unpacked_up_to_the_limit_and_not_a_byte_further(data: bytes, name: str) -> None:
    packed = PACKERS[name](data)
    assert decode(packed, name, len(data)) == data
    if data:
        with pytest.raises(TooLarge):
            decode(packed, name, len(data) - 1)


@settings(deadline=None)
@given(data=st.binary(max_size=300), name=st.sampled_from(["gzip", "deflate", "br", "gzip, br", "x-gzip", "zstd"]))
def test_nonsense_is_broken_too_large_or_bytes_but_nothing_else(data: bytes, name: str) -> None:
    with contextlib.suppress(BrokenEncoding, TooLarge):
        assert len(decode(data, name, 1000)) <= 1000


@pytest.mark.parametrize("name", ["", "identity", "UTF-8", " none ", ","])
def test_encodings_that_encode_nothing_are_ignored(name: str) -> None:
    assert decode(b"news", name, 10) == b"news"
    with pytest.raises(TooLarge):
        decode(b"news", name, 3)


def test_members_are_joined_and_padding_after_them_is_dropped() -> None:
    assert decode(gzip.compress(b"a") + gzip.compress(b"b") + b"\0\0", "gzip", 10) == b"ab"


def test_an_empty_body_is_empty_in_every_encoding() -> None:
    assert decode(b"", "gzip", 10) == b""


def test_layers_are_undone_from_the_last_and_too_many_are_refused() -> None:
    assert decode(brotli.compress(gzip.compress(b"x")), "gzip, br", 100) == b"x"
    with pytest.raises(BrokenEncoding, match="encodings"):
        decode(b"x", "gzip, gzip, gzip, gzip", 100)


def test_a_flood_of_tiny_members_is_refused() -> None:
    with pytest.raises(BrokenEncoding, match="members"):
        decode(gzip.compress(b"") * 1000, "gzip", 100)


@pytest.mark.parametrize("name", ["gzip", "br"])
def test_a_bomb_costs_no_more_memory_than_a_few_limits(name: str) -> None:
    limit = 1_000_000
    flood = bytes(50 * limit)
    bomb = gzip.compress(flood) if name == "gzip" else brotli.compress(flood, quality=5)
    del flood
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge):
            decode(bomb, name, limit)
        assert tracemalloc.get_traced_memory()[1] < 4 * limit
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["gzip", "deflate", "br"])
def test_a_cut_body_is_broken(name: str) -> None:
    with pytest.raises(BrokenEncoding):
        decode(PACKERS[name](b"news " * 100)[:-3], name, 10_000)
