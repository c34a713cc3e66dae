"""The process that reads documents for ``parse.child_reader``: from standard input, with answers on standard output.

Whatever a document makes of it ends with it: it has only so much memory and so much time of the processor.
"""

import json
import marshal
import signal
from functools import partial
from importlib import import_module
from typing import NoReturn

import msgspec

from afresh.base.child_process import be_child, serve
from afresh.base.errors import ParseError
from afresh.parse.child_reader import MOST_TOLD, READ, REFUSED, Job

try:
    import resource
except ImportError:  # pragma: no cover (Windows has no such limits; the caller's patience remains)
    resource = None  # type: ignore[assignment]

_MEMORY = 2 * 2**30  # bytes of address space


def answer(job: Job) -> bytes:
    """What was read as JSON, or why not."""
    module, name, body, given = job
    try:
        found = _encoded(getattr(import_module(module), name)(body, **given))
        if len(found) <= MOST_TOLD:
            return READ + found
        told = {"message": f"becomes {len(found):,} bytes when it is read; refused", "position": "", "excerpt": ""}
    except ParseError as error:
        told = {"message": str(error), "position": error.position, "excerpt": error.excerpt}
    except (MemoryError, RecursionError) as error:
        told = {"message": f"cannot be read: {type(error).__name__}", "position": "", "excerpt": ""}
    return REFUSED + _encoded(told)


def _encoded(value: object) -> bytes:
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # half a character, which JSON cannot carry
        return json.dumps(msgspec.to_builtins(value), ensure_ascii=False).encode("utf-8", "replace")


def answer_in_time(content: bytes) -> bytes:
    patience, job = marshal.loads(content)  # noqa: S302 (from the process that started this one)
    signal.setitimer(signal.ITIMER_PROF, patience)  # its signal ends us, even within a library
    told = answer(job)
    signal.setitimer(signal.ITIMER_PROF, 0.0)
    return told


def main() -> NoReturn:
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    be_child(partial(serve, answer=answer_in_time))


if __name__ == "__main__":
    main()
