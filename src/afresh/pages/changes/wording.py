"""A change in words: one line that says how much, and the lines that differ, for a terminal, a message or a file."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from html import escape
from itertools import groupby

from afresh.base.difference import Mark, Row, Words, aligned
from afresh.base.records.watches import Watch
from afresh.pages.changes.always_changing import Place

_SIGNS = {Mark.ADDED: "+", Mark.REMOVED: "-", Mark.MOVED: "~"}
_TAGS = {Mark.ADDED: "<ins>{}</ins>", Mark.REMOVED: "<del>{}</del>", Mark.MOVED: "<i>{}</i>"}
_CONTEXT = 3  # lines around a difference, as diff(1) has them
_BECAME = {Mark.ADDED: "new: ", Mark.REMOVED: "gone: ", Mark.MOVED: "moved: "}
_SHORT = 60  # characters of a line in a headline


def headline(rows: Sequence[Row]) -> str:
    """What differs, in a few words: the only line that does, or the first with another number, and how many more.

    >>> from afresh.base.difference import compare
    >>> headline(compare(["Price: 10 €"], ["Price: 12 €", "Free bulb"]).news)
    'Price: 10 → 12 €, 1 line added'
    """
    first = _telling(rows)
    counts = Counter(row.mark for row in rows if row is not first)
    told = (Mark.CHANGED, Mark.ADDED, Mark.REMOVED, Mark.MOVED)
    parts = [f"{counts[mark]} {'line' if counts[mark] == 1 else 'lines'} {mark}" for mark in told if counts[mark]]
    if first is not None:
        parts.insert(0, in_one_line(first))
    return ", ".join(parts) or "nothing differs"


def _telling(rows: Sequence[Row]) -> Row | None:
    """The line that a headline can quote; None: none, or it is long."""
    numbers = (row for row in rows if row.mark is Mark.CHANGED and row.has_numbers)
    found = rows[0] if len(rows) == 1 else next(numbers, None)
    return found if found is not None and len(in_one_line(found)) <= _SHORT else None


def in_one_line(row: Row) -> str:
    """A changed line with its old words in front of its new ones; another with what became of it."""
    if row.mark is not Mark.CHANGED:
        return f"{_BECAME.get(row.mark, '')}{row.new or row.old}"
    parts: list[str] = []
    for mark, group in groupby(row.words, key=lambda words: words.mark):
        text = "".join(words.text for words in group)
        is_new = mark is Mark.ADDED and parts and parts[-1].startswith("\0")
        if is_new:
            parts[-1] = f"{parts[-1][1:]} → {text}"
        else:
            parts.append(f"\0{text}" if mark is Mark.REMOVED else text)
    return "".join(part.removeprefix("\0") for part in parts)


def as_lines(rows: Iterable[Row]) -> Iterator[str]:
    """Lines that differ, each with a sign in front: + came, - went, ~ stands elsewhere now."""
    for row in rows:
        if row.mark is Mark.CHANGED:
            yield f"- {row.old}"
            yield f"+ {row.new}"
        elif row.mark is not Mark.SAME:
            yield f"{_SIGNS[row.mark]} {row.new or row.old}"


def as_text(rows: Sequence[Row], *, most: int = 4_000) -> str:
    """The same as one text of so many characters at most."""
    text, taken = "", 0
    lines = list(as_lines(rows))
    for line in lines:
        if len(text) + len(line) + 1 > most:
            return f"{text}… and {len(lines) - taken} more lines\n"
        text, taken = f"{text}{line}\n", taken + 1
    return text


def as_html(rows: Sequence[Row], *, most: int = 4_000) -> str:
    """The same for readers of feeds: what went struck out, what came marked."""
    text = ""
    for row in rows:
        words = row.words or (Words(row.mark, row.new or row.old),)
        line = "".join(_TAGS.get(part.mark, "{}").format(escape(part.text)) for part in words)
        line = line.replace("</del><ins>", "</del> <ins>")  # many readers show neither colours nor margins
        if len(text) + len(line) > most:
            return f"{text}<p>…</p>"
        text += f"<p>{line}</p>"
    return text


def between(before: float | None, now: float) -> str:
    """When something happened that one visit did not show and the next one did.

    >>> between(1_760_000_000.0, 1_760_003_600.0)
    'changed between 2025-10-09 08:53:20 and 09:53:20 UTC'
    """
    if before is None:
        return ""
    old, new = (datetime.fromtimestamp(moment, UTC) for moment in (min(before, now), now))
    day = "" if old.date() == new.date() else f"{new:%Y-%m-%d} "
    return f"changed between {old:%Y-%m-%d %H:%M:%S} and {day}{new:%H:%M:%S} UTC"


def watch_words(watch: Watch) -> str:
    """What of a page is watched, and which changes count.

    >>> watch_words(Watch(css=(".price",), at_least=5, case=False)), watch_words(Watch())
    ('css: .price; case: no; at least: 5', 'all of it, as usual')
    """
    said = []
    for name, value in watch.unusual().items():
        shown = ", ".join(value) if isinstance(value, tuple) else {True: "yes", False: "no"}.get(value, str(value))
        said.append(f"{name.replace('_', ' ')}: {shown}")
    return "; ".join(said) or "all of it, as usual"


def restless_words(place: Place, *, counts: bool = False) -> str:
    """Which part of a page changes at every visit, and that it is left out for it, or how to leave it out."""
    what = "the line" if place.size == 1 else f"up to {place.size} lines"
    sides = [_short(line) for line in (place.before, place.behind)]
    where = f"between “{sides[0]}” and “{sides[1]}”" if all(sides) else ""
    if not where:
        where = f"after “{sides[0]}”" if sides[0] else f"before “{sides[1]}”" if sides[1] else "there is"
    changes = "changes" if place.size == 1 else "change"
    if counts:
        it = "it" if place.size == 1 else "them"
        return f"{what} {where} {changes} at every visit; --restless-out leaves {it} out"
    is_left = "is" if place.size == 1 else "are"
    return f"{what} {where} {changes} at every visit and {is_left} left out; --everything counts it"


def _short(line: str) -> str:
    return line if len(line) <= _SHORT else f"{line[:_SHORT]}…"


def unified(old: Sequence[str], new: Sequence[str], *, before: str = "before", now: str = "now") -> str:
    """Two versions as ``diff -u`` compares them: what moved went there and came here."""
    rows = list(aligned(old, new))
    told = [at for at, row in enumerate(rows) if row.mark is not Mark.SAME]
    if not told:
        return ""
    shown = sorted({near for at in told for near in range(max(0, at - _CONTEXT), min(len(rows), at + _CONTEXT + 1))})
    lines = [f"--- {before}", f"+++ {now}"]
    for _, hunk in groupby(enumerate(shown), key=lambda pair: pair[1] - pair[0]):
        lines += _hunk(rows, [at for _, at in hunk])
    return "\n".join(lines) + "\n"


def _hunk(rows: Sequence[Row], places: Sequence[int]) -> Iterator[str]:
    starts, counts = [], []
    for absent in (Mark.ADDED, Mark.REMOVED):  # from the old version, from the new one
        count = sum(rows[at].mark is not absent for at in places)
        first = sum(row.mark is not absent for row in rows[: places[0]])
        starts.append(first + bool(count))
        counts.append(count)
    yield f"@@ -{starts[0]},{counts[0]} +{starts[1]},{counts[1]} @@"
    for at in places:
        yield f"{_SIGNS.get(rows[at].mark, ' ')}{rows[at].old or rows[at].new}"
