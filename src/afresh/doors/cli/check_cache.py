"""Results of an earlier run of ``afresh check``: a file of JSON lines that an interrupted check resumes from."""

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import msgspec

from afresh.base.errors import UsageError
from afresh.base.records.links import Check, Standing

_FLUSH = 50  # results; so many are asked again after a crash
#: The last line of a run that got to its end. What was broken until then is asked again by the next one: it may have
#: been repaired, which is why somebody checks again. A run that was interrupted goes on behind it.
_ENDED = b'{"ended":true}'


class CheckCache:
    """Appends each check as it comes; knows those of earlier runs that are young enough."""

    def __init__(self, path: Path, *, max_age: float, now: float) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._unwritten = 0
        self.known = _read(path, oldest=now - max_age)

    def add(self, check: Check) -> None:
        assert self._file is not None
        self._file.write(msgspec.json.encode(check) + b"\n")
        self._unwritten += 1
        if self._unwritten >= _FLUSH:
            self._file.flush()
            self._unwritten = 0

    def finish(self) -> None:
        """The run got to its end."""
        assert self._file is not None
        self._file.write(_ENDED + b"\n")

    def __enter__(self) -> Self:
        try:
            self._file = self._path.open("ab")
            if self._file.tell() and not self._path.read_bytes().endswith(b"\n"):
                self._file.write(b"\n")  # the run before was killed within a line
        except OSError as error:
            raise UsageError(f"cannot write {self._path}: {error.strerror}; choose another file") from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()


def _read(path: Path, *, oldest: float) -> Mapping[str, Check]:
    """Checks by URL, the newest of each; a line that cannot be read (cut by a crash) is left out."""
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    decoder = msgspec.json.Decoder(Check)
    found: dict[str, Check] = {}
    is_ours = not lines or lines[0].startswith((b'{"url":', b'{"at":', _ENDED))
    for line in lines:
        if line == _ENDED:
            found = {url: check for url, check in found.items() if check.standing is not Standing.BROKEN}
            continue
        try:
            check = decoder.decode(line)
        except msgspec.DecodeError:
            continue
        is_ours = True
        if check.at >= oldest and check.standing is not Standing.UNKNOWN:  # what nobody knows is asked again
            found[check.url] = check
    if not is_ours:
        raise UsageError(f"{path} is not a file `afresh check --resume` wrote; choose another name")
    return found
