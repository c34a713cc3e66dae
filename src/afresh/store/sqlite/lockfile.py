"""One daemon a database, one fetcher a state file: a lock of the operating system, which vanishes with its process."""

import fcntl
import os
import time
from pathlib import Path

from afresh.base.errors import StoreAway, StoreBusy, StoreError
from afresh.store.sqlite.connection import PRIVATE

_TRIES, _MOMENT = 5, 0.02  # whoever looks whether it is held has it for a moment itself


class LockFile:
    """An exclusive lock on ``<database>.lock``, which names the process that holds it, and what it is there for.

    The file itself stays: removing it would let a third process lock a name that a second one still waits for.
    """

    def __init__(self, database: Path, *, purpose: str = "") -> None:
        self.database, self.purpose = database, purpose
        self.path = database.with_name(database.name + ".lock")
        self._descriptor: int | None = None

    def acquire(self, *, advice: str = "stop it or choose another database") -> None:
        """Takes the lock or raises ``StoreBusy`` with the number of the process that has it, and what to do then."""
        try:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE)
        except OSError as error:
            raise StoreError(f"cannot make {self.path}: {error.strerror}; check the directory's permissions") from error
        try:
            _lock(descriptor)
        except BlockingIOError as error:
            process, _, purpose = os.read(descriptor, 200).decode("utf-8", "replace").strip().partition(" ")
            os.close(descriptor)
            who = f"`afresh {purpose}`" if purpose else "another afresh"
            told = advice.replace("stop it", "wait until it has ended,", 1) if purpose else advice
            raise StoreBusy(f"{self.database} is in use by {who} (process {process or 'unknown'}); {told}") from error
        try:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()} {self.purpose}".rstrip().encode() + b"\n", 0)
        except OSError as error:  # a full disk
            os.close(descriptor)
            raise StoreAway(f"cannot write {self.path}: {error.strerror}; free some space on its disk") from error
        self._descriptor = descriptor

    def is_held(self) -> bool | None:
        """Whether some process has the lock, this one included; None: we may not look."""
        if self._descriptor is not None:
            return True
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        except OSError:
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:  # a file system without locks
            return None
        finally:
            os.close(descriptor)
        return False

    def release(self) -> None:
        """Lets go; harmless if nothing is held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _lock(descriptor: int) -> None:
    """Raises BlockingIOError if another process keeps it."""
    for left in reversed(range(_TRIES)):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if not left:
                raise
            time.sleep(_MOMENT)
        else:
            return
