"""Starting the process that judges pages, and what the two ends say to each other; light, for it comes first.

A command that will need the other process starts it before it loads what it needs itself: both load at the same time.
"""

import fcntl
import os
import subprocess
import sys
from contextlib import suppress
from types import TracebackType
from typing import Self

SIZE = 4  # bytes that tell the length of what follows
_LAST_WORDS = 2.0  # seconds the other process has to end by itself

#: A page as it travels: url, final url, content type, status, bytes, redirects, body, whether its site is honest.
Job = tuple[str, str, str, int, int, tuple[tuple[int, str], ...], bytes, bool]
#: What comes back: status, title, detail, what it turned into, new address; None: more has to be asked for.
Told = tuple[str, str, str, str | None, str] | None

_THRIFT = {"OPENBLAS_NUM_THREADS": "1"}  # nothing here is worth a thread for linear algebra
_PIPE = 2**20  # bytes: work enough for while we are busy with connections; 64 kB would be half a batch


class JudgingChild:
    """The other process and the pipes to and from it; it ends when its input does."""

    def __init__(self) -> None:
        # A fresh interpreter: a copy of one that runs an event loop and threads would be unsafe.
        self._process = subprocess.Popen(
            # -P: never a module of the folder one happens to be in
            [sys.executable, "-P", "-m", "afresh.links.judging_child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**_THRIFT, **os.environ},
            process_group=0,  # an interrupt from the keyboard is ours to act on
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.jobs, self.answers = self._process.stdin, self._process.stdout
        with suppress(OSError, AttributeError):  # not everywhere, and not for everybody
            fcntl.fcntl(self.jobs, fcntl.F_SETPIPE_SZ, _PIPE)

    def kill(self) -> None:
        """Ends it at once."""
        with suppress(ProcessLookupError):
            self._process.kill()

    def close(self) -> None:
        """Ends it, kindly at first; harmless twice."""
        for pipe in (self.jobs, self.answers):
            with suppress(OSError):  # it was gone before
                pipe.close()
        try:
            self._process.wait(_LAST_WORDS)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
