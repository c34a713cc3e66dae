"""One daemon a database, one fetcher a state file: a lock of the operating system, which vanishes with its process."""

import fcntl
import os
from pathlib import Path

from afresh.base.errors import StoreAway, StoreBusy, StoreError
from afresh.store.sqlite.connection import PRIVATE


class LockFile:
    """An exclusive lock on ``<database>.lock``, which names the process that holds it.

    The file itself stays: removing it would let a third process lock a name that a second one still waits for.
    """

    def __init__(self, database: Path) -> None:
        self.database = database
        self.path = database.with_name(database.name + ".lock")
        self._descriptor: int | None = None

    def acquire(self, *, advice: str = "stop it or choose another database") -> None:
        """Takes the lock or raises ``StoreBusy`` with the number of the process that has it, and what to do then."""
        try:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE)
        except OSError as error:
            raise StoreError(f"cannot make {self.path}: {error.strerror}; check the directory's permissions") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.read(descriptor, 20).decode("ascii", "replace").strip() or "unknown"
            os.close(descriptor)
            raise StoreBusy(f"{self.database} is in use by another afresh (process {holder}); {advice}") from error
        try:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        except OSError as error:  # a full disk
            os.close(descriptor)
            raise StoreAway(f"cannot write {self.path}: {error.strerror}; free some space on its disk") from error
        self._descriptor = descriptor

    def release(self) -> None:
        """Lets go; harmless if nothing is held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
