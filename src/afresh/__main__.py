"""``python -m afresh`` is the command ``afresh``."""

from afresh.doors.cli.main import main

main()
