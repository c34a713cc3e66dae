"""What a command says of a folder or a tag that there is not, instead of an empty table alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from afresh.doors.cli.output import clean
from afresh.engine.searching import not_there

if TYPE_CHECKING:
    from afresh.base.protocols import Store


def tell_nothing(store: Store, *, folder: str | None, tag: str | None) -> None:
    """One line on standard error, if a name is the reason why nothing was found."""
    if words := not_there(store, folder=folder, tag=tag):
        click.echo(clean(words), err=True)
