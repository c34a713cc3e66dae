"""What was fetched, kept as WARC: files that every web archive can read."""

from io import BytesIO
from pathlib import Path
from typing import Any

from afresh.base.extras import need
from afresh.base.models import Fetched

LARGEST = 1_000_000_000  # bytes; then a new file is begun
#: headers of the wire that no longer fit the body as it is kept
_DROPPED = frozenset(("content-encoding", "transfer-encoding", "content-length", "connection", "keep-alive"))


class WarcArchive:
    """Writes responses into gzipped WARC files of one folder; one writer, one thread."""

    def __init__(self, folder: Path, *, prefix: str, software: str) -> None:
        need("archive", "--warc")
        from warcio.timeutils import timestamp_now  # noqa: PLC0415 (optional extra)
        from warcio.warcwriter import WARCWriter  # noqa: PLC0415 (optional extra)

        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._prefix, self._software = folder, prefix, software
        self._make, self._timestamp = WARCWriter, timestamp_now
        self._file: Any = None
        self._writer: Any = None
        self._serial = 0
        self.records = 0

    def __call__(self, outcome: Fetched) -> None:
        """Keeps one response, with the headers that were sent and the body as it was read."""
        if self._file is None or self._file.tell() > LARGEST:
            self._begin()
        from warcio.statusandheaders import StatusAndHeaders  # noqa: PLC0415 (optional extra)

        headers = [(name, value) for name, value in outcome.trip.headers.items() if name not in _DROPPED]
        headers.append(("content-length", str(len(outcome.body))))
        record = self._writer.create_warc_record(
            outcome.trip.final_url,
            "response",
            payload=BytesIO(outcome.body),
            length=len(outcome.body),  # else warcio buffers it in a file of its own
            http_headers=StatusAndHeaders(f"{outcome.status} OK", headers, protocol="HTTP/1.1"),
        )
        self._writer.write_record(record)
        self.records += 1

    def _begin(self) -> None:
        self.close()
        name = f"{self._prefix}-{self._timestamp()}-{self._serial:05d}.warc.gz"
        self._serial += 1
        self._file = (self._folder / name).open("ab")
        self._writer = self._make(self._file, gzip=True)
        info = {"software": self._software, "format": "WARC File Format 1.0"}
        self._writer.write_record(self._writer.create_warcinfo_record(name, info))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
