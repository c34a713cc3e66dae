"""What servers answered, kept as WARC: files that every web archive can read.

Beside each answer stands the request, without credentials and cookies. Redirects and errors are kept with as much of
their body as was read; where that is not all, their records say so.
"""

import os
import tempfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from afresh import __version__
from afresh.base.extras import need
from afresh.base.models import Failed, Failure, Fetched, NotModified, Outcome, Rejected
from afresh.sinks.folders import Folder

LARGEST = 1_000_000_000  # bytes; then a new file is begun
_ENDING = ".warc.gz"
#: headers of the wire that no longer fit the body as it is kept, unpacked: with this in front they say what was sent
_UNFIT = frozenset(("content-encoding", "transfer-encoding", "content-length"))
_ORIGINAL = "X-Archive-Orig-"


_SAME = "http://netpreserve.org/warc/1.0/revisit/server-not-modified"
_CUT = {"WARC-Truncated": "length"}


class WarcFile:
    """Writes records, each a gzip member of its own, into an open file."""

    def __init__(self, file: Any, *, name: str) -> None:
        from warcio.warcwriter import WARCWriter  # noqa: PLC0415 (optional extra)

        self._writer = WARCWriter(file, gzip=True)
        info = {"software": f"afresh/{__version__}", "format": "WARC File Format 1.0"}
        self._writer.write_record(self._writer.create_warcinfo_record(name, info))

    def add(
        self,
        url: str,
        status: int,
        headers: Iterable[tuple[str, str]],
        body: bytes,
        *,
        line: tuple[str, str] | None = None,
        extra: Mapping[str, str] | None = None,
        kind: str = "response",
        sent: Sequence[tuple[str, str]] = (),
    ) -> None:
        """One response, with its headers and the body as it was read; ``kind``: of WARC's records.

        ``line``: version and reason that it began with; None: as they usually are.
        ``sent``: headers of the request, which gets a record of its own; none: it does not.
        """
        from warcio.statusandheaders import StatusAndHeaders  # noqa: PLC0415 (optional extra)

        kept = _fitting(headers, len(body))
        version, reason = line or ("1.1", _phrase(status))
        record = self._writer.create_warc_record(
            url,
            kind,
            payload=BytesIO(body),
            length=len(body),  # else warcio buffers it in a file of its own
            http_headers=StatusAndHeaders(f"{status} {reason}".rstrip(), kept, protocol=f"HTTP/{version}"),
            warc_headers_dict=dict(extra or {}),
        )
        if not sent:
            self._writer.write_record(record)
            return
        parts = urlsplit(url)
        target = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
        asked = StatusAndHeaders(f"GET {target} HTTP/1.1", list(sent), is_http_request=True)
        request = self._writer.create_warc_record(url, "request", http_headers=asked)
        self._writer.write_request_response_pair(request, record)


class WarcArchive:
    """Writes responses into gzipped WARC files of one folder; one writer, one thread.

    ``target``: finished files go there, and leave the folder. What a process that was killed has left is finished at
    the next start, without a last record that is torn.
    """

    def __init__(self, folder: Path, *, prefix: str, target: Folder | None = None) -> None:
        need("archive", "--warc")
        from warcio.timeutils import timestamp_now  # noqa: PLC0415 (optional extra)

        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._prefix, self._target = folder, prefix, target
        self._timestamp = timestamp_now
        self._path = folder
        self._file: Any = None
        self._writer: WarcFile | None = None
        self._serial = 0
        self.records = 0
        for path in sorted(folder.glob(f"{prefix}-*{_ENDING}.open")):
            repair(path)
            self._finish(path)

    def __call__(self, outcome: Outcome) -> None:
        """Keeps one answer; where there was none, nothing."""
        match outcome:
            case Fetched(status=status, body=body):
                self._add(outcome, status, body)
            case NotModified():
                self._add(outcome, 304, kind="revisit", extra={"WARC-Profile": _SAME})
            case Rejected(status=status):
                self._add_error(outcome, status)
            case Failed(cause=Failure.REDIRECTS) if outcome.trip.redirects:
                self._add_error(outcome, outcome.trip.redirects[-1].status)
            case Failed():
                pass

    def _add_error(self, outcome: Outcome, status: int) -> None:
        trip = outcome.trip
        self._add(outcome, status, trip.error_body, extra=_CUT if trip.is_cut else {})

    def _add(self, outcome: Outcome, status: int, body: bytes = b"", **more: Any) -> None:
        if self._writer is None or self._file.tell() > LARGEST:
            self._begin()
        assert self._writer is not None
        trip, head = outcome.trip, outcome.trip.head
        if head is None:
            self._writer.add(trip.final_url, status, trip.headers.items(), body, sent=trip.sent, **more)
        else:
            extra = more.pop("extra", {}) | ({"WARC-IP-Address": head.address} if head.address else {})
            line = (head.version, head.reason)
            self._writer.add(trip.final_url, status, head.fields, body, line=line, sent=trip.sent, extra=extra, **more)
        self.records += 1

    def try_writing(self) -> None:
        """OSError if no file can be made in the folder."""
        with tempfile.TemporaryFile(dir=self._folder):
            pass

    def settle(self) -> None:
        """What was kept so far outlives a crash: to be called before anybody is told of it."""
        if self._file is not None:
            self._file.flush()
            os.fsync(self._file.fileno())

    def _begin(self) -> None:
        self.close()
        name = f"{self._prefix}-{self._timestamp()}-{self._serial:05d}{_ENDING}"
        self._serial += 1
        self._path = self._folder / f"{name}.open"
        self._file = self._path.open("ab")
        self._writer = WarcFile(self._file, name=name)

    def close(self) -> None:
        if self._file is not None:
            self.settle()
            self._file.close()
            self._file = self._writer = None
            self._finish(self._path)

    def _finish(self, path: Path) -> None:
        """A file that grows no more gets its name, here or where it is to go."""
        name = path.name.removesuffix(".open")
        if self._target is None:
            path.replace(path.with_name(name))
        else:
            self._target.put(name, path.read_bytes())
            path.unlink()


def _fitting(headers: Iterable[tuple[str, str]], length: int) -> list[tuple[str, str]]:
    """In their order; those that speak of the body as it was packed are marked, its length as it is kept is told."""
    told, size = [], str(length)
    for name, value in headers:
        if name.lower() not in _UNFIT or (name.lower() == "content-length" and value == size):
            told.append((name, value))
        else:
            told.append((_ORIGINAL + name, value))
    return (
        told
        if ("content-length", size) in [(name.lower(), value) for name, value in told]
        else [*told, ("Content-Length", size)]
    )


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"


def repair(path: Path) -> int:
    """Cuts off a last record that a crash has torn; how many bytes that were."""
    with path.open("r+b") as file:
        data = file.read()
        whole = 0
        while whole < len(data):
            member = zlib.decompressobj(wbits=31)
            try:
                member.decompress(data[whole:])
            except zlib.error:
                break
            if not member.eof:
                break
            whole = len(data) - len(member.unused_data)
        file.truncate(whole)
        os.fsync(file.fileno())
    return len(data) - whole
