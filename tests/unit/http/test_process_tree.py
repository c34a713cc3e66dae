"""Processes and what they started, found and ended together."""

import subprocess
import sys
import time
from pathlib import Path

from afresh.http.process_tree import are_gone, end_family, family, held_bytes

_PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True)
print(child.pid, flush=True)
child.wait()
"""


#: Starts another one every few milliseconds, which would outlive it.
_RESTLESS = """
import subprocess, sys, time
print(flush=True)
while True:
    subprocess.Popen(["sleep", "1000.25"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    time.sleep(0.002)
"""


def _until_gone(pids: list[int]) -> bool:
    end = time.monotonic() + 60.0
    while not are_gone(pids) and time.monotonic() < end:
        time.sleep(0.01)
    return are_gone(pids)


def test_what_a_process_started_is_found_and_ends_with_it() -> None:
    with subprocess.Popen([sys.executable, "-c", _PARENT], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        assert family(process.pid) == [process.pid, child]
        assert held_bytes([process.pid, child]) > held_bytes([child]) > 0
        assert not are_gone([child])
        assert end_family(process.pid) == [process.pid, child]
        process.wait(60)
    assert family(process.pid) == [process.pid]
    assert _until_gone([process.pid, child])
    assert held_bytes([process.pid, child]) == 0


def test_who_is_being_ended_leaves_nobody_behind() -> None:
    with subprocess.Popen([sys.executable, "-c", _RESTLESS], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.05)
        assert _until_gone(end_family(process.pid))
    left = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not [command for command in left if b"1000.25" in command]
