"""Fetchers: who they are, and what becomes of their leases when they go."""

from dataclasses import asdict

from afresh.base.records.frontier import FetcherAccount
from afresh.store.frontier.session import Row, Session
from afresh.store.frontier.store_part import Concern, reading, writing

_FIELDS = (
    "uuid",
    "contact",
    "name",
    "registered",
    "token_digest",
    "location",
    "tld_preference",
    "address",
    "last_seen",
)


class Accounts(Concern):
    """The fetchers of a frontier."""

    @writing
    def register(self, session: Session, account: FetcherAccount) -> bool:
        return session.run("register", asdict(account)) == 1

    @reading
    def fetcher(self, session: Session, uuid: str) -> FetcherAccount | None:
        return next(map(_to_account, session.rows("fetcher", {"uuid": uuid})), None)

    @reading
    def fetchers(self, session: Session) -> list[FetcherAccount]:
        return [_to_account(row) for row in session.rows("fetchers")]

    @writing
    def replace_fetcher(self, session: Session, account: FetcherAccount) -> bool:
        return session.run("replace_fetcher", asdict(account)) == 1

    @writing
    def remove_fetcher(self, session: Session, uuid: str, *, now: float) -> bool:
        """With its leases and assignments; the delay after what it was given stays."""
        session.run("free_sites_of_fetcher", {"now": now, "fetcher": uuid})
        session.run("remove_leases_of_fetcher", {"fetcher": uuid})
        session.run("remove_homes", {"fetcher": uuid})
        return session.run("remove_fetcher", {"fetcher": uuid}) == 1

    @writing
    def note_seen(self, session: Session, uuid: str, *, now: float) -> None:
        session.run("seen", {"now": now, "fetchers": session.as_set({uuid})})

    @writing
    def take_lists_back(self, session: Session, fetcher: str, *, now: float) -> int:
        """Its lists stay noted, so that a report of one that was under way is late and not unknown."""
        return session.run("take_lists_back", {"now": now, "fetcher": fetcher})


def _to_account(row: Row) -> FetcherAccount:
    return FetcherAccount(**dict(zip(_FIELDS, row, strict=True)))
