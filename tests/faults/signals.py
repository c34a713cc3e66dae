"""Programs started where SIGINT is ignored, as in the background of a shell: they end all the same."""

import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from tests.faults.process import SETTINGS, until

_PATIENCE = 60.0


def _deaf() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def ended_in_the_background(folder: Path) -> Mapping[str, object]:
    """``run``, ``serve`` and the demo's web, each ended by SIGTERM and by SIGINT."""
    words = [f"--set={name}={value}" for name, value in SETTINGS.items()]
    afresh = [sys.executable, "-m", "afresh", *words]
    run = [*afresh, f"--set=store.url={folder / 'afresh.db'}", "run", "--port", "0"]
    serve = [*afresh, "serve", "--store", str(folder / "frontier.db"), "--port", "0"]
    web = [sys.executable, "-m", "afresh", "demo", "--web-only"]
    slowest = 0.0
    for program in (run, serve, web):
        for number in (signal.SIGTERM, signal.SIGINT):
            slowest = max(slowest, _ended(program, number, folder))
    return {"ended": 6, "slowest_end": round(slowest, 2)}


def _ended(program: list[str], number: signal.Signals, folder: Path) -> float:
    """How long it took to end."""
    with (folder / "said").open("w+b") as said:
        process = subprocess.Popen(program, stdout=said, stderr=said, preexec_fn=_deaf, cwd=folder)  # noqa: PLW1509 (it only sets a handler)
        try:
            until(lambda: b"http://127.0.0.1" in (folder / "said").read_bytes(), f"{program} to start")
            began = time.monotonic()
            process.send_signal(number)
            assert process.wait(_PATIENCE) == 0, (folder / "said").read_text()
            return time.monotonic() - began
        finally:
            process.kill()
            process.wait(_PATIENCE)


def suite_in_the_background(_: Path) -> Mapping[str, object]:
    """The tests that send signals to programs, run with SIGINT ignored and a limit on their time."""
    tests = ["tests/integration/test_demo_web.py", "-k", "as_a_command"]
    command = f"trap '' INT; exec {sys.executable} -m pytest -q -n 0 -p no:cacheprovider {' '.join(tests)}"
    ended = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=_PATIENCE * 3)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return {"passed": ended.stdout.count(" passed")}
