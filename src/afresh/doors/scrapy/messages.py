"""What a Scrapy process and the process that keeps its frontier say to each other, packed as arrays."""

from msgspec import Struct


class Opening(Struct, array_like=True, frozen=True, kw_only=True):
    """The first message: which frontier, which crawl of it, and how it is asked."""

    settings: dict[str, object]  # of afresh, by name
    crawl: str
    pause: float  # seconds between two requests to a site that asks for no other
    lease: float  # seconds for which a request is ours


class Found(Struct, array_like=True, frozen=True):
    """A request to keep, unless its page is known."""

    url: str  # the name of its page
    site: str
    due: float
    request: str


class Done(Struct, array_like=True, frozen=True):
    """A page that was handed out and is not worked on any more."""

    url: str
    site: str
    due: float | None  # infinity: never again; None: when it has probably changed
    request: str  # kept for the next time; '': nothing
    content: str  # a hash of what was found; '': not known
    rest: float  # seconds for which the site is left alone from now on


class Served(Struct, array_like=True, frozen=True):
    """A page that was handed out: ours until it is done, or the lease ends."""

    url: str
    site: str
    request: str
    number: int


class Message(Struct, array_like=True, frozen=True, kw_only=True):
    """All that has come together since the last one. What was found and the page it was found on are kept together."""

    found: list[Found] = []
    done: list[Done] = []
    pauses: list[tuple[str, float]] = []  # what sites ask for by their robots.txt
    renewed: list[int] = []  # pages that are still worked on
    given_back: list[int] = []  # pages that nobody has begun
    want: int = 0  # pages, each of another site
    ask_left: bool = False  # whether anything is left is to be told where nothing can be handed out


class Answer(Struct, array_like=True, frozen=True, kw_only=True):
    """What became of a message."""

    taken: list[int] = []  # of each that was found: a ``records.queues.Taken``
    served: list[Served] = []
    left: bool = True  # whether the crawl has pages that are not done, wherever they are
    error: str = ""  # nothing was taken
    may_pass: bool = False  # the same message may be sent again
