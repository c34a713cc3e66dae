"""What ``afresh check`` tells people: how long it will take, then a table with reasons. Programs: ``check_formats``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from afresh.base.durations import format_duration
from afresh.base.errors import AfreshError, UsageError
from afresh.base.plain_numbers import counted
from afresh.base.records.links import Standing
from afresh.base.settings.sections import PolitenessSettings
from afresh.base.value_class import dataclass
from afresh.doors.cli.check_rows import Row
from afresh.doors.cli.lazy import keeping_everything
from afresh.doors.cli.output import clean, print_json, print_table, print_text
from afresh.links.documents.targets import listed
from afresh.links.reasons import in_a_word, in_brief
from afresh.parse.url import Sites, canonical

if TYPE_CHECKING:
    from afresh.base.records.links import Check, LinkRef, LinkState
    from afresh.doors.presenting.links import LinkView
    from afresh.links.difference import Piece
    from afresh.links.documents.targets import Occurrence
    from afresh.links.find_moved import Candidate
    from afresh.links.verdicts.comparison import Influence


FAILING = frozenset((Standing.BROKEN,))  # links that make a check fail, unless somebody says which
_SIGNS = {"added": "+", "removed": "-", "kept": " "}  # of ``links.difference.Change``
_CREDENTIALS = re.compile(r"//[^/?#\s]*@")
_FOR_PEOPLE = ("terminal", "markdown")  # reports without the links that are well, unless these are asked for
_LINE = 160  # characters of a piece
_BEFORE = 4  # words of it that are shown before the first one that differs
_SHOWN = 40  # pieces of a difference, for people


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """Why a verdict: what was seen, the measures that decided, what was removed and added, where it may be now."""

    seen: tuple[str, ...] = ()
    influences: tuple[Influence, ...] = ()
    difference: tuple[Piece, ...] = ()
    candidates: tuple[Candidate, ...] = ()


Reasons = Mapping[str, Explained]


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found, in the form somebody wants it."""

    rows: Sequence[Row]
    everything: bool = False  # also the links that are well
    left_out: Mapping[str, int] = field(default_factory=dict)  # links nobody was asked about, by why
    failing: Collection[Standing] = FAILING  # what a link must not be

    @property
    def fails(self) -> bool:
        return any(row.check.standing in self.failing for row in self.rows)

    def write(self, form: str, output: str | None = None) -> None:
        """To a file, or to the screen."""
        if form == "terminal" and output is None:
            self._print()
            return
        text = self._text(form)
        if output is None:
            print_text(text)
            return
        try:
            Path(output).write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            raise UsageError(f"cannot write {output}: {error.strerror}") from error
        click.echo(f"{self.summary()}; {clean(output)} says more{self._said(form)}", err=True)

    def summary(self) -> str:
        counts = Counter(row.check.standing for row in self.rows)
        told = ", ".join(f"{counts[standing]} {standing}" for standing in Standing if counts[standing])
        links = f"{told} of {counted(len(self.rows), 'link')}" if self.rows else "no links"
        why = ", ".join(f"{count} {reason}" for reason, count in self.left_out.items())
        return f"{links}; left out: {why}" if why else links

    def next_steps(self, *, explained: bool = False, fixed: bool = False) -> Iterator[str]:
        """What there is to do about the links, for somebody who reads a report for the first time."""
        counts = Counter(row.check.standing for row in self.rows)
        if broken := counts[Standing.BROKEN]:
            why = "" if explained else "; --explain says why, link by link"
            yield f"{counted(broken, 'link')} broken: gone, out of reach, or another page{why}"
        if moved := counts[Standing.MOVED]:
            in_files = any(row.at.file and row.check.standing is Standing.MOVED for row in self.rows)
            how = "; --fix writes the new addresses into the files, after showing them" if in_files else ""
            yield "" if fixed else f"{counted(moved, 'link')} moved: the page is at another address now{how}"
        if unknown := counts[Standing.UNKNOWN]:
            yield f"{counted(unknown, 'link')} unknown: what is said of each tells whether it can be asked later"
        failing = ", ".join(standing for standing in Standing if standing in self.failing and counts[standing])
        yield f"exit status 1: there are links that are {failing} (--fail-on says which count)" if failing else ""

    def tell_ended(self, form: str | None, *, wanted: int, resume: str | None) -> None:
        """Of a check that was interrupted: what people read so far, and how it goes on.

        Programs get nothing: they would take half a report for a whole one. ``form`` None: it is for a file.
        """
        if form == "terminal":
            self._print()
        further = "the same command goes on" if resume else "a check with --resume FILE could go on"
        unwritten = "" if form == "terminal" else "; there is no report"
        click.echo(
            f"afresh: ended after {len(self.rows):,} of {counted(wanted, 'link')}{unwritten}; {further}", err=True
        )

    def _text(self, form: str) -> str:
        if form == "json":
            with keeping_everything():
                from afresh.doors.cli.check_json import as_json  # noqa: PLC0415 (people read tables)

            return as_json(self.rows)
        from afresh.doors.cli import check_formats  # noqa: PLC0415 (the same)

        if form == "terminal":
            return "\n".join([*("  ".join(cells) for cells in table_of(self._shown())[1:]), self.summary()])
        if form == "markdown":
            return check_formats.as_markdown(self._shown())
        if form == "html":
            return check_formats.as_html(self.rows, self.summary())
        if form == "csv":
            return check_formats.as_csv(self.rows)
        noting = {"junit": check_formats.as_junit, "github": check_formats.as_github}
        return noting[form](self.rows, self.failing)

    def _shown(self) -> list[Row]:
        """For people: what is broken, then what moved, last what is well; within each as in the files."""
        shown = [row for row in self.rows if self.everything or row.check.standing is not Standing.OK]
        return sorted(shown, key=lambda row: row.check.standing.urgency)

    def _said(self, form: str) -> str:
        """That links are missing from a report, where that is so."""
        missing = 0 if form not in _FOR_PEOPLE else len(self.rows) - len(self._shown())
        return f", but for {missing:,} ok; --all has them" if missing else ""

    def _print(self) -> None:
        shown = self._shown()
        if shown:
            columns, *cells = table_of(shown)
            print_table(columns, cells)
        for row in shown:
            if row.why is not None:
                print_reasons(row.at.url, row.why)
        click.echo(self.summary())


