"""A document at an address, asked for by a command: through the gate, and beside a daemon on the same store."""

from afresh.base.executor import Executor
from afresh.base.protocols import Store
from afresh.base.settings import Settings
from afresh.engine.fetching import make_gate, prompt_manners
from afresh.engine.reading_document import Given, fetch_document

_PATIENCE = 60.0  # seconds a person can be made to wait


async def ask(settings: Settings, address: str, *, store: Store | None = None) -> Given:
    """The document; raises NoAnswer. With a ``store`` the pauses of sites are shared with the daemon on it."""
    executor = Executor() if store is not None else None
    gate = make_gate(settings, store=store, executor=executor, manners=prompt_manners(settings), patience=_PATIENCE)
    try:
        return await fetch_document(gate, address)
    finally:
        await gate.close()
        if executor is not None:
            executor.close()
