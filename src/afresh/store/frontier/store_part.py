"""What every part of the frontier's store shares: the database, what it remembers, methods as transactions."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from afresh.base.errors import AfreshError
from afresh.base.records.frontier import SiteOrder
from afresh.base.settings.sections import Hygiene
from afresh.store.damaged import UNREADABLE, UnreadableText
from afresh.store.frontier.new_pages import SiteNumbers, StaleSites
from afresh.store.frontier.session import Database, Session

T = TypeVar("T")
P = ParamSpec("P")
C = TypeVar("C", bound="Concern")

BIG = 1_000  # pages from which on a site's are kept by due time
_ORDER = "site_order"  # the setting that says which order is kept


class Concern:
    """The base of the parts. ``links`` keeps the link graph; ``big`` is how many pages of a site need no index."""

    def __init__(
        self, database: Database, *, links: bool = False, hygiene: Hygiene | None = None, big: int = BIG
    ) -> None:
        self._database = database
        self._links = links
        self._hygiene = hygiene or Hygiene()
        self._big = big
        self._numbers = SiteNumbers()
        self._crawls: dict[str, int] = {}  # numbers by name, which never change
        self._ranked = 0  # sites ranked anew so far
        self._in_vain: set[str] = set()  # errors for which damage was looked for, and none found

    @contextmanager
    def batch(self) -> Iterator[None]:
        try:
            with self._database.batch():
                yield
        except BaseException:
            self._numbers.forget()  # what was taken back may have made some of them
            raise

    def close(self) -> None:
        self._database.close()

    def _despite_damage(self, work: Callable[[], T]) -> T:
        """Work that a damaged row ends is begun again when that has been set aside: it must not keep the others."""
        try:
            return work()
        except StaleSites:
            raise
        except (*UNREADABLE, UnreadableText) as error:
            is_ours = isinstance(error, UnreadableText) or not isinstance(error, AfreshError)
            if not is_ours or self._database.in_batch or str(error) in self._in_vain:
                raise
            if not self._set_damaged_aside():
                self._in_vain.add(str(error))  # it is the caller's fault, or ours: looking again would find nothing
                raise
            return work()

    def _set_damaged_aside(self) -> int:
        """How many rows; see ``Damage``."""
        raise NotImplementedError

    def _write(self, work: Callable[[Session], T]) -> T:
        try:
            return self._despite_damage(lambda: self._database.write(work))
        except StaleSites:  # another process has cleared the frontier: once more, with nothing remembered
            if self._database.in_batch:
                raise
            return self._database.write(work)
        except BaseException:
            self._numbers.forget()
            raise


def writing(method: Callable[Concatenate[C, Session, P], T]) -> Callable[Concatenate[C, P], T]:
    """Makes a method one transaction that writes, or a part of the batch it is called in."""

    @wraps(method)
    def transaction(self: C, /, *args: P.args, **options: P.kwargs) -> T:
        return self._write(lambda session: method(self, session, *args, **options))

    return transaction


def reading(method: Callable[Concatenate[C, Session, P], T]) -> Callable[Concatenate[C, P], T]:
    """Makes a method one transaction that reads, or a part of the batch it is called in."""

    @wraps(method)
    def transaction(self: C, /, *args: P.args, **options: P.kwargs) -> T:
        return self._despite_damage(
            lambda: self._database.read(lambda session: method(self, session, *args, **options))
        )

    return transaction


def read_setting(session: Session, key: str) -> str | None:
    rows = session.rows("get_setting", {"key": key})
    return rows[0][0] if rows else None


def read_order(session: Session) -> SiteOrder:
    """The order that is kept; read each time, since another process may change it. One nobody knows is none."""
    found = read_setting(session, _ORDER)
    return SiteOrder(found) if found in set(SiteOrder) else SiteOrder.DUE


def write_order(session: Session, order: SiteOrder) -> None:
    session.run("put_setting", {"key": _ORDER, "value": order.value})
    session.run("wait_all")
