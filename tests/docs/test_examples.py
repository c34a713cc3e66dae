"""Examples run, and say something."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs(example: Path) -> None:
    answer = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, timeout=240)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.strip()
