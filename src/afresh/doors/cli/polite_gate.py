"""The way to the web of a command that ends: through the gate, beside whoever else works on the same store."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from typing import TYPE_CHECKING

import click

from afresh.base.errors import StoreError
from afresh.base.executor import Executor
from afresh.base.settings import Settings
from afresh.base.store_url import in_use
from afresh.engine.fetching import make_gate, prompt_manners
from afresh.engine.gate import PATIENCE, Gate

if TYPE_CHECKING:
    from afresh.base.protocols import Store
    from afresh.engine.site_ledger import Ledger
    from afresh.http.access import Access

WAITS = 60.0  # seconds a person can be made to wait


@asynccontextmanager
async def polite_gate(
    settings: Settings,
    *,
    store: Store | None = None,
    patience: float = PATIENCE,
    access: Access | None = None,
    ledger: Ledger | None = None,
) -> AsyncIterator[Gate]:
    """The gate, closed at the end; the pauses of sites are shared with the daemon and all commands on the same store.

    ``store`` None: the one of the settings, if somebody has made it. A look at the web makes none. ``ledger``: who else
    asks, where there is no store (``is_shared``).
    """
    with ExitStack() as stack:
        shared = shared_store(settings, stack) if store is None and ledger is None else store
        executor = None
        if shared is not None:
            executor = Executor()
            stack.callback(executor.close)
        gate = make_gate(
            settings,
            store=shared,
            executor=executor,
            manners=prompt_manners(settings),
            patience=patience,
            access=access,
            ledger=ledger,
            asks_again=False,
        )
        try:
            yield gate
        finally:
            await gate.close()


def shared_store(settings: Settings, stack: ExitStack) -> Store | None:
    """The store of the settings, if somebody has made it and it can be opened."""
    if not in_use(settings.store.url):
        return None
    from afresh.store import opened_store  # noqa: PLC0415 (a single check need not load the stores)

    try:
        return stack.enter_context(opened_store(settings))
    except StoreError as error:  # what is asked for can be had without it
        click.echo(f"afresh: pauses are not shared with the daemon: {error}", err=True)
        return None
