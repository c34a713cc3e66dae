"""Plots of the pages: their data as JSON and CSV, and the library that draws them, from an installed package."""

import csv
import gzip
import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.resources import files

from fastapi import APIRouter, Request
from fastapi.responses import Response

router = APIRouter()

Number = float | int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One series of a plot. ``x`` are numbers, words or ISO times."""

    name: str
    x: tuple[Number | str, ...]
    y: tuple[Number | str, ...]
    kind: str = "line"  # line, points, both, steps or bars
    second: bool = False  # against the scale on the right
    low: tuple[float, ...] | None = None  # of an interval around y, with high
    high: tuple[float, ...] | None = None
    text: tuple[str, ...] | None = None  # said of each point when it is pointed at


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """What a picture shows; everything a reader of the JSON or the CSV needs, too."""

    title: str
    x: str  # what the axes measure
    y: str
    series: tuple[Line, ...]
    y2: str = ""
    times: bool = False  # x are times
    log_x: bool = False
    log_y: bool = False
    height: int = 280
    unknown: tuple[tuple[Number | str, Number | str], ...] = ()  # stretches of x of which nothing was observed
    weekly: bool = False  # seven series of 24 hours, Monday first, in UTC: a browser moves them into its own zone
    empty: str = "Nothing to show yet."


def as_csv(plot: Plot) -> Response:
    """The same numbers, a row a point."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["series", plot.x, plot.y, "low", "high"])
    for line in plot.series:
        lows: Sequence[Number] = line.low or (None,) * len(line.x)
        highs: Sequence[Number] = line.high or (None,) * len(line.x)
        for x, y, low, high in zip(line.x, line.y, lows, highs, strict=True):
            writer.writerow([_plain(line.name), _plain(x), _plain(y), low, high])
    return Response(text.getvalue(), media_type="text/csv; charset=utf-8")


def _plain(value: Number | str) -> Number | str:
    """Foreign words must not become a spreadsheet's formula."""
    return "'" + value if isinstance(value, str) and value[:1] in "=+-@\t\r" and value[:1] else value


@cache
def _library() -> tuple[bytes, bytes, str]:
    """Chart.js as it is and compressed, and the version of the package that brings it; read once."""
    script = (files("chartkick") / "django" / "static" / "chartkick" / "Chart.bundle.js").read_bytes()
    return script, gzip.compress(script, 6), version("chartkick")


@router.get("/static/chart.js")
def show_library(request: Request) -> Response:
    """The plotting library; a browser keeps it until another version is installed."""
    plain, packed, release = _library()
    etag = f'"chart-{release}"'
    headers = {"ETag": etag, "Cache-Control": "max-age=86400", "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(packed, media_type="text/javascript", headers={**headers, "Content-Encoding": "gzip"})
    return Response(plain, media_type="text/javascript", headers=headers)
