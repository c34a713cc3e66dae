"""Whether a document is nested so that building its tree would take quadratic time or memory.

Trees are built in time proportional to the depth at every tag, and an unclosed formatting element is opened again in
every following block. Ten thousand nested elements took half a second, two hundred thousand minutes; pages made by
people stay below a hundred levels.
"""

import numpy as np

#: Documents with fewer tags than this cannot be worth an attack.
SMALL = 400
DEPTH = 1_000
#: Unclosed elements times tags: how often formatting may have to be opened again.
REOPENED = 400_000

#: Beginnings of elements that are empty or that the next one of their kind closes; they do not nest by themselves.
_LEVEL = [
    name.encode()
    for start in ("br", "hr", "li", "td", "tr", "th", "dt", "dd", "rp", "rt")
    for name in (f"{start}>", f"{start} ", f"{start}/", f"{start}\n", f"{start}\t", f"{start}\r")
]
_LEVEL += [b"img", b"inp", b"opt", b"lin", b"met", b"sou", b"wbr", b"col", b"bas", b"emb", b"are", b"par", b"fra"]
_CODES = np.unique(np.array([code[0] << 16 | code[1] << 8 | code[2] for code in _LEVEL], np.int64))


def is_hostile(body: bytes) -> bool:
    """Whether the document must not be built into a tree."""
    if body.count(b"<") < SMALL:
        return False
    data = np.frombuffer(body.lower() + b"    ", np.uint8)
    at = np.flatnonzero(data[:-4] == ord("<"))
    after = data[at + 1]
    closing = after == ord("/")
    name = at + 1 + closing
    first = data[name].astype(np.int64)
    is_tag = (first >= ord("a")) & (first <= ord("z"))
    code = first << 16 | data[name + 1].astype(np.int64) << 8 | data[name + 2]
    paragraph = (first == ord("p")) & ~((data[name + 1] >= ord("a")) & (data[name + 1] <= ord("z")))
    counts = is_tag & ~paragraph & ~np.isin(code, _CODES)
    depth = np.cumsum(np.where(counts, np.where(closing, -1, 1), 0))
    if not depth.size:
        return False
    # Stray closing tags are ignored by browsers, so depth is what was opened above the lowest point so far.
    above = depth - np.minimum.accumulate(np.minimum(depth, 0))
    return bool(above.max() > DEPTH or above[-1] * int(at.size) > REOPENED)
