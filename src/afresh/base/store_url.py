"""What the address of a store says: a path, ``sqlite:///path`` or ``postgresql://…``; nothing is opened."""

from pathlib import Path
from urllib.parse import unquote

from afresh.base.errors import ConfigError
from afresh.base.passwords import hide_password

#: addresses of a frontier that is kept nowhere
IN_MEMORY = (":memory:", "sqlite://:memory:", "sqlite:///:memory:")


def has_frontier(url: str) -> bool:
    """Whether somebody has made a frontier there."""
    return url not in IN_MEMORY and in_use(url)


def in_use(url: str) -> bool:
    """Whether somebody has made the store already: a database server is asked when it is opened."""
    return is_postgres(url) or database_path(url).exists()


def is_postgres(url: str) -> bool:
    """Whether a store URL names a PostgreSQL database."""
    return url.startswith(("postgresql://", "postgres://"))


def database_path(url: str) -> Path:
    """The file that a store URL names.

    >>> str(database_path("sqlite:///feeds.db")), str(database_path("sqlite:////var/lib/feeds.db"))
    ('feeds.db', '/var/lib/feeds.db')
    """
    example = "write a path like feeds.db, sqlite:///feeds.db or postgresql://user@host/database"
    scheme, separator, rest = url.partition("://")
    if not separator:
        path = url
    elif scheme != "sqlite" or not rest.startswith("/"):
        raise ConfigError(f"not a store: {hide_password(url)!r}; {example}", option="store")
    else:
        path = unquote(rest[1:])
    if not path or path == ":memory:" or "\0" in path:
        raise ConfigError(f"a store needs a file, not {url!r}; {example}", option="store")
    return Path(path).expanduser()
