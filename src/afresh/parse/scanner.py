"""A compiled scanner that cuts a feed's flat items into elements and puts their text in plain form.

It reads a sequence of items, each a row of elements with text, CDATA sections or nothing inside, and gives up on
anything else. It expands the five references XML defines and numbers; it copies no more than it is given.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from afresh.core.compiled import compiled

#: Columns of a row: which of the wanted names, start and end of its attributes in the document, start and end of its
#: text in the output. The name -1 ends an item; an end of the text below 0 says that the text still is markup.
COLUMNS = 5

_BYTES = types.Array(types.uint8, 1, "C", readonly=True)


@compiled(types.int64(_BYTES, types.int64, _BYTES))
def _starts_with(data: NDArray[np.uint8], at: int, word: NDArray[np.uint8]) -> int:
    if at + word.size > data.size:
        return 0
    for i in range(word.size):
        if data[at + i] != word[i]:
            return 0
    return 1


@compiled(types.int64(types.Array(types.uint8, 1, "C"), types.int64, types.int64))
def _put(out: NDArray[np.uint8], at: int, code: int) -> int:
    """Write a character as UTF-8; the next position, or -1 if XML does not allow it."""
    if code < 32 and code != 9 and code != 10:
        return -1
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF or code == 0xFFFE or code == 0xFFFF:
        return -1
    if code < 0x80:
        out[at] = code
        return at + 1
    if code < 0x800:
        out[at] = 0xC0 | (code >> 6)
        out[at + 1] = 0x80 | (code & 63)
        return at + 2
    if code < 0x10000:
        out[at] = 0xE0 | (code >> 12)
        out[at + 1] = 0x80 | ((code >> 6) & 63)
        out[at + 2] = 0x80 | (code & 63)
        return at + 3
    out[at] = 0xF0 | (code >> 18)
    out[at + 1] = 0x80 | ((code >> 12) & 63)
    out[at + 2] = 0x80 | ((code >> 6) & 63)
    out[at + 3] = 0x80 | (code & 63)
    return at + 4


@compiled(types.int64(_BYTES, types.int64, types.int64))
def _reference(data: NDArray[np.uint8], start: int, end: int) -> int:
    """The character of a reference between "&" and ";", -1 if XML does not define it."""
    size = end - start
    first = data[start]
    if first == 35:  # "#"
        base, at = 10, start + 1
        if size > 1 and data[start + 1] == 120:
            base, at = 16, start + 2
        if at >= end or end - at > 7:
            return -1
        code = 0
        while at < end:
            c = data[at]
            digit = -1
            if 48 <= c <= 57:
                digit = c - 48
            elif 97 <= c <= 102:
                digit = c - 87
            elif 65 <= c <= 70:
                digit = c - 55
            if digit < 0 or digit >= base:
                return -1
            code = code * base + digit
            at += 1
        return code
    if size == 2 and data[start + 1] == 116:  # lt, gt
        return 60 if first == 108 else 62 if first == 103 else -1
    if size == 3 and first == 97 and data[start + 1] == 109 and data[start + 2] == 112:  # amp
        return 38
    if size == 4 and data[start + 3] == (116 if first == 113 else 115):
        second, third = data[start + 1], data[start + 2]
        if first == 113 and second == 117 and third == 111:  # quot
            return 34
        if first == 97 and second == 112 and third == 111:  # apos
            return 39
    return -1


@compiled(types.int64(_BYTES, types.int64, types.int64, _BYTES, types.Array(types.int64, 1, "C", readonly=True)))
def _which(data: NDArray[np.uint8], start: int, stop: int, names: NDArray[np.uint8], ends: NDArray[np.int64]) -> int:
    """The number of a wanted name, -1 if it is none. Names stand one after the other, each up to its end."""
    begin = 0
    for i in range(ends.size):
        if ends[i] - begin == stop - start:
            j = 0
            while j < stop - start and names[begin + j] == data[start + j]:
                j += 1
            if j == stop - start:
                return i
        begin = ends[i]
    return -1


@compiled(
    types.int64(
        _BYTES,
        types.int64,
        types.int64,
        _BYTES,
        _BYTES,
        types.Array(types.int64, 1, "C", readonly=True),
        types.Array(types.int64, 2, "C"),
        types.Array(types.uint8, 1, "C"),
    )
)
def scan(
    data: NDArray[np.uint8],
    begin: int,
    end: int,
    tag: NDArray[np.uint8],
    names: NDArray[np.uint8],
    ends: NDArray[np.int64],
    rows: NDArray[np.int64],
    out: NDArray[np.uint8],
) -> int:
    """Scan the items in ``data[begin:end]``; the number of rows, or -1 if they are not flat.

    ``out`` must have room for ``end - begin`` bytes: no reference is shorter than the character it stands for.
    """
    p, n, o, inside = begin, 0, 0, False
    while p < end:
        c = data[p]
        if c == 32 or c == 10 or c == 9:
            p += 1
            continue
        if c != 60 or n >= rows.shape[0] or p + 2 >= end:
            return -1
        if data[p + 1] == 47:  # the end of an item
            p += 2
            if not inside or _starts_with(data, p, tag) == 0 or p + tag.size >= end or data[p + tag.size] != 62:
                return -1
            rows[n, 0] = -1
            n += 1
            inside = False
            p += tag.size + 1
            continue
        start = p + 1
        q = start
        while q < end:
            c = data[q]
            if not (97 <= c <= 122 or 65 <= c <= 90 or 45 <= c <= 46 or 48 <= c <= 58 or c == 95):
                break
            q += 1
        stop = q
        if stop == start or q >= end:
            return -1
        if not inside:
            if stop - start != tag.size or _starts_with(data, start, tag) == 0 or data[q] != 62:
                return -1
            inside = True
            p = q + 1
            continue
        quote, is_named, has_equals = 0, False, False
        while q < end:  # attributes, each name="value"; ">" may stand in quotes
            c = data[q]
            if c == 60 or (c < 32 and c != 9 and c != 10):
                return -1
            if quote != 0:
                if c == quote:
                    quote, is_named, has_equals = 0, False, False
            elif c == 34 or c == 39:
                if not has_equals:
                    return -1
                quote = c
            elif c == 61:
                if not is_named or has_equals:
                    return -1
                has_equals = True
            elif c == 62:
                break
            elif c == 120 and q + 2 < end and data[q + 1] == 109 and data[q + 2] == 108:
                return -1  # "xml": a namespace or a base of its own
            elif c != 32 and c != 9 and c != 10 and not (c == 47 and q + 1 < end and data[q + 1] == 62):
                before = data[q - 1]
                if has_equals or before == 34 or before == 39 or (is_named and (before == 32 or before == 10)):
                    return -1
                is_named = True
            q += 1
        if q >= end or is_named:
            return -1
        which = _which(data, start, stop, names, ends)
        rows[n, 0], rows[n, 1], rows[n, 2], rows[n, 3], rows[n, 4] = which, stop, q, o, o
        q += 1
        if data[q - 2] == 47:
            rows[n, 2] = q - 2
            n += 1 if which >= 0 else 0
            p = q
            continue
        is_markup = False
        raw, from_o = q, o
        while True:
            if q + 2 >= end:
                return -1
            c = data[q]
            if c == 60:
                d = data[q + 1]
                if d == 47:
                    break
                if d != 33:  # an element inside: kept as markup up to the end tag of its parent
                    is_markup = True
                    while q + 2 < end and not (
                        data[q] == 60
                        and data[q + 1] == 47
                        and _starts_with(data, q + 2, data[start:stop]) == 1
                        and data[q + 2 + stop - start] == 62
                    ):
                        if data[q] == 60 and data[q + 1] == 33:
                            return -1
                        q += 1
                    if q + 2 >= end:
                        return -1
                    o = from_o
                    for i in range(raw, q):
                        out[o] = data[i]
                        o += 1
                    break
                if not (
                    q + 9 < end
                    and data[q + 2] == 91
                    and data[q + 3] == 67
                    and data[q + 4] == 68
                    and data[q + 5] == 65
                    and data[q + 6] == 84
                    and data[q + 7] == 65
                    and data[q + 8] == 91
                ):
                    return -1
                q += 9
                while q + 2 < end and not (data[q] == 93 and data[q + 1] == 93 and data[q + 2] == 62):
                    c = data[q]
                    if c < 32 and c != 9 and c != 10:
                        return -1
                    out[o] = c
                    o += 1
                    q += 1
                q += 3
            elif c == 38:
                stop_at = q + 1
                while stop_at < end and stop_at - q < 10 and data[stop_at] != 59:
                    stop_at += 1
                if stop_at >= end or data[stop_at] != 59 or stop_at == q + 1:
                    return -1
                code = _reference(data, q + 1, stop_at)
                if code < 0:
                    return -1
                o = _put(out, o, code)
                if o < 0:
                    return -1
                q = stop_at + 1
            elif (c < 32 and c != 9 and c != 10) or (c == 62 and data[q - 1] == 93 and data[q - 2] == 93):
                return -1  # a control character, or "]]>" outside of a section
            else:
                out[o] = c
                o += 1
                q += 1
        q += 2
        size = stop - start
        if q + size >= end or _starts_with(data, q, data[start:stop]) == 0 or data[q + size] != 62:
            return -1
        if which >= 0:
            rows[n, 4] = -o if is_markup else o
            n += 1
        else:
            o = from_o
        p = q + size + 1
    return n if not inside else -1