def print_checks(
    form: str | None, links: Sequence[LinkRef], checks: Sequence[Check], *, everything: bool, reasons: Reasons
) -> None:
    """Checks of links that stand in no file."""
    pairs = zip(links, checks, strict=True)
    rows = [Row(listed(link), check, reasons.get(link.url)) for link, check in pairs]
    Report(rows, everything=everything).write(form or "terminal")


def print_links(found: Sequence[Occurrence], *, as_json: bool) -> int:
    """The links that would be checked."""
    if as_json:
        told = [
            {"url": shown_url(at.url), "file": at.file or None, "line": at.link.line or None}
            | {"column": at.column or None, "text": at.link.title}
            for at in found
        ]
        return print_json(told)
    for at in found:
        click.echo(clean(f"{place_of(at)}: {shown_url(at.url)}" if at.file else shown_url(at.url)))
    return 0


def print_reasons(url: str, why: Explained) -> None:
    """What was seen, the measures that decided, a readable difference, and candidates for a new address."""
    if not (why.seen or why.influences or why.difference or why.candidates):
        return
    click.echo(f"\n{clean(url)}")
    for line in why.seen:
        click.echo(f"  {clean(shown_url(line))}")
    for candidate in why.candidates:
        click.echo(f"  perhaps now at {clean(candidate.url)} ({candidate.because}, {candidate.probability:.0%} alike)")
    for item in why.influences:
        towards = "same page" if item.influence > 0 else "another page"
        click.echo(f"  {item.measure:<24} {item.value:5.2f}  {item.influence:+7.2f} towards {towards}")
    print_difference(why.difference)


def print_difference(pieces: Sequence[Piece], *, limit: int = _SHOWN) -> None:
    texts = [clean(piece.text) for piece in pieces[:limit]]
    signs = "".join(_SIGNS[piece.change] for piece in pieces[:limit])
    for at, (sign, text) in enumerate(zip(signs, texts, strict=True)):
        # what took the place of another is shown where the two differ
        other = at + 1 if signs[at : at + 2] == "-+" else at - 1 if at and signs[at - 1 : at + 1] == "-+" else at
        click.echo(f"  {sign} {_shortened(_where_it_differs(text, texts[other]))}")
    if len(pieces) > limit:
        click.echo(f"  … and {len(pieces) - limit} more pieces of text")


def _where_it_differs(text: str, other: str) -> str:
    """A long text from shortly before the first word that the other one has not at that place.

    >>> old = "harbour " * 40 + "was rebuilt"
    >>> _where_it_differs(old, old.replace("rebuilt", "sold"))
    '… harbour harbour harbour was rebuilt'
    """
    if len(text) <= _LINE:
        return text
    words = text.split()
    same = next((at for at, pair in enumerate(zip(words, other.split(), strict=False)) if pair[0] != pair[1]), 0)
    return f"… {' '.join(words[same - _BEFORE :])}" if same > _BEFORE else text


def _shortened(text: str) -> str:
    """At most one line of it, cut between two words if it has any.

    >>> _shortened("harbour " * 30)[-20:], _shortened("x" * 200)[-3:], _shortened("harbour")
    ('ur harbour harbour …', 'xx…', 'harbour')
    """
    if len(text) <= _LINE:
        return text
    whole, space, _ = text[:_LINE].rpartition(" ")
    return f"{whole} …" if space and len(whole) > _LINE // 2 else f"{text[: _LINE - 1]}…"


