"""Documents with some bytes cut, doubled, changed or put in, the same for the same generator of numbers."""

import random
from collections.abc import Sequence

NASTY = (
    b"\0", b"<", b">", b"&", b"]]>", b"<![CDATA[", b"<!--", b"-->", b"\xff", b"\xfe\xff", b"&#0;", b"&#xD800;", b"&x;",
    b"</item>", b"<item>", b"<!DOCTYPE x [", b"<?xml version='1.0' encoding='utf-7'?>", b"{", b'"', b"\xed\xa0\x80",
    b'xml:base="http://["', b"<entry>", b"99999999999999999999", b"\xc3", b"xmlns=''", b"<br>", b"</b>", b"&amp;",
    b"\xf0\x9f\x98\x80", b"\x1f", b'<item _="1"/>', b"[" * 50, b"<a>" * 300, b"%00", b"\\ud800", b"-" * 40, b"=",
)  # fmt: skip


def mutated(rng: random.Random, corpus: Sequence[bytes], most: int = 6) -> bytes:
    """One document of the corpus with up to so many changes."""
    body = bytearray(rng.choice(corpus))
    for _ in range(rng.randint(1, most)):
        at = rng.randrange(len(body) + 1)
        match rng.randrange(4):
            case 0:
                del body[at : at + rng.randrange(1, 200)]
            case 1:
                body[at:at] = rng.choice(NASTY)
            case 2:
                body[at:at] = body[at : at + rng.randrange(1, 400)]
            case _:
                body[at : at + 1] = bytes([rng.randrange(256)])
    return bytes(body)
