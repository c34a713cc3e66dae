"""What we lack ourselves, descriptors or memory, which says nothing of whom we wanted to ask or of what they sent."""

import errno
import os
import re

_SHORTAGES = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM))
#: asyncio tells the failures of several addresses of a host as one error without a number, in words only
_QUOTED = re.compile(rf"\[Errno (?:{'|'.join(map(str, sorted(_SHORTAGES)))})\]")
SHORT_WAIT = 10.0  # seconds by which a visit is put off for which we lack something ourselves
_NO_FILES = os.strerror(errno.EMFILE)


def is_shortage(error: BaseException) -> bool:
    """Whether it, or what led to it, is such a want: the same may work in a moment.

    >>> is_shortage(OSError(errno.EMFILE, "Too many open files")), is_shortage(FileNotFoundError("no such file"))
    (True, False)
    """
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, OSError) and (
            seen.errno in _SHORTAGES or (seen.errno is None and _QUOTED.search(str(seen)))
        ):
            return True
        if isinstance(seen, ImportError) and _NO_FILES in str(seen):  # a library that could not be opened
            return True
        seen = getattr(seen, "os_error", None) or seen.__cause__ or seen.__context__
    return False


def lack() -> OSError | None:
    """The want of descriptors there is now: libraries that meet with it often say something else."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        return error if is_shortage(error) else None
    return None