def what(found: Check | LinkState | LinkView, *, http: int | None = None, with_address: bool = True) -> str:
    """What was found, in one sentence; without the new address where that stands beside it."""
    detail = in_brief(found.turned, found.detail)
    moved = f"{'' if found.standing is Standing.MOVED else 'perhaps '}now at {found.new_url}" if found.new_url else ""
    parts = [
        in_a_word(found.turned),
        f"HTTP {http}" if http and http >= 300 and http != 304 and f"HTTP {http}" not in detail else "",
        moved if with_address else "",
        detail,
    ]
    return clean("; ".join(shown_url(part) for part in parts if part))


def cells_of(row: Row) -> tuple[str, str, str, str]:
    """Standing, status, link with its place, and what was found, in few words."""
    check, place = row.check, place_of(row.at)
    link = shown_url(row.at.url)
    where = clean(f"{link} ({place})" if place else link)
    return (
        str(check.standing),
        str(check.status),
        where,
        what_of(row),
    )


def table_of(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """Names of columns, then the cells of each row; where there are bookmarks, with their folders and names."""
    table: list[tuple[str, ...]] = [("standing", "status", "link", "what"), *map(cells_of, rows)]
    for name, values in (
        ("folder", [row.at.link.folder for row in rows]),
        ("name", [row.at.link.title for row in rows] if any(row.at.link.folder for row in rows) else []),
    ):
        if any(values):
            column = (name, *map(clean, values))
            table = [(*cells[:-1], value, cells[-1]) for cells, value in zip(table, column, strict=True)]
    return table


def what_of(row: Row, *, with_address: bool = True) -> str:
    """What was found, and where there is a copy of what is gone."""
    found = what(row.check, http=row.check.http, with_address=with_address)
    return "; ".join(filter(None, (found, f"archived at {clean(row.archived)}" if row.archived else "")))


def place_of(at: Occurrence) -> str:
    """Where a link stands: file, line, column, as far as they are known."""
    line = at.link.line
    return f"{at.file}:{line}:{at.column}" if at.column else f"{at.file}:{line}" if line else at.file


def shown_url(url: str) -> str:
    """Without a name and a password that somebody wrote into it.

    >>> shown_url("https://ada:secret@example.org/")
    'https://…@example.org/'
    """
    return _CREDENTIALS.sub("//…@", url, count=1) if "@" in url else url


_LONG = 30.0  # seconds from which on somebody wants to know what they wait for
_NAMED = 3  # sites


def sites_of(urls: Iterable[str], site_of: Callable[[str], str]) -> Counter[str]:
    """How many links each site has."""
    counts: Counter[str] = Counter()
    for url in urls:
        counts[_site(url, site_of)] += 1
    return counts


def forecast(urls: Iterable[str], politeness: PolitenessSettings) -> str:
    """What the pauses between two requests to a site will cost; empty: nothing worth a word.

    >>> forecast([f"https://a.example/{n}" for n in range(50)], PolitenessSettings(delay=5.0))
    '50 links of a.example: about 4m5s, with a pause of 5s after each (--delay 1s is less polite, and quicker)'
    """
    urls, delay = set(urls), politeness.delay
    if (len(urls) - 1) * delay < _LONG:
        return ""
    counts = sites_of(urls, Sites(politeness).of)
    site, most = counts.most_common(1)[0]
    seconds = (most - 1) * delay
    if seconds < _LONG:
        return ""
    pause = format_duration(delay)
    quicker = "" if delay <= 1.0 else " (--delay 1s is less polite, and quicker)"
    return (
        f"{most} links of {site}: about {format_duration(round(seconds))}, with a pause of {pause} after each{quicker}"
    )


@contextmanager
def progress_by_site(urls: Sequence[str], site_of: Callable[[str], str]) -> Iterator[Callable[[str], None]]:
    """Gives the function to call with each link that is done: a bar, and the sites that have most left."""
    from afresh.doors.cli.progress import progress_bar  # noqa: PLC0415 (where nobody watches, there is no bar)

    left = sites_of(urls, site_of)

    def words() -> str:
        waiting = [f"{site} {count}" for site, count in left.most_common(_NAMED) if site and count > 0]
        return "checking" + (f"; left: {', '.join(waiting)}" if waiting else "")

    with progress_bar("checking", len(urls), words=words) as advance:

        def done(url: str) -> None:
            left[_site(url, site_of)] -= 1
            advance()

        yield done


def _site(url: str, site_of: Callable[[str], str]) -> str:
    try:
        return site_of(canonical(url))
    except AfreshError:
        return ""
