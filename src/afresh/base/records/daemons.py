"""The daemons that share a store: who is there, who leads, and what all of them may still spend."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from afresh.base.models import Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonRecord:
    """One daemon, as it last said."""

    name: str
    since: float
    seen: float
    requests: int  # in the hour before
    leads_since: float | None  # None: it follows


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """What a daemon wants from a bucket that all share: ``rate`` tokens a second, at most ``size`` saved up."""

    name: str
    rate: float
    size: float
    wanted: float = 0.0
    owed: float = 0.0  # spent beyond what it had drawn; negative: drawn and not spent


@dataclass(frozen=True, slots=True)
class Drawn:
    """What it got, and what is left for all."""

    granted: float
    left: float


class DaemonStore(Protocol):
    """Part of ``base.protocols.Store``: daemons on one store are one system."""

    @property
    def is_shared(self) -> bool:
        """Whether there may be other daemons on this store."""
        ...

    def lead(self) -> bool:
        """Whether this process leads, which it does from now on if nobody else did, until its connection ends."""
        ...

    def beat(self, daemon: DaemonRecord) -> None:
        """A daemon says that it is there. Whoever leads is the only one."""
        ...

    def leave(self, name: str) -> None:
        """A daemon ends."""
        ...

    def list_daemons(self) -> list[DaemonRecord]:
        """The leader first, the others by name; those gone for an hour are forgotten."""
        ...

    def draw(self, draws: Sequence[Draw], *, now: float) -> list[Drawn]:
        """Settles what is owed and takes what is wanted, whole tokens only, as far as there is any."""
        ...

    def visited_since(self, after: float, *, limit: int) -> list[Resource]:
        """Resources that were visited after a time, by whichever daemon."""
        ...
