"""A document at an address, asked for by a command."""

from afresh.base.protocols import Store
from afresh.base.settings import Settings
from afresh.doors.cli.polite_gate import WAITS, polite_gate
from afresh.engine.reading_document import Given, fetch_document


async def ask(settings: Settings, address: str, *, store: Store | None = None) -> Given:
    """The document at an address; raises NoAnswer."""
    async with polite_gate(settings, store=store, patience=WAITS) as gate:
        return await fetch_document(gate, address)
