"""The measured figures that documents show, made again by one command: ``make figures TRACES=DIR``.

Each run of ``afresh lab replay`` is written to ``docs/figures/priced.json``. A number that a document includes stands
between ``<!--figure NAME-->`` and ``<!--/figure-->``: it is put there from that file, and a test compares them.
"""

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "docs" / "figures" / "priced.json"
#: run: folder below TRACES, first day of the training part ('': the last 12 weeks)
RUNS = {
    "news": ("news-feeds", ""),
    "news-result": ("news-feeds", "2025-09-29"),
    "commits-result": ("commit-feeds", "2023-06-05"),
    "late-result": ("commit-feeds/late", "2025-09-08"),
}
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
    """``priced`` at the polls of MAVSync on one history: fractions of its delay and polls, differences of recall."""
    folder, start = RUNS[run]
    command = [sys.executable, "-m", "afresh", "lab", "replay", "--trace", str(traces / folder), "--json"]
    command += [
        "--rule",
        "mavsync",
        "--rule",
        "priced",
        "--match-polls",
        "mavsync",
        *(("--start", start) if start else ()),
    ]
    reference, ours = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    figures = {f"{run}.feeds": str(ours["feeds"]), f"{run}.polls": f"{ours['polls'] / reference['polls']:.3f}"}
    for mode in ("feeds", "entries"):
        figures[f"{run}.delay-{mode}"] = f"{ours[f'delay_{mode}'] / reference[f'delay_{mode}']:.3f}"
        figures[f"{run}.recall-{mode}"] = f"{ours[f'recall_{mode}'] - reference[f'recall_{mode}']:+.4f}"
    return figures


def main(traces: Path) -> None:
    """Measures, keeps, and puts the numbers into the documents."""
    figures: dict[str, str] = {}
    for run in RUNS:
        figures |= measured(traces, run)
    KEPT.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    for document in documents():
        before = document.read_text(encoding="utf-8")
        after = included(before, figures)
        if after != before:
            document.write_text(after, encoding="utf-8")
            print(f"{document.relative_to(ROOT)} was brought up to date")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
