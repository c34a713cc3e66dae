"""``python -m afresh`` is the command ``afresh``."""

from afresh.cli.main import main

main()
