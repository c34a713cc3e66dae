"""The errors afresh raises.

What the web does to us is data (an ``Outcome``); exceptions are for a caller's mistake or a broken environment.

    AfreshError
    ├── ConfigError          an option, its source and an accepted example
    ├── UsageError           an argument of a command or request that makes no sense
    │   ├── Conflict         fits what was asked, but not what there is
    │   └── ModelError       a name, parameter or observation that makes no sense
    ├── NotFound             there is none of that name or number
    ├── StoreError           the driver's error is the cause
    │   ├── ResourceNotFound
    │   ├── NoStore          nobody has made it, and a look makes none; NoFrontier likewise
    │   ├── SchemaMismatch   a database of another program or of another version
    │   ├── StoreBusy        another daemon owns the database
    │   └── StoreAway        a full disk, a server that is down: whoever can wait tries again
    ├── ServiceError         a service of afresh that was asked, and failed
    │   ├── AccessDenied     it wants a token, or one that allows more
    │   └── ServiceAway      it cannot be reached, or does not answer in time
    ├── FetchError           lives inside fetch; becomes an Outcome at its edge
    │   ├── TooLarge
    │   ├── TooManyRedirects
    │   └── Disallowed       robots, or an address that is not public
    └── ParseError           position and a short excerpt
        └── NoText           a picture, a program: nothing that could be read as text

What a domain does not find (QueryNotFound, VersionNotFound, JobNotFound and their like) stands with its records.
"""

from typing import ClassVar


class AfreshError(Exception):
    """Base of all errors; ``str()`` is one line fit for a user."""


class ConfigError(AfreshError, ValueError):
    """An option with an unusable value."""

    def __init__(self, message: str, *, option: str | None = None, source: str | None = None) -> None:
        super().__init__(message)
        self.option = option
        self.source = source


class UsageError(AfreshError, ValueError):
    """A command or request that cannot be carried out as asked."""


class ModelError(UsageError):
    """A name, a parameter or an observation that makes no sense."""


class StoreError(AfreshError):
    """The store could not do its work; the driver's error is the cause."""


class StoreAway(StoreError):
    """The store does not work for the moment, for a reason that may pass: a full disk, a server that is down."""


class ServerAway(StoreAway):
    """One of the servers of a store does not answer; what is on the others goes on."""

    def __init__(self, message: str, *, server: str) -> None:
        super().__init__(message)
        self.server = server


class NotFound(AfreshError, LookupError):
    """There is none of that name or number."""

    words: ClassVar[str]

    def __init__(self, what: object) -> None:
        super().__init__(self.words.format(what))
        self.what = what


class ResourceNotFound(NotFound, StoreError):
    """No resource of that URL or number."""

    words = "not watched: {}; `afresh list` shows what is, `afresh add` adds it"


class NoStore(NotFound, StoreError):
    """A store that nobody has made yet."""

    words = "there is no store at {}; `afresh init`, `afresh add` or `afresh import` makes one"


class NoFrontier(NotFound, StoreError):
    """A frontier that nobody has made yet."""

    words = "there is no frontier at {}; `afresh serve` makes one"


class Conflict(UsageError):
    """A request that makes sense by itself, but not together with what there is."""


class SchemaMismatch(StoreError):
    """The database belongs to another program or to another version of afresh."""


class StoreBusy(StoreError):
    """Another daemon owns the database."""


class ServiceError(AfreshError):
    """A service of afresh that was asked could not do it; its own log says why."""


class AccessDenied(ServiceError):
    """A service wants a token, or one that allows more."""


class ServiceAway(ServiceError):
    """A service that cannot be reached, or does not answer in time; whoever can wait tries again."""


class FetchError(AfreshError):
    """A request that did not bring an answer; turned into an Outcome at the edge of ``fetch``."""

    def __init__(self, message: str, *, url: str = "") -> None:
        super().__init__(message)
        self.url = url


class TooLarge(FetchError):
    """The body passed the size cap, before or after decompression."""


class TooManyRedirects(FetchError):
    """A redirect loop or a chain past the limit."""


class Disallowed(FetchError):
    """Forbidden by robots.txt, or an address that is not public."""


class ParseError(AfreshError, ValueError):
    """A document that cannot be read; says where and shows an excerpt."""

    def __init__(self, message: str, *, position: str = "", excerpt: str = "") -> None:
        super().__init__(message)
        self.position = position or "1:1"  # line and column; its beginning stands for the document as a whole
        self.excerpt = excerpt


class NoText(ParseError):
    """A file that is a picture, a program or the like, where a text was looked for."""
