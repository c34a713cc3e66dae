"""WARC: raw documents in files that every web archive can read, put whole to a folder or an address of fsspec."""

from collections.abc import Sequence
from io import BytesIO
from typing import ClassVar

from afresh.base.extras import need
from afresh.base.records.sinks import DOCUMENTS, Column, Line
from afresh.sinks.warc_archive import WarcFile
from afresh.sinks.whole_files import WholeFiles

_OK = 200  # what the store keeps are documents that came with an answer of this kind


class WarcSink(WholeFiles):
    """A record a document; its key stands in the header ``Afresh-Key``."""

    stream: ClassVar[str] = DOCUMENTS

    def __init__(self, where: str, *, columns: Sequence[Column] = (), lines: str = "200", every: str = "1m") -> None:
        del columns  # WARC says what a record holds
        need("archive", "a sink of WARC files")
        super().__init__(where, ending=".warc.gz", encode=_file, lines=lines, every=every)


def _file(lines: Sequence[Line]) -> bytes:
    body = BytesIO()
    file = WarcFile(body, name=lines[0].key)
    for line in lines:
        headers = [tuple(part.split(": ", 1)) for part in line.data["headers"].split("\n") if ": " in part]
        extra = {"Afresh-Key": line.key, "WARC-Date": line.data["at"]}
        file.add(line.data["url"], _OK, headers, line.body, extra=extra)
    return body.getvalue()
