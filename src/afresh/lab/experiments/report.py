"""Reports of experiments: results.csv, report.md and report.html with figures, in one folder."""

import csv
import html
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from afresh import __version__
from afresh.base.extras import need
from afresh.lab.experiments.labels import Box, placed
from afresh.lab.experiments.model import Claim, Experiment, Figure, Options, Outcome, Series, failing_first
from afresh.lab.experiments.tables import Heading, cell, headings, numeric
from afresh.lab.experiments.works import works_in

COLOURS = 10  # of matplotlib's own cycle
MARKERS = ("o", "s", "^", "D", "v", "P")
LINES = ("-", "--", ":", "-.")
WIDE = 8  # columns that fit everywhere
NAME = 6.0  # points, the size of a name beside a point
MARK = 7.0  # points, a mark of one and a little around it
MANY = 12  # series from which on a legend has two columns
_APE = "ape: polls per entry found."
_VERDICT = {True: "holds", False: "does not hold", None: "cannot be told from this data"}

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:78rem;margin:2rem auto;padding:0 1rem}"
    "body{color:#222;background:#fff}table{border-collapse:collapse;font-size:.8rem}p,ul{max-width:70rem}"
    "th,td{padding:.15rem .3rem;text-align:left;vertical-align:top;border-bottom:1px solid #ddd}"
    "th{vertical-align:bottom;line-height:1.25}thead tr+tr th{font-weight:normal;font-size:.7rem}"
    "td{min-width:5rem}td.number{white-space:nowrap;min-width:0}.number{text-align:right}"
    "th[colspan]{text-align:center}div{overflow-x:auto}figure{margin:1rem 0}"
    "body{overflow-wrap:anywhere}th,td:first-child{overflow-wrap:normal}"
    "td:first-child,th[rowspan]:first-child{position:sticky;left:0;background:inherit}"
    "tr{background:#fff}svg{max-width:100%;height:auto}.no{color:#a00}.yes{color:#070}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}tr{background:#181818}th,td{border-color:#444}svg{background:#fff}}"
)


def write_report(
    experiment: Experiment,
    outcome: Outcome,
    folder: Path,
    options: Options = Options(),  # noqa: B008 (never changed)
) -> list[Path]:
    """Write the report in four forms, and its figures; the files written. ``options``: how it was run."""
    folder.mkdir(parents=True, exist_ok=True)
    outcome = replace(
        outcome,
        rows=published_beside(outcome.rows),
        claims=failing_first(outcome.claims),
        notes=notes_of(outcome),
    )
    drawings = {figure.name: draw(figure) for figure in outcome.figures}
    contents = {
        "results.csv": _csv(outcome.rows),
        "report.json": _json(experiment, outcome),
        "report.md": _markdown(experiment, outcome, command_of(experiment, options)),
        "report.html": _html(experiment, outcome, drawings, command_of(experiment, options)),
        **{f"{name}.svg": drawing for name, drawing in drawings.items()},
    }
    paths = []
    for name, text in contents.items():
        (folder / name).write_text(text, encoding="utf-8")
        paths.append(folder / name)
    return paths


def draw(figure: Figure) -> str:
    """The figure as SVG; the same input gives the same text."""
    need("lab", "a figure")
    import matplotlib as mpl  # noqa: PLC0415 (extra: lab)
    from matplotlib.figure import Figure as Canvas  # noqa: PLC0415

    with mpl.rc_context({"svg.hashsalt": "afresh", "svg.fonttype": "none", "font.size": 9}):
        canvas = Canvas(figsize=(8, 5), layout="constrained")
        axes = canvas.subplots()
        for place, series in enumerate(figure.series):
            style = style_of(series, place)
            if series.low:
                spread = [
                    [y - low for y, low in zip(series.y, series.low, strict=True)],
                    [high - y for y, high in zip(series.y, series.high, strict=True)],
                ]
                axes.errorbar(series.x, series.y, yerr=spread, label=series.label, capsize=2, **style)
            else:
                axes.plot(series.x, series.y, label=series.label, **style)
        if figure.x_log:
            axes.set_xscale("log")
        if figure.y_log:
            axes.set_yscale("log")
        axes.set(title=figure.title, xlabel=figure.x_label, ylabel=figure.y_label)
        axes.grid(visible=True, alpha=0.3)
        if len(figure.series) > 1:
            axes.legend(fontsize=7, ncols=2 if len(figure.series) > MANY else 1)
        _name_points(canvas, axes, figure.series)
        buffer = io.StringIO()
        canvas.savefig(buffer, format="svg", metadata={"Date": None})
    drawing = buffer.getvalue()
    return drawing[drawing.index("<svg") :]


