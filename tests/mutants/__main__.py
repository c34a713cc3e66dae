"""Breaks a copy of the code, one line at a time, and runs the test that must notice: ``make mutants``.

    python -m tests.mutants [WORD ...]     only breaks whose module or test contains a word

Part of the release check, not of every run: it takes a minute or two. A break that goes unnoticed is a test that cannot
fail. The working tree is not touched.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.mutants.breaks import BREAKS, Break

ROOT = Path(__file__).parents[2]
_FAILED = 1  # pytest: some tests failed; every other code but 0 says that it could not run them


@contextmanager
def copied() -> Iterator[Path]:
    """The code and its tests in a folder of their own, without compiled caches of another place."""
    with tempfile.TemporaryDirectory(prefix="afresh-mutants-") as folder:
        place = Path(folder)
        for part in ("src", "tests"):
            shutil.copytree(ROOT / part, place / part, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
        shutil.copy(ROOT / "pyproject.toml", place)
        yield place


def run(place: Path, tests: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """These tests on the copy, until the first fails."""
    environment = {**os.environ, "PYTHONPATH": str(place / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:randomly", *(f"tests/{t}" for t in tests)],
        cwd=place, env=environment, capture_output=True, text=True,
    )  # fmt: skip


def is_caught(place: Path, one: Break) -> bool:
    """Whether the test fails on the broken copy; the copy is whole again afterwards."""
    module = place / "src" / "afresh" / one.module
    text = module.read_text(encoding="utf-8")
    module.write_text(text.replace(one.right, one.wrong), encoding="utf-8")
    try:
        return run(place, [one.caught_by]).returncode == _FAILED
    finally:
        module.write_text(text, encoding="utf-8")


def main(words: Sequence[str]) -> int:
    """0: every break was caught."""
    chosen = [one for one in BREAKS if not words or any(word in one.module + one.caught_by for word in words)]
    with copied() as place:
        whole = run(place, sorted({one.caught_by for one in chosen}))
        if whole.returncode:
            print(whole.stdout[-3_000:], "the tests fail before anything is broken", sep="\n")
            return 2
        unnoticed = 0
        for one in chosen:
            caught = is_caught(place, one)
            unnoticed += not caught
            print(
                f"{'caught   ' if caught else 'UNNOTICED'}  {one.module}: {one.wrong.strip() or 'left out'}", flush=True
            )
    print(f"{len(chosen) - unnoticed} of {len(chosen)} breaks caught")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
