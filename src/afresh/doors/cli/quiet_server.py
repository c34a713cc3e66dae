"""A web server that leaves signals alone."""

from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn


class QuietServer(uvicorn.Server):
    """uvicorn without its own signal handlers: the command decides when to end."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
