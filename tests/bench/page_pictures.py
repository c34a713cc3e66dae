"""What pictures of a page cost: bytes in the store by themselves and on another, and time to compare two.

A screen of prose 1,200 by 6,000 pixels, of which one paragraph has changed; drawn here, since a bench needs no browser.
``png_bytes`` is what an ordinary file of it takes.
"""

import random
import time
from io import BytesIO

import numpy as np
from PIL import Image, ImageDraw

from afresh.pages.changes.picturing import differing_rows, picture_difference
from afresh.parse.pictures import Pixels, compact, write_png
from afresh.store.sql.packing import pack, unpack
from tests.bench.page_round import words_of

_LINES, _HIGH = 300, 20


def screen(changed: int | None = None) -> Pixels:
    """Lines of words; one of them may be another, with a line added behind it."""
    draw = random.Random(1)
    lines = [" ".join(words_of(draw, 24)) for _ in range(_LINES)]
    if changed is not None:
        lines[changed : changed + 1] = ["quite another line than it was", "and one more"]
    picture = Image.new("RGB", (1_200, _LINES * _HIGH), "white")
    pen = ImageDraw.Draw(picture)
    for place, line in enumerate(lines[:_LINES]):
        pen.text((8, _HIGH * place), line, fill="black", font_size=14)
    return np.asarray(picture)


def measure() -> dict[str, float]:
    old, new = screen(), screen(changed=120)
    flat, later = write_png(old, level=0), write_png(new, level=0)
    ordinary = BytesIO()
    Image.fromarray(new).save(ordinary, "PNG")
    began = time.process_time()
    packed = pack(later, flat)
    packing = time.process_time() - began
    assert unpack(packed, flat) == later
    assert len(differing_rows(old, new)) == 1
    began = time.process_time()
    write_png(picture_difference(old, new))
    return {
        "png_bytes": float(len(ordinary.getvalue())),
        "stored_bytes": float(len(pack(later))),
        "later_bytes": float(len(packed)),
        "packing_cpu_seconds": packing,
        "difference_cpu_seconds": time.process_time() - began,
        "sent_bytes": float(len(compact(later))),
    }
