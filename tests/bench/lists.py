"""How long an import of 100,000 bookmarks takes, the whole command on SQLite, and how quickly each format is read."""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from afresh.base.records.links import LinkRef
from afresh.engine.exporting import FORMATS
from afresh.engine.importing import read_import

LINKS = 100_000
SITES = 20_000
_ENDINGS = {"bookmarks": "html", "list": "txt"}


def links(count: int = LINKS) -> list[LinkRef]:
    """Bookmarks as people have them: folders, tags, dates, a note with every third."""
    return [
        LinkRef(
            url=f"https://s{number % SITES}.example/path/{number}?a=1&b={number}",
            title=f"Title number {number} & more",
            folder=f"Folder {number % 50}/Inner {number % 7}",
            tags=("x", f"tag {number % 9}"),
            note="What I thought of it when I saved it" if number % 3 == 0 else "",
            saved=1.6e9 + number,
        )
        for number in range(count)
    ]


def measure() -> dict[str, float]:
    """Best of three, for the machine may be busy."""
    made = links()
    numbers: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for form, write in FORMATS.items():
            file = Path(folder) / f"list.{_ENDINGS.get(form, form)}"
            file.write_text(write(made), encoding="utf-8")
            numbers[f"{form}_read_seconds"] = min(_reading(file) for _ in range(3))
        imports = [_importing(Path(folder) / "list.html", f"{folder}/{run}.db") for run in range(3)]
    numbers["bookmarks_import_seconds"] = min(wall for wall, _ in imports)
    numbers["bookmarks_import_cpu_seconds"] = min(cpu for _, cpu in imports)
    return numbers


def _reading(file: Path) -> float:
    body, began = file.read_bytes(), time.perf_counter()
    assert len(read_import(body, name=file.name).wanted) == LINKS
    return time.perf_counter() - began


def _importing(file: Path, store: str) -> tuple[float, float]:
    """Seconds of ``afresh import``, and of the processor."""
    command = [sys.executable, "-m", "afresh", "--store", store, "import", "--kind", "link", str(file)]
    before, began = _children_cpu(), time.perf_counter()
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert said.startswith(f"{LINKS} added"), said
    return time.perf_counter() - began, _children_cpu() - before


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
