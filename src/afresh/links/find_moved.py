"""Where has a page gone? Candidates from what it says itself and from its site, compared with the saved version."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urljoin

from afresh.base.models import Outcome
from afresh.links.measures.profile import Profile
from afresh.links.verdicts.comparison import judge_pages
from afresh.links.verdicts.model import VerdictModel
from afresh.links.verdicts.moved import Move, move_candidates
from afresh.links.verdicts.without_model import inspect_page
from afresh.links.versions import UNREADABLE

_TRIED = 3  # candidates fetched for one link

#: asks for a page, politely; None: nothing to read came
FetchPage = Callable[[str], Awaitable[tuple[Outcome, Profile | None]]]
#: the front page of the site of an address, which a check may have asked for already
FrontPage = Callable[[str], Awaitable[Profile | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An address where a page may be now, how it was found, and how alike what stands there is."""

    url: str
    because: str
    probability: float  # that it is the same page


class MoveFinder:
    """Looks for lost pages; a site's home page is asked for once, at most three candidates are tried for a link."""

    def __init__(self, fetch: FetchPage, *, front_page: FrontPage, model: VerdictModel) -> None:
        self._fetch, self._front_page, self._model = fetch, front_page, model
        self._homes: dict[str, Profile | None] = {}

    async def find(
        self, url: str, old: Profile, new: Profile | None = None, *, redirects: Sequence[tuple[int, str]] = ()
    ) -> tuple[Candidate, ...]:
        """Addresses whose page is like the saved version, the likest first; ``new`` is what stands at its own now."""
        home = await self._home(url)
        known = [] if home is None else [(link.url, link.text) for link in home.page.links]
        moves = move_candidates(old, new, redirects=redirects, known=known)
        found = [made for move in moves[:_TRIED] if (made := await self._try(move, old, new)) is not None]
        return tuple(sorted(found, key=lambda candidate: -candidate.probability))

    async def _try(self, move: Move, old: Profile, new: Profile | None) -> Candidate | None:
        if not move.url.startswith(("http://", "https://")):
            return None
        _, page = await self._fetch(move.url)
        if page is None or page.page.kind in UNREADABLE or inspect_page(page) is not None:
            return None  # nothing, or what itself shows that it is no page: a "not found" is the home of no other
        verdict = judge_pages(old, page, model=self._model)
        if not verdict.is_same or (new is not None and judge_pages(new, page, model=self._model).is_same):
            return None
        return Candidate(url=move.url, because=move.because, probability=verdict.probability)

    async def _home(self, url: str) -> Profile | None:
        home = urljoin(url, "/")
        if home not in self._homes:
            self._homes[home] = await self._front_page(home)
        return self._homes[home]
