"""The errors afresh raises.

What the web does to us is data (an ``Outcome``); exceptions are for a caller's mistake or a broken environment.

    AfreshError
    ├── ConfigError          an option, its source and an accepted example
    ├── UsageError           an argument of a command or request that makes no sense
    │   └── Conflict         fits what was asked, but not what there is
    │       └── FetcherTaken a fetcher of that name is registered already
    ├── ModelError           a parameter or observation that makes no sense
    │   └── UnknownName      a name that no catalogue has; a UsageError, too
    ├── StoreError           the driver's error is the cause
    │   ├── ResourceNotFound
    │   ├── QueryNotFound
    │   ├── NoticeNotFound
    │   ├── VersionNotFound
    │   ├── FetcherUnknown
    │   ├── SchemaMismatch   a database of another program or of another version
    │   ├── StoreBusy        another daemon owns the database
    │   └── StoreAway        a full disk, a server that is down: whoever can wait tries again
    ├── FetchError           lives inside fetch; becomes an Outcome at its edge
    │   ├── FetchTimeout
    │   ├── TooLarge
    │   ├── TooManyRedirects
    │   └── Disallowed       robots, or an address that is not public
    ├── ParseError           position and a short excerpt
    └── TraceError           file and line of a recorded history
"""


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


class ModelError(AfreshError, ValueError):
    """A parameter or observation that makes no sense."""


class UnknownName(ModelError, UsageError):
    """A name that its catalogue does not have; the message lists those it has."""


class StoreError(AfreshError):
    """The store could not do its work; the driver's error is the cause."""


class StoreAway(StoreError):
    """The store does not work for the moment, for a reason that may pass: a full disk, a server that is down."""


class ResourceNotFound(StoreError, LookupError):
    """No resource of that URL or number."""

    def __init__(self, what: str) -> None:
        super().__init__(f"not watched: {what}; `afresh list` shows what is, `afresh add` adds it")
        self.what = what


class QueryNotFound(StoreError, LookupError):
    """No query feed of that name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no query feed is called {name}; `afresh feed list` shows those there are")
        self.name = name


class NoticeNotFound(StoreError, LookupError):
    """No notice of that number."""

    def __init__(self, number: int) -> None:
        super().__init__(f"there is no notice {number}; `afresh notice list` shows those there are")
        self.number = number


class LabelNotFound(StoreError, LookupError):
    """No rating of that number."""

    def __init__(self, number: int) -> None:
        super().__init__(f"there is no rating {number}; `afresh learn labels` shows those there are")
        self.number = number


class ModelNotFound(StoreError, LookupError):
    """No trained model of that number."""

    def __init__(self, number: int) -> None:
        super().__init__(f"there is no model {number} of this owner; `afresh learn models` shows those there are")
        self.number = number


class VersionNotFound(StoreError, LookupError):
    """No stored version of that number."""

    def __init__(self, number: int) -> None:
        super().__init__(f"no version {number} is stored (any more); `afresh link history` lists those of a link")
        self.number = number


class FetcherUnknown(StoreError, LookupError):
    """No fetcher of that UUID."""

    def __init__(self, uuid: str) -> None:
        super().__init__(f"no fetcher is registered as {uuid}; register with POST /api/v1/fetchers")
        self.uuid = uuid


class Conflict(UsageError):
    """A request that makes sense by itself, but not together with what there is."""


class FetcherTaken(Conflict):
    """Contact and name together are another fetcher's."""

    def __init__(self, contact: str, name: str) -> None:
        super().__init__(f"{contact} has registered a fetcher called {name} already; choose another name")
        self.contact, self.name = contact, name


class SchemaMismatch(StoreError):
    """The database belongs to another program or to another version of afresh."""


class StoreBusy(StoreError):
    """Another daemon owns the database."""


class FetchError(AfreshError):
    """A request that did not bring an answer; turned into an Outcome at the edge of ``fetch``."""

    def __init__(self, message: str, *, url: str = "") -> None:
        super().__init__(message)
        self.url = url


class FetchTimeout(FetchError):
    """No complete answer in time."""


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
        self.position = position
        self.excerpt = excerpt


class TraceError(AfreshError, ValueError):
    """A recorded history that cannot be used; names file and line."""

    def __init__(self, message: str, *, path: str = "", line: int = 0) -> None:
        where = f"{path}:{line}: " if line else f"{path}: " if path else ""
        super().__init__(where + message)
        self.path = path
        self.line = line
