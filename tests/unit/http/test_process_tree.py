"""Processes and what they started, found and ended together."""

import subprocess
import sys
import time

from afresh.http.process_tree import end_family, family, held_bytes

_PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True)
print(child.pid, flush=True)
child.wait()
"""


def test_what_a_process_started_is_found_and_ends_with_it() -> None:
    with subprocess.Popen([sys.executable, "-c", _PARENT], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        assert family(process.pid) == [process.pid, child]
        assert held_bytes([process.pid, child]) > held_bytes([child]) > 0
        end_family(process.pid)
        process.wait(60)
    assert family(process.pid) == [process.pid]
    end = time.monotonic() + 60.0  # the system takes a moment to clear away what was killed
    while held_bytes([child]) and time.monotonic() < end:
        time.sleep(0.01)
    assert held_bytes([process.pid, child]) == 0
