"""Pictures as they are kept: written and read without a library, and as any other program reads them."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from afresh.base.errors import ParseError
from afresh.parse.pictures import Pixels, compact, flatten, read_png, write_png


def pixels(height: int = 40, width: int = 30) -> Pixels:
    return np.random.default_rng(1).integers(0, 255, (height, width, 3), dtype=np.uint8)


@pytest.mark.parametrize("level", [0, 6])
def test_other_programs_read_what_is_written(level: int) -> None:
    with Image.open(BytesIO(write_png(pixels(), level=level))) as picture:
        assert (np.asarray(picture) == pixels()).all()
        assert picture.mode == "RGB"


def test_what_a_browser_took_is_flattened_and_made_compact_again() -> None:
    file = BytesIO()
    Image.fromarray(np.tile(pixels(), (4, 4, 1))).convert("RGBA").save(file, "PNG")
    flat = flatten(file.getvalue())
    assert len(flat) > 3 * 160 * 120
    assert (read_png(flat) == np.tile(pixels(), (4, 4, 1))).all()
    assert (read_png(compact(flat)) == read_png(flat)).all()
    assert len(compact(flat)) < len(flat) / 2


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"GIF89a",
        write_png(pixels())[:60],
        write_png(pixels())[:20],
        write_png(pixels()).replace(b"IDAT", b"IDOT"),
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR" + b"\xff" * 30,
    ],
)
def test_what_is_no_picture_is_refused(content: bytes) -> None:
    with pytest.raises(ParseError):
        read_png(content)


def test_a_file_that_a_browser_did_not_finish_is_refused() -> None:
    for content in (b"", b"GIF89a", write_png(pixels())[:-30]):
        with pytest.raises(ParseError):
            flatten(content)
