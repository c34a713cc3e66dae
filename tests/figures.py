"""The measured figures that documents show, made again by one command: ``make figures TRACES=DIR``.

What ``afresh lab replay`` and ``afresh lab run`` measure is written to ``docs/figures/priced.json``. A number that a
document includes stands between ``<!--figure NAME-->`` and ``<!--/figure-->``: it is put there from that file, and a
test compares them. Whether the file itself is out of date, a test asks a few feeds that can be made anywhere.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from afresh.base.calendar import DAY, HOUR
from afresh.base.models import Bounds
from afresh.lab.compare import compare
from afresh.lab.population import generate
from afresh.lab.replay.period import period_of

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "docs" / "figures" / "priced.json"
#: run: folder below TRACES, first day of the training part ('': the last 12 weeks)
RUNS = {
    "news": ("news-feeds", ""),
    "news-result": ("news-feeds", "2025-09-29"),
    "commits-result": ("commit-feeds", "2023-06-05"),
    "late-result": ("commit-feeds/late", "2025-09-08"),
}
PICTURE = ROOT / "docs" / "figures" / "delay-against-polls.svg"
_COUNTS = re.compile(r"true of (\d+) of the (\d+) rules that poll more than once a day(?:; not of (.+))?")
_MARK = re.compile(r"(<!--figure ([\w.-]+)-->)(.*?)(<!--/figure-->)")


def documents() -> list[Path]:
    """Where figures may stand."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def shown(text: str) -> list[tuple[str, str]]:
    """Names and numbers of the figures in a document."""
    return [(name, number) for _, name, number, _ in _MARK.findall(text)]


def included(text: str, figures: Mapping[str, str]) -> str:
    """The document with the numbers of the file."""
    return _MARK.sub(lambda found: found[1] + figures[found[2]] + found[4], text)


def measured(traces: Path, run: str) -> dict[str, str]:
    """``priced`` at the polls of MAVSync on one history, among all rules.

    Fractions of MAVSync's delay and polls, differences of recall, and the ratio of goodness to the next best.
    """
    folder, start = RUNS[run]
    given = ("--match-polls", "mavsync", "--json", *(("--start", start) if start else ()))
    rows: list[dict[str, Any]] = json.loads(_lab("replay", "--trace", str(traces / folder), *given))
    reference, ours = (next(row for row in rows if row["name"] == name) for name in ("mavsync", "priced"))
    following = max((row for row in rows if row is not ours), key=lambda row: row["goodness"])
    figures = {f"{run}.feeds": str(ours["feeds"]), f"{run}.polls": f"{ours['polls'] / reference['polls']:.3f}"}
    for mode in ("feeds", "entries"):
        figures[f"{run}.delay-{mode}"] = f"{ours[f'delay_{mode}'] / reference[f'delay_{mode}']:.3f}"
        figures[f"{run}.recall-{mode}"] = f"{ours[f'recall_{mode}'] - reference[f'recall_{mode}']:+.4f}"
    figures[f"{run}.goodness"] = f"{ours['goodness'] / following['goodness']:.2f}"
    figures[f"{run}.next"] = following["name"]
    return figures


def compared(traces: Path) -> dict[str, str]:
    """How many rules ``priced`` is better than at some price; the picture of all of them is put in its place."""
    with TemporaryDirectory() as folder:
        _lab("run", "afresh-rules", "--trace", str(traces / RUNS["news"][0]), "-o", folder)
        report = json.loads((Path(folder) / "report.json").read_text(encoding="utf-8"))
        shutil.copy(Path(folder) / "delay-against-polls-entries.svg", PICTURE)
    [counts] = filter(None, (_COUNTS.match(claim["why"]) for claim in report["claims"]))
    return {"rules.better": counts[1], "rules.all": counts[2], "rules.not": counts[3] or "none"}


def probed() -> dict[str, str]:
    """``priced`` at the polls of MAVSync, and at its own price, on a few feeds that are made in a second.

    No document shows them. They are kept because the histories are not: once the rule or the replay comes to something
    else here, the other figures were measured with what is gone.
    """
    trace = generate(60, 7, days=28.0)
    given: dict[str, Any] = {"period": period_of(trace), "bounds": Bounds(60.0, DAY, HOUR)}
    reference, matched = compare(trace, ["mavsync", "priced"], match="mavsync", **given)
    [alone] = compare(trace, ["priced"], **given)
    theirs, ours, own = reference.averages, matched.averages, alone.averages
    return {
        "probe.polls": f"{ours.polls / theirs.polls:.4f}",
        "probe.delay-feeds": f"{ours.delay_feeds / theirs.delay_feeds:.4f}",
        "probe.delay-entries": f"{ours.delay_entries / theirs.delay_entries:.4f}",
        "probe.own-polls": f"{own.polls / theirs.polls:.4f}",
        "probe.own-delay-entries": f"{own.delay_entries / theirs.delay_entries:.4f}",
    }


def _lab(*arguments: str) -> str:
    command = [sys.executable, "-m", "afresh", "lab", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main(traces: Path) -> None:
    """Measures, keeps, and puts the numbers into the documents."""
    figures: dict[str, str] = {}
    for run in RUNS:
        figures |= measured(traces, run)
    figures |= compared(traces) | probed()
    KEPT.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    for document in documents():
        before = document.read_text(encoding="utf-8")
        after = included(before, figures)
        if after != before:
            document.write_text(after, encoding="utf-8")
            print(f"{document.relative_to(ROOT)} was brought up to date")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
