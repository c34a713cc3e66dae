"""Printing: tables for people, JSON for programs, the same facts in both."""

import json
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, TypeVar

import click

from afresh.base.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from afresh.doors.cli.table_widths import Layout

__all__ = ["clean", "console", "json_option", "jsonable", "moment", "print_json", "print_table", "print_text"]
F = TypeVar("F", bound=Callable[..., Any])

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
output_option = click.option(
    "--output", "-o", type=click.Path(), default="-", help="File to write (default: standard output)."
)
sink_option = click.option(
    "--sink",
    "sinks",
    multiple=True,
    metavar="ADDRESS",
    help="Also write there, like ndjson:FOLDER, parquet:FOLDER or nats://HOST:PORT/SUBJECT; may be repeated.",
)


def console(*, stderr: bool = False) -> "Console":
    """A console that does not cut long URLs when the output is not a terminal."""
    from rich.console import Console  # noqa: PLC0415 (JSON is printed without it, twice as soon)

    made = Console(stderr=stderr, highlight=False)
    if not made.is_terminal:
        made = Console(stderr=stderr, highlight=False, width=200)
    return made


def print_json(value: object) -> int:
    """JSON; what a command that ends with it ends with."""
    print_text(json.dumps(jsonable(value), ensure_ascii=False, indent=2, allow_nan=False))
    return 0


def print_text(text: str) -> None:
    """A text of any length, and all of it: where Python does not buffer, a stream takes as much as it likes."""
    stream = sys.stdout
    if (target := getattr(stream, "buffer", None)) is None:
        click.echo(text)
        return
    stream.flush()
    left = memoryview(f"{text}\n".encode(stream.encoding, stream.errors or "strict"))
    while left:
        left = left[target.write(left) :]
    target.flush()


def print_told(value: object, words: str, *, as_json: bool) -> int:
    """A value as JSON, or what is to be said of it; the same code."""
    if as_json:
        return print_json(value)
    click.echo(words)
    return 0


def write_out(content: str | bytes, output: str, told: str) -> int:
    """Writes a file, and says so; ``-`` is standard output."""
    if output == "-":
        click.echo(content, nl=False)
        return 0
    try:
        Path(output).write_bytes(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror}") from error
    click.echo(f"{told} written to {output}", err=True)
    return 0


def refuse_unwritable(output: str) -> None:
    """UsageError for a file that could not be written at the end of something long; it stays as it is."""
    path = Path(output)
    try:
        is_new = not path.exists()
        if is_new or path.is_file():  # a pipe would wait for its reader
            path.open("ab").close()
            if is_new:
                path.unlink()
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror}") from error


def jsonable(value: Any) -> Any:
    """Plain JSON of models: NaN and infinities become null, bytes become hexadecimal."""
    if is_dataclass(value) and not isinstance(value, type):
        return jsonable(asdict(value))
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if hasattr(value, "tolist"):
        return jsonable(value.tolist())
    if isinstance(value, (list, tuple, set, frozenset)):
        return [jsonable(item) for item in value]
    return value


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, title: str = "") -> int:
    """A table; what came from the web is printed as text, never as markup or control characters.

    An address is never broken, for whoever sees it wants to copy it: where a terminal is too narrow for that, each row
    becomes a few lines. A table without addresses is printed in parts there, each with the first column: words stay
    whole, too. What is no terminal is as wide as it has to be.
    """
    from afresh.doors.cli.table_widths import Layout  # noqa: PLC0415 (see ``console``)

    cells = [[clean(str(cell)) for cell in row] for row in rows]
    layout, target = Layout.of(columns, cells), console()
    if not target.is_terminal:
        target.width = max(target.width, layout.needed)
        with target.capture() as captured:
            target.print(_table(columns, cells, layout, range(len(columns)), width=target.width, title=title))
        print_text("\n".join(line.rstrip() for line in captured.get().splitlines()))
        return 0
    if layout.addresses and layout.needed > target.width:
        return _print_blocks(columns, cells, layout, title=title, width=target.width)
    for number, part in enumerate(layout.parts(target.width)):
        if number:
            target.print()
        target.print(_table(columns, cells, layout, part, width=target.width, title="" if number else title))
    return 0


def _table(
    columns: Sequence[str],
    cells: Iterable[Sequence[str]],
    layout: "Layout",
    part: Sequence[int],
    *,
    width: int,
    title: str,
) -> "Table":
    """Some columns of a table."""
    from rich.table import Table  # noqa: PLC0415 (see ``console``)
    from rich.text import Text  # noqa: PLC0415

    table = Table(title=title or None, box=None, pad_edge=False, header_style="bold")
    for place, wide in zip(part, layout.widths(part, width), strict=True):
        column, whole = columns[place], place in layout.addresses
        numeric = column.endswith(("#", "%")) or column in ("polls", "entries", "new", "missed", "errors", "bytes")
        table.add_column(
            column, justify="right" if numeric else "left", overflow="fold", no_wrap=whole, width=max(1, wide)
        )
    for row in cells:
        table.add_row(*(Text(row[place]) for place in part))
    return table


def _print_blocks(
    columns: Sequence[str], cells: Iterable[Sequence[str]], layout: "Layout", *, title: str, width: int
) -> int:
    """Each row by itself: what is short in one line, each address in one of its own, then what has to be wrapped."""
    if title:
        click.secho(title, bold=True)
    for row in cells:
        short = [place for place in range(len(columns)) if place not in layout.addresses | layout.texts]
        click.echo("  ".join(_named(columns[place], row[place]) for place in short if row[place] not in ("", "-")))
        for place in sorted(layout.addresses):
            if row[place]:
                click.echo(f"  {row[place]}")
        for place in sorted(layout.texts):
            for line in wrap(row[place], max(width - 4, layout.narrow), break_long_words=False, break_on_hyphens=False):
                click.echo(f"    {line}")
    return 0


def _named(column: str, cell: str) -> str:
    """A cell without its heading: a number says little alone."""
    return f"{column} {cell}" if cell.replace(".", "").isdigit() and column not in ("", "#", "id") else cell


def tell_more(more: int, *, shown: int, last: int) -> None:
    """That a list goes on, and how to see the rest; on standard error, where it is in nobody's way."""
    click.echo(f"{more:,} more: --limit {shown + more}, or --after {last}", err=True)


def clean(text: str) -> str:
    """Without control characters: a feed title must not drive the terminal."""
    return "".join(char if char.isprintable() else " " for char in text)


def moment(time: float | str | None) -> str:
    """A time for people, in UTC and in their own zone; seconds, or one of our ISO times."""
    from afresh.doors.presenting.times import both_zones, iso  # noqa: PLC0415 (few commands show one)

    return both_zones(time if isinstance(time, str) else iso(time))
