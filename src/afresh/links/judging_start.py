"""Starting the process that judges pages, and what the two ends say to each other; light, for it comes first.

A command that will need the other process starts it before it loads what it needs itself: both load at the same time.
"""

import fcntl
import subprocess
from contextlib import suppress
from types import TracebackType
from typing import Self

from afresh.base.child_process import start_child

_LAST_WORDS = 2.0  # seconds the other process has to end by itself

#: What is known of a site: whether it says honestly that a page is not there, and the title of its front page in words.
SiteKnown = tuple[bool, tuple[str, ...] | None]
#: A page as it travels: url, final url, content type, status, bytes, redirects, body, what is known of its site.
Job = tuple[str, str, str, int, int, tuple[tuple[int, str], ...], bytes, SiteKnown]
#: What comes back: status, title, detail, what it turned into, new address; None: more has to be asked for.
Told = tuple[str, str, str, str | None, str] | None

_PIPE = 2**20  # bytes: work enough for while we are busy with connections; 64 kB would be half a batch


class JudgingChild:
    """The other process and the pipes to and from it; it ends when its input does."""

    def __init__(self) -> None:
        self._process, self.jobs, self.answers = start_child("afresh.links.judging_child")
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