def _name_points(canvas: Any, axes: Any, series: Sequence[Series]) -> None:
    """Names beside points, none upon another; a name that had to move away is tied to its point by a line."""
    from matplotlib.textpath import TextPath  # noqa: PLC0415 (extra: lab)

    named = [
        (x, y, name)
        for one in series
        for x, y, name in zip(one.x, one.y, names_beside(one), strict=False)  # names are optional
        if _is_shown(axes, x, y)
    ]
    if not named:
        return
    canvas.draw_without_rendering()  # only then it is known where points are
    inch = canvas.dpi / 72.0
    frame = Box(*(value / inch for value in axes.bbox.bounds))

    def at(x: float, y: float) -> tuple[float, float]:
        right, up = axes.transData.transform((x, y)) / inch
        return float(right), float(up)

    legend = axes.get_legend()
    taken = [Box(*(value / inch for value in legend.get_window_extent().bounds))] if legend is not None else []
    if legend is not None:  # it stays where it is, whatever comes to stand beside it
        legend.set_loc(tuple(axes.transAxes.inverted().transform(legend.get_window_extent().p0)))
    marks = [at(x, y) for one in series for x, y in zip(one.x, one.y, strict=True) if _is_shown(axes, x, y)]
    taken += [Box(x - MARK / 2.0, y - MARK / 2.0, MARK, MARK) for x, y in marks]
    sizes = [(TextPath((0, 0), name, size=NAME).get_extents().width + NAME, NAME * 1.2) for *_, name in named]
    points = [at(x, y) for x, y, _ in named]
    for (x, y, name), point, box in zip(named, points, placed(points, sizes, frame, taken), strict=True):
        tie = {"arrowstyle": "-", "linewidth": 0.4, "color": "0.5", "shrinkA": 0.0}
        axes.annotate(
            name,
            (x, y),
            xytext=(box.left - point[0] + NAME * 0.25, box.low - point[1] + NAME * 0.2),
            textcoords="offset points",
            fontsize=NAME,
            arrowprops=tie if box.distance_to(*point) >= MARK else None,
        )


def _is_shown(axes: Any, x: float, y: float) -> bool:
    """Whether a point has a place: a rule that found nothing has no delay, and a logarithm none of 0."""
    scales = ((x, axes.get_xscale()), (y, axes.get_yscale()))
    return all(math.isfinite(value) and (value > 0 or scale != "log") for value, scale in scales)


def style_of(series: Series, place: int) -> dict[str, Any]:
    """How the series at this place is drawn: those that share a colour differ in marker, and in line.

    >>> style_of(Series("a", [1], [1], points=True), 0)
    {'color': 'C0', 'marker': 'o', 'linestyle': 'none'}
    >>> style_of(Series("b", [1], [1], points=True), 10)
    {'color': 'C0', 'marker': 's', 'linestyle': 'none'}
    """
    turn, colour = divmod(place, COLOURS)
    style = {"color": f"C{colour}", "marker": MARKERS[turn % len(MARKERS)]}
    if series.points:
        return {**style, "linestyle": "none"}
    thin = {"marker": "."} if not turn else {"markersize": 4}
    return {**style, "linestyle": LINES[turn % len(LINES)], "linewidth": 1.2, **thin}


def names_beside(series: Series) -> Sequence[str]:
    """Words beside the points; a series that is a single point is named by its label."""
    return series.names or ([series.label] if series.points and len(series.x) == 1 else ())


def published_beside(rows: Sequence[Mapping[str, object]]) -> tuple[Mapping[str, object], ...]:
    """The rows with what was published right behind what was measured of the same name.

    >>> published_beside([{"delay": 1.0, "polls": 2, "published_delay": 1.1}])
    ({'delay': 1.0, 'published_delay': 1.1, 'polls': 2},)
    """
    names = _columns(rows)
    places = {name: (place, 0) for place, name in enumerate(names)}
    places |= {f"published_{name}": (place, 1) for place, name in enumerate(names) if f"published_{name}" in places}
    order = sorted(names, key=lambda name: places[name])
    return tuple({name: row[name] for name in order if name in row} for row in rows)


def notes_of(outcome: Outcome) -> str:
    """The notes, with a word on a heading that is short for something and on the columns that no seed repeats."""
    short = any("ape" in name.split("_") for name in _columns(outcome.rows))
    timed = f"Measured on this machine's clock, so not repeated by the seed: {', '.join(outcome.timed)}."
    return " ".join(filter(None, (outcome.notes, _APE if short else "", timed if outcome.timed else "")))


