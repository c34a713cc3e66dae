"""What a start loads, and how soon the daemon asks its first server."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

#: the server listens in the daemon's own process, so it sees what is loaded when the first request arrives
RUN = """
import os, signal, socket, sys, threading, time, urllib.request
from afresh.doors.cli.main import run

server = socket.create_server(("127.0.0.1", 0))
url = f"http://127.0.0.1:{server.getsockname()[1]}/feed"
allowed = ["--set", "fetch.allowed_networks=127.0.0.0/8"]

def note_first_request():
    with server.accept()[0]:
        used, loaded = time.process_time(), sorted(m.split(".")[0] for m in sys.modules)
        above = ("afresh.doors.listening", "afresh.doors.rest.", "afresh.doors.pages", "afresh.lab")
        doors = sorted(m for m in sys.modules if m.startswith(above))
        print({"cpu": used, "loaded": loaded, "doors": doors}, flush=True)
    print("nobody looked:", "fastapi" not in sys.modules)
    with urllib.request.urlopen(f"http://127.0.0.1:{door}/api/v1/health", timeout=20) as health:
        print("the doors were open:", health.status, "fastapi" in sys.modules, flush=True)
    os.kill(os.getpid(), signal.SIGTERM)  # what there was to see was seen, however slow the machine

with socket.create_server(("127.0.0.1", 0)) as free:
    door = free.getsockname()[1]
threading.Thread(target=note_first_request, daemon=True).start()
run(["add", url, *allowed])
sys.exit(run(["run", "--port", str(door), "--for", "50s", *allowed]))
"""

LATER = {"numba", "fastapi", "starlette", "uvicorn", "apprise", "sklearn", "scipy", "rich", "jinja2"}


def test_the_first_request_waits_for_nothing_it_does_not_need(tmp_path: Path) -> None:
    answer = subprocess.run(
        [sys.executable, "-c", RUN], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert answer.returncode == 0, answer.stderr
    seen = ast.literal_eval(next(line for line in answer.stdout.splitlines() if line.startswith("{")))
    assert not LATER & set(seen["loaded"])
    assert seen["doors"] == ["afresh.doors.listening"]  # who may listen is decided before anything is asked
    assert seen["cpu"] < 1.5, "seconds of processor time up to the first request"
    assert "nobody looked: True" in answer.stdout
    assert "the doors were open: 200 True" in answer.stdout
    assert "see http://127.0.0.1:" in answer.stderr.splitlines()[0]  # said before anything is asked


@pytest.mark.parametrize("command", ["list", "add", "status"])
def test_commands_that_ask_nobody_load_no_client_and_no_server(command: str, tmp_path: Path) -> None:
    arguments = [command, "https://example.org/feed"] if command == "add" else [command]
    code = (
        f"import sys; from afresh.doors.cli.main import run; run({arguments!r}); "
        "print(sorted({'numba', 'aiohttp', 'fastapi', 'uvicorn', 'lark'} & set(sys.modules)))"
    )
    answer = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert answer.stdout.splitlines()[-1] == "[]"
