"""Who may read a database: its owner. Mail passwords and secrets of webhooks are in it."""

import logging
import os
import stat
from pathlib import Path

log = logging.getLogger("afresh.store")

PRIVATE = 0o600
_BESIDE = ("", "-wal", "-shm", "-journal", ".lock")  # SQLite gives its own the mode of the database when it makes them


def make_private(path: Path) -> None:
    """Makes the file of a new database, so that there is no moment at which others could open it."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE))
    except OSError:  # it is there, or cannot be made: SQLite finds out, and says why
        return


def keep_private(path: Path) -> None:
    """Takes from others what an older afresh, or a copy, left them; call it for a database of ours only."""
    for end in _BESIDE:
        file = path.with_name(path.name + end)
        try:
            mode = stat.S_IMODE(file.stat().st_mode)
            if not mode & 0o077:
                continue
            file.chmod(mode & PRIVATE)
        except FileNotFoundError:
            continue
        except OSError as error:  # somebody else's: they decide
            log.warning("%s can be read by others, and that cannot be changed: %s", file, error.strerror)
        else:
            log.warning("%s could be read by others (mode %04o); now only its owner can", file, mode)
