"""``python -m tests.bench faults [--json] [--long] [NAME…]``: every fault done for real, one line each.

With ``--long``, or by their names, those that take ten minutes each as well.

``ROWS`` is the table: a name and a scene that takes an empty folder, gives what it counted, and raises AssertionError
where a promise was not kept.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from tests.bench import input_faults
from tests.faults import clock, companions, descriptors, disk, frontier_rows, loop_gaps, postgres, signals

Scene = Callable[[Path], Mapping[str, object]]

#: What must be nothing wherever it was counted.
NOTHING = ("lost", "doubled", "blamed", "sites_blamed", "pruned")


ROWS: dict[str, Scene] = {
    "clock 30 days ahead for 12 s": clock.ahead_for_a_moment,
    "clock 30 days ahead at the start": clock.ahead_at_the_start,
    "clock a year ahead": clock.a_year_ahead,
    "disk full": disk.full_disk,
    "start on a full disk": disk.start_on_a_full_disk,
    "PostgreSQL away from a daemon": postgres.away_from_daemon,
    "PostgreSQL away from a frontier": postgres.away_from_frontier,
    "2,000 idle connections, 1,024 descriptors": descriptors.idle_strangers,
    "no descriptor left": descriptors.no_descriptor_left,
    "a companion fails": companions.failing_companions,
    "documents made to be slow, beside the loop": loop_gaps.slow_documents,
    "damaged rows of a frontier": frontier_rows.damaged_rows,
    "programs with SIGINT ignored": signals.ended_in_the_background,
    "the suite with SIGINT ignored": signals.suite_in_the_background,
    **input_faults.ROWS,
}

#: As long as an evening's repair of a server takes.
LONG: dict[str, Scene] = {
    "PostgreSQL ten minutes away from a daemon": partial(postgres.away_from_daemon, away=postgres.LONG),
    "PostgreSQL ten minutes away from a frontier": partial(postgres.away_from_frontier, away=postgres.LONG),
}


def play(name: str) -> dict[str, object]:
    """One row: its name, whether it passed, how long it took, what was counted or what went wrong."""
    began = time.monotonic()
    counted: Mapping[str, object] = {}
    try:
        with tempfile.TemporaryDirectory(prefix="afresh-fault-") as folder:
            counted = (ROWS | LONG)[name](Path(folder))
        passed = not any(counted.get(figure) for figure in NOTHING)
    except Exception as error:  # whatever it was, the other rows are played
        passed, counted = False, {**counted, "error": f"{type(error).__name__}: {error}"[:2000]}
    return {"name": name, "passed": passed, "seconds": round(time.monotonic() - began, 1), "counted": counted}


def main(arguments: list[str]) -> int:
    as_json, with_long = "--json" in arguments, "--long" in arguments
    named = [name for name in arguments if not name.startswith("--")]
    wanted = named or [*ROWS, *(LONG if with_long else ())]
    failed = 0
    for name in wanted:
        row = play(name)
        failed += not row["passed"]
        if as_json:
            print(json.dumps(row), flush=True)
        else:
            verdict = "passed" if row["passed"] else "FAILED"
            print(f"{name:<44} {verdict} {row['seconds']:>6} s  {row['counted']}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
