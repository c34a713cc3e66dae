"""``python -m tests.faults.shifted_afresh FILE PATIENCE …``: afresh on a machine whose clock is set by a file.

The file holds seconds by which the clock is ahead. PATIENCE are the seconds after which a jump is believed.
"""

import contextlib
import sys
import time
from pathlib import Path

_real = time.time
_file = Path(sys.argv[1])


def _shifted() -> float:
    with contextlib.suppress(OSError, ValueError):  # while it is being written
        return _real() + float(_file.read_text())
    return _real()


time.time = _shifted  # before anybody has asked for the time

from afresh.base.clock import WatchedClock  # noqa: E402
from afresh.doors.cli.main import run  # noqa: E402

WatchedClock.__init__.__kwdefaults__["patience"] = float(sys.argv[2])

if __name__ == "__main__":
    sys.exit(run(sys.argv[3:]))
