"""A document at an address, asked for by a command."""

from afresh.base.settings import Settings
from afresh.doors.cli.polite_gate import WAITS, polite_gate
from afresh.engine.reading_document import Given, fetch_document


async def ask(settings: Settings, address: str) -> Given:
    """The document at an address; raises NoAnswer."""
    async with polite_gate(settings, patience=WAITS) as gate:
        return await fetch_document(gate, address)
