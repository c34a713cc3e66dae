"""Sites that answer nothing at all: the second try of one link speaks for those of the others.

Links of a site are asked for one after the other, so that a host which is gone would be tried twice for every link.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from afresh.base.models import Failed, Failure, Outcome

_IN_A_ROW = 2  # links that got no answer, from which on the next one is not tried again
_NO_ANSWER = frozenset((Failure.CONNECT, Failure.TIMEOUT))


class SilentSites:
    """Which sites have not answered since when, and who tries one of them again."""

    def __init__(self) -> None:
        self._unanswered: dict[str, set[str]] = {}  # by site: the last links in a row
        self._tries: dict[str, asyncio.Event] = {}  # by site: set when a link has been tried again

    def hear(self, site: str, link: str, outcome: Outcome) -> None:
        """Takes what came for a link; one that was not asked for says nothing."""
        if _is_silence(outcome):
            self._unanswered.setdefault(site, set()).add(link)
        elif self._unanswered and not (isinstance(outcome, Failed) and outcome.cause is Failure.LATER):
            self._unanswered.pop(site, None)

    async def is_worth_another_try(self, site: str) -> bool:
        """Whether the site may answer the next time; waits for somebody who is about to find out."""
        if self._is_silent(site) and (trying := self._tries.get(site)) is not None:
            await trying.wait()
        return not self._is_silent(site)

    @asynccontextmanager
    async def trying(self, site: str) -> AsyncIterator[None]:
        """While a link is tried again, for which the others wait."""
        trying = self._tries.setdefault(site, asyncio.Event())
        try:
            yield
        finally:
            if self._tries.get(site) is trying:
                del self._tries[site]
            trying.set()

    def _is_silent(self, site: str) -> bool:
        return len(self._unanswered.get(site, ())) >= _IN_A_ROW


def _is_silence(outcome: Outcome) -> bool:
    return isinstance(outcome, Failed) and outcome.cause in _NO_ANSWER
