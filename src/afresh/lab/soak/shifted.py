"""``python -m afresh.lab.soak.shifted FILE PATIENCE …``: afresh on a machine whose clock is set by a file.

The file holds seconds by which the clock is ahead. PATIENCE are the seconds after which a jump is believed.
"""

import contextlib
import runpy
import sys
import time
from pathlib import Path

_real = time.time
_file = Path(sys.argv[1])


def _shifted() -> float:
    ahead = 0.0
    with contextlib.suppress(OSError, ValueError):  # while it is being written
        ahead = float(_file.read_text())
    return _real() + ahead  # read last: to read the file may take a busy machine ten milliseconds


time.time = _shifted  # before anybody has asked for the time

from afresh.base.clock import WatchedClock  # noqa: E402

defaults = WatchedClock.__init__.__kwdefaults__
assert defaults is not None
defaults["patience"] = float(sys.argv[2])

if __name__ == "__main__":
    sys.argv = ["afresh", *sys.argv[3:]]
    runpy.run_module("afresh", run_name="__main__")
