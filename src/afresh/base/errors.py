"""The errors afresh raises.

What the web does to us is data (an ``Outcome``); exceptions are for a caller's mistake or a broken environment.

    AfreshError
    ├── ConfigError          an option, its source and an accepted example
    ├── UsageError           an argument of a command or request that makes no sense
    │   └── Conflict         fits what was asked, but not what there is
    │       └── FetcherTaken a fetcher of that name is registered already
    ├── ModelError           a parameter or observation that makes no sense
    │   └── UnknownName      a name that no catalogue has; a UsageError, too
    ├── NotFound             there is none of that name or number
    │   └── JobNotFound      a run or a training
    ├── StoreError           the driver's error is the cause
    │   ├── ResourceNotFound
    │   ├── QueryNotFound
    │   ├── NoticeNotFound
    │   ├── VersionNotFound
    │   ├── FetcherUnknown
    │   ├── SchemaMismatch   a database of another program or of another version
    │   └── StoreBusy        another daemon owns the database
    ├── FetchError           lives inside fetch; becomes an Outcome at its edge
    │   ├── FetchTimeout
    │   ├── TooLarge
    │   ├── TooManyRedirects
    │   └── Disallowed       robots, or an address that is not public
    ├── ParseError           position and a short excerpt
    └── TraceError           file and line of a recorded history
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


class ModelError(AfreshError, ValueError):
    """A parameter or observation that makes no sense."""


class UnknownName(ModelError, UsageError):
    """A name that its catalogue does not have; the message lists those it has."""


class StoreError(AfreshError):
    """The store could not do its work; the driver's error is the cause."""


class NotFound(AfreshError, LookupError):
    """There is none of that name or number."""

    words: ClassVar[str]

    def __init__(self, what: object) -> None:
        super().__init__(self.words.format(what))
        self.what = what


class ResourceNotFound(NotFound, StoreError):
    """No resource of that URL or number."""

    words = "not watched: {}; `afresh list` shows what is, `afresh add` adds it"


class QueryNotFound(NotFound, StoreError):
    """No query feed of that name."""

    words = "no query feed is called {}; `afresh feed list` shows those there are"


class NoticeNotFound(NotFound, StoreError):
    """No notice of that number."""

    words = "there is no notice {}; `afresh notice list` shows those there are"


class LabelNotFound(NotFound, StoreError):
    """No rating of that number."""

    words = "there is no rating {}; `afresh learn labels` shows those there are"


class ModelNotFound(NotFound, StoreError):
    """No trained model of that number."""

    words = "there is no model {} of this owner; `afresh learn models` shows those there are"


class VersionNotFound(NotFound, StoreError):
    """No stored version of that number."""

    words = "no version {} is stored (any more); `afresh link history` lists those of a link"


class FetcherUnknown(NotFound, StoreError):
    """No fetcher of that UUID."""

    words = "no fetcher is registered as {}; register with POST /api/v1/fetchers"


class JobNotFound(NotFound):
    """No run or training of that number."""

    words = "no {} since afresh was started"


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