def _columns(rows: Sequence[Mapping[str, object]]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _csv(rows: Sequence[Mapping[str, object]]) -> str:
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, _columns(rows), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()


def _record(outcome: Outcome) -> str:
    return json.dumps({"afresh": __version__, **outcome.data}, sort_keys=True, default=str)


def _json(experiment: Experiment, outcome: Outcome) -> str:
    """Everything the other forms are made of, for programs and for the lab's page."""
    document = {"name": experiment.name, "title": experiment.title, "source": experiment.source, **asdict(outcome)}
    return json.dumps(document, default=_number, ensure_ascii=False) + "\n"


def _number(value: object) -> object:
    """What the arrays of an experiment hold, as JSON knows it."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return dict(value) if isinstance(value, Mapping) else str(value)


def command_of(experiment: Experiment, options: Options) -> str:
    """What makes the same report again."""
    said = f"afresh lab run {experiment.name}" + (f" --seed {options.seed}" if options.seed else "")
    said += f" --scale {options.scale:g}" if options.scale != 1.0 else ""
    return said + (f" --trace {options.trace}" if options.trace is not None else "")


def _markdown(experiment: Experiment, outcome: Outcome, command: str) -> str:
    columns = _columns(outcome.rows)
    lines = [f"# {experiment.title}", "", f"{experiment.source}. `{command}`", ""]
    lines += [f"[{key}] {work}  " for key, work in works_in(experiment.source).items()] + [""]
    lines += ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(cell(row.get(name), name) for name in columns) + " |" for row in outcome.rows]
    if outcome.claims:
        lines += ["", "## Claims", ""]
        lines += [f"- **{_VERDICT[claim.holds]}**: {claim.text}{_because(claim)}" for claim in outcome.claims]
    lines += ["", outcome.notes, ""] if outcome.notes else [""]
    lines += [f"![{figure.title}]({figure.name}.svg)" for figure in outcome.figures]
    return "\n".join([*lines, "", f"Made with {_record(outcome)}", ""])


def _because(claim: Claim) -> str:
    return f" ({claim.why})" if claim.why else ""


def _html(experiment: Experiment, outcome: Outcome, drawings: Mapping[str, str], command: str) -> str:
    escape = html.escape
    over = headings(_columns(outcome.rows))
    columns = [name for heading in over for name in heading.columns]
    classes = dict.fromkeys(numeric(columns, outcome.rows), " class='number'")
    body = "".join(
        "<tr>"
        + "".join(f"<td{classes.get(name, '')}>{escape(cell(row.get(name), name))}</td>" for name in columns)
        + "</tr>"
        for row in outcome.rows
    )
    marks = {True: "yes", False: "no", None: ""}
    claims = "".join(
        f"<li><b class='{marks[claim.holds]}'>{_VERDICT[claim.holds]}</b>: {escape(claim.text + _because(claim))}</li>"
        for claim in outcome.claims
    )
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width,initial-scale=1'>"
        f"<title>{escape(experiment.title)}</title><style>{_STYLE}</style></head><body>"
        f"<h1>{escape(experiment.title)}</h1><p>{escape(experiment.source)}. "
        f"<code>{escape(command)}</code></p>"
        + "".join(f"<p><small>[{key}] {escape(work)}</small></p>" for key, work in works_in(experiment.source).items())
        + "".join(f"<figure>{drawing}</figure>" for drawing in drawings.values())
        + (f"<h2>Claims</h2><ul>{claims}</ul>" if claims else "")
        + "<h2>Published against measured</h2>"
        + f"<div tabindex='0'><table><thead>{_head(over, classes)}</thead><tbody>{body}</tbody></table></div>"
        + ("<p><small>On a narrow screen the table moves sideways.</small></p>" if len(columns) > WIDE else "")
        + (f"<p>{escape(outcome.notes)}</p>" if outcome.notes else "")
        + f"<p><small>Made with {escape(_record(outcome))}</small></p></body></html>\n"
    )


def _head(over: Sequence[Heading], classes: Mapping[str, str]) -> str:
    """One line of headings, or two where there are pairs."""
    pairs = sum(one.is_pair for one in over)
    first = "".join(
        f"<th colspan='2' scope='colgroup'>{html.escape(one.words)}</th>"
        if one.is_pair
        else f"<th rowspan='{2 if pairs else 1}'{classes.get(one.columns[0], '')}>{html.escape(one.words)}</th>"
        for one in over
    )
    second = "<th class='number'>ours</th><th class='number'>published</th>" * pairs
    return f"<tr>{first}</tr>" + (f"<tr>{second}</tr>" if pairs else "")
