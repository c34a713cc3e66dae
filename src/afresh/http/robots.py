"""What robots.txt says: allowed, forbidden, or not known yet (RFC 9309).

The rules of each origin are remembered for a day. What could not be read is asked for again after pauses that grow;
until then the old rules hold, and where there are none nothing is known: that is never the same as forbidden.
"""

import asyncio
from collections import OrderedDict
from datetime import UTC, datetime
from enum import Enum
from functools import partial
from urllib.parse import urlsplit

from afresh.base.models import Failed, Failure, Fetched, Outcome, Rejected
from afresh.base.outcome_words import outcome_words
from afresh.base.politeness import DAY, backoff
from afresh.base.records.robots import KeptRobots
from afresh.base.value_class import dataclass
from afresh.http.failures import is_nobody_there
from afresh.http.location import Location
from afresh.parse.child_reader import SMALL
from afresh.parse.robots import Robots

UNREAD = "robots.txt could not be read"  #: how the words begin about what is not known therefore
KEEP = DAY  #: seconds that rules hold; RFC 9309 §2.4: not longer than a day
_STALE = 30 * DAY  # §2.3.1.4: so long an unreachable robots.txt counts as its last known form
_MOST_SITES = 20_000
#: answers that mean "there is none": no restrictions
_NONE = frozenset((Failure.REDIRECTS, Failure.ADDRESS))  # §2.3.1.2; or it redirects where we do not go


class Ruling(Enum):
    """The three answers."""

    ALLOWED = "allowed"
    FORBIDDEN = "forbidden"
    UNKNOWN = "not known yet"


@dataclass(frozen=True, slots=True)
class Rules:
    """What is known of the robots.txt of one origin."""

    robots: Robots | None  # None: never read, or too long ago
    read: float  # when it was last read
    again: float  # when it is to be read anew
    delay: float | None = None  # its Crawl-delay for us
    tries: int = 0  # in a row that failed
    trouble: str = ""  # why the last try failed; empty: it did not
    failure: Failed | None = None  # nobody was there at all

    def ruling(self, url: str, agent: str) -> Ruling:
        if self.robots is None:
            return Ruling.UNKNOWN
        return Ruling.ALLOWED if self.robots.allows(url, agent) else Ruling.FORBIDDEN

    def words(self, *, asks_again: bool = True) -> str:
        """Why nothing is known, and when it will be asked again, or can be by somebody else."""
        at = datetime.fromtimestamp(self.again, UTC)
        then = "asked again at" if asks_again else "try again after"
        return f"{UNREAD}: {self.trouble}; {then} {at:%H:%M} UTC"


def robots_address(place: Location) -> str:
    """Where the rules of a place are: /robots.txt of its origin."""
    return place.url[: place.url.index("/", len(place.scheme) + 3)] + "/robots.txt"


def is_robots(url: str) -> bool:
    """Whether this is the address of a robots.txt itself, and not of something that ends like it.

    >>> is_robots("http://a.example/robots.txt"), is_robots("http://a.example/private?x=/robots.txt")
    (True, False)
    """
    if "/robots.txt" not in url:  # nearly always: no address to take apart
        return False
    parts = urlsplit(url)
    return parts.path == "/robots.txt" and not parts.query


class RobotsMemory:
    """Remembers the rules of each origin. Does not fetch: the gate does, and tells what came."""

    def __init__(self, *, agent: str = "afresh", first_wait: float = 60.0, longest_wait: float = DAY) -> None:
        self.agent = agent
        self._first, self._longest = first_wait, longest_wait
        self._ahead = max(KEEP, 1.25 * longest_wait)  # further ahead was written by a clock that has been set back
        self._known: OrderedDict[str, Rules] = OrderedDict()

    def rules(self, address: str, now: float) -> Rules | None:
        """What is known; None: it has to be read first."""
        known = self._known.get(address)
        return known if known is not None and now < known.again <= now + self._ahead else None

    async def hear(self, address: str, outcome: Outcome, now: float) -> Rules:
        """As ``learn``, where others wait: a long one takes a tenth of a second to read."""
        if isinstance(outcome, Fetched) and len(outcome.body) > SMALL:
            return self._learn(address, outcome, await asyncio.to_thread(read_rules, outcome), now)
        return self.learn(address, outcome, now)

    def learn(self, address: str, outcome: Outcome, now: float) -> Rules:
        """Takes what came when robots.txt was asked for."""
        return self._learn(address, outcome, read_rules(outcome), now)

    async def recall(self, kept: KeptRobots) -> Rules:
        """Takes what was read before, by us or by another process; it holds for the rest of its day."""
        parse = partial(Robots.parse, kept.body, kept.status)
        robots = await asyncio.to_thread(parse) if len(kept.body) > SMALL else parse()
        rules = Rules(robots, kept.read, kept.read + KEEP, robots.crawl_delay(self.agent))
        self._keep(kept.address, rules)
        return rules

    def _learn(self, address: str, outcome: Outcome, robots: Robots | None, now: float) -> Rules:
        known = self._judge(outcome, robots, self._known.get(address), now)
        for one in told_addresses(address, outcome) if known.robots is not None else (address,):
            self._keep(one, known)
        return known

    def _keep(self, address: str, known: Rules) -> None:
        self._known[address] = known
        self._known.move_to_end(address)
        while len(self._known) > _MOST_SITES:
            self._known.popitem(last=False)

    def _judge(self, outcome: Outcome, robots: Robots | None, before: Rules | None, now: float) -> Rules:
        """RFC 9309 §2.3.1."""
        if robots is not None:
            return Rules(robots, now, now + KEEP, robots.crawl_delay(self.agent))
        tries = 0 if before is None else before.tries
        if (
            not isinstance(outcome, Failed) or outcome.cause is not Failure.OFFLINE
        ):  # our own outage ends for all at once
            tries += 1
        wait = backoff(max(1, tries), base=self._first, cap=self._longest)
        if isinstance(outcome, Rejected):
            wait = max(wait, min(outcome.retry_after or 0.0, self._longest))
        trouble = outcome_words(outcome)
        # Then the page cannot be reached either, and its own failure is the better answer.
        failure = outcome if is_nobody_there(outcome) else None
        if before is not None and before.robots is not None and now - before.read < _STALE:
            return Rules(before.robots, before.read, now + wait, before.delay, tries, trouble)
        return Rules(None, 0.0, now + wait, None, tries, trouble, failure)


def told_addresses(address: str, outcome: Outcome) -> tuple[str, ...]:
    """Whose rules an answer tells: where it has moved to, mostly from http to https, need not be asked again."""
    final = outcome.trip.final_url
    return (address, final) if final != address and final.endswith("/robots.txt") else (address,)


def read_rules(outcome: Outcome) -> Robots | None:
    """The rules that an answer stands for; None: it does not tell."""
    match outcome:
        case Fetched(body=body, status=status):
            return Robots.parse(body, status)
        case Rejected(status=status) if 400 <= status < 500 and status != 429:
            return Robots.parse(b"", status)  # unavailable: no restrictions
        case Failed(cause=cause) if cause in _NONE:
            return Robots.parse(b"", 404)
    return None
