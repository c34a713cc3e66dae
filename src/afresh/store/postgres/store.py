"""The store in one PostgreSQL database, for several processes on any number of machines."""

from afresh.store.postgres.database import StoreDatabase
from afresh.store.sql.store import SqlStore


class PostgresStore(SqlStore):
    """Any number of processes may lease, record and add at once.

    ``shared`` says that this one is a daemon; whoever changes the tables keeps away while there is one.
    """

    def __init__(self, url: str, *, shared: bool = False, keep_documents: int, keep_document_bytes: int) -> None:
        database = StoreDatabase(url, shared=shared)
        super().__init__(database, keep_documents=keep_documents, keep_document_bytes=keep_document_bytes)
