"""The store in one SQLite file."""

from pathlib import Path

from afresh.store.sql.recording import DocumentLimits
from afresh.store.sql.store import SqlStore
from afresh.store.sqlite.connection import Database


class SqliteStore(SqlStore):
    """Implements ``base.protocols.Store`` in one file.

    Survives ``kill -9`` without losing what was recorded; with ``full_sync`` a power cut too. Several processes may
    open the same file; ``exclusive`` says that this one is the daemon, of which there is one. Used from any
    thread. Keeps at most ``keep_documents`` raw answers of ``keep_document_bytes`` together, compressed.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        exclusive: bool = False,
        keep_documents: int = 200,
        keep_document_bytes: int = 64 * 1024 * 1024,
        full_sync: bool = False,
    ) -> None:
        self.path = Path(path)
        self._limits = DocumentLimits(keep_documents, keep_document_bytes)
        self._database = Database(self.path, exclusive=exclusive, full_sync=full_sync)
