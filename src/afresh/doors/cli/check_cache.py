"""Results of an earlier run of ``afresh check``: a file of JSON lines that an interrupted check resumes from."""

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import orjson

from afresh.base.errors import UsageError
from afresh.base.records.link_status import CheckStatus, Turned
from afresh.links.judge import CheckResult

_FLUSH = 50  # results; so many are asked again after a crash


class CheckCache:
    """Appends each result as it comes; knows those of earlier runs that are young enough."""

    def __init__(self, path: Path, *, max_age: float, now: float) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._unwritten = 0
        self.known = _read(path, oldest=now - max_age)

    def add(self, result: CheckResult, at: float) -> None:
        assert self._file is not None
        self._file.write(orjson.dumps({"at": at, **_to_row(result)}) + b"\n")
        self._unwritten += 1
        if self._unwritten >= _FLUSH:
            self._file.flush()
            self._unwritten = 0

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


def _to_row(result: CheckResult) -> dict[str, object]:
    return {
        "url": result.url,
        "status": result.status,
        "http": result.http,
        "final_url": result.final_url,
        "title": result.title,
        "detail": result.detail,
        "turned": result.turned,
        "new_url": result.new_url,
        "size": result.size,
    }


def _read(path: Path, *, oldest: float) -> Mapping[str, CheckResult]:
    """Results by URL, the newest of each; a line that cannot be read (cut by a crash) is left out."""
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    found: dict[str, CheckResult] = {}
    for line in lines:
        try:
            row = orjson.loads(line)
            if float(row["at"]) >= oldest:
                found[str(row["url"])] = _from_row(row)
        except (ValueError, KeyError, TypeError):
            continue
    if lines and not found and not lines[0].startswith(b'{"at"'):
        raise UsageError(f"{path} is not a file `afresh check --resume` wrote; choose another name")
    return found


def _from_row(row: Mapping[str, Any]) -> CheckResult:
    return CheckResult(
        url=str(row["url"]),
        status=CheckStatus(row["status"]),
        http=row["http"],
        final_url=str(row["final_url"]),
        title=str(row["title"]),
        detail=str(row["detail"]),
        turned=None if row["turned"] is None else Turned(row["turned"]),
        new_url=str(row["new_url"]),
        size=int(row["size"]),
    )
