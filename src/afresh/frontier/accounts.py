"""Fetchers and their secrets: registered once, recognised at every request."""

import hmac
import secrets
import uuid as uuids
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256

from afresh.base.records.frontier import FetcherAccount, FetcherTaken, FetcherUnknown
from afresh.base.records.frontier_store import FrontierStore

#: Seconds after which the list of fetchers is read again: another scheduler process may have registered one.
_REREAD = 1.0


def digest(token: str) -> str:
    """What is kept of a secret. It has 256 random bits, so a plain hash cannot be turned around by guessing."""
    return sha256(token.encode("utf-8", "replace")).hexdigest()


class Accounts:
    """The registered fetchers, remembered for a second; calls the store, so it is used in the store's thread."""

    def __init__(
        self, store: FrontierStore, *, new_uuid: Callable[[], str] = lambda: str(uuids.uuid4()), reread: float = _REREAD
    ) -> None:
        self._store, self._new_uuid, self._reread = store, new_uuid, reread
        self._members: dict[str, FetcherAccount] = {}
        self._by_digest: dict[str, FetcherAccount] = {}
        self._read: float | None = None

    def register(
        self, *, contact: str, name: str, location: str, tld_preference: str, address: str, now: float
    ) -> tuple[FetcherAccount, str]:
        """A new account and its secret, which is shown this once; FetcherTaken if contact and name have one."""
        token = secrets.token_urlsafe(32)
        account = FetcherAccount(
            uuid=self._new_uuid(),
            contact=contact,
            name=name,
            registered=now,
            token_digest=digest(token),
            location=location,
            tld_preference=tld_preference,
            address=address,
        )
        if not self._store.register(account):
            raise FetcherTaken(contact, name)
        self._read = None
        return account, token

    def members(self, now: float) -> list[FetcherAccount]:
        """All fetchers, by registration: their places here are what hash partitionings count."""
        if self._read is None or not 0.0 <= now - self._read < self._reread:
            self._members = {account.uuid: account for account in self._store.fetchers()}
            self._by_digest = {
                account.token_digest: account for account in self._members.values() if account.token_digest
            }
            self._read = now
        return list(self._members.values())

    def get(self, uuid: str, now: float) -> FetcherAccount:
        """The account; FetcherUnknown if there is none."""
        self.members(now)
        account = self._members.get(uuid) or self._store.fetcher(uuid)
        if account is None:
            raise FetcherUnknown(uuid)
        if account.uuid not in self._members:  # registered with another process within the last second
            self._read = None
        return account

    def replace(self, uuid: str, now: float, **changes: str) -> FetcherAccount:
        """Changes location, preference, address, contact or name."""
        account = replace(self.get(uuid, now), **changes)  # type: ignore[arg-type]  # text fields only
        taken = any(
            (other.contact, other.name) == (account.contact, account.name) and other.uuid != uuid
            for other in self.members(now)
        )
        if taken:
            raise FetcherTaken(account.contact, account.name)
        if not self._store.replace_fetcher(account):
            raise FetcherUnknown(uuid)
        self._read = None
        return account

    def remove(self, uuid: str, now: float) -> None:
        if not self._store.remove_fetcher(uuid, now=now):
            raise FetcherUnknown(uuid)
        self._read = None

    def forget(self) -> None:
        """Reads the fetchers again at the next question."""
        self._read = None

    def recall(self, token: str, now: float) -> FetcherAccount | None:
        """Whose secret this is, if that is known without asking the store; safe to call from any thread."""
        read = self._read
        return self._by_digest.get(digest(token)) if read is not None and 0.0 <= now - read < self._reread else None

    def owner(self, token: str, now: float) -> FetcherAccount | None:
        """Whose secret this is; None: nobody's.

        Found by the hash of what was sent: how long the look-up takes says nothing about any secret.
        """
        self.members(now)
        wanted = digest(token)
        found = self._by_digest.get(wanted)
        if found is None:
            self._read = None if self._read is not None and now - self._read > 0.05 else self._read
            self.members(now)
            found = self._by_digest.get(wanted)
        return found if found is not None and hmac.compare_digest(found.token_digest, wanted) else None
