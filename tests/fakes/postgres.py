"""A real PostgreSQL, started once a process when the first test asks for it; every test gets a database of its own."""

import atexit
import itertools
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache
from urllib.parse import urlsplit, urlunsplit

import pytest

from afresh.lab.pgserver import FORGETFUL, running_postgres

_numbers = itertools.count(1)


@cache
def postgres_server() -> str:
    """The URL of the server's first database; the server stops with the process."""
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(running_postgres(settings=FORGETFUL))


def named_database(name: str) -> str:
    """The URL of a database of the server."""
    return urlunsplit(urlsplit(postgres_server())._replace(path=f"/{name}"))


def postgres_url(template: str = "template0") -> str:
    """The URL of a new database, empty unless copied from a ``template``."""
    name = f"test{next(_numbers)}"
    import psycopg

    with psycopg.connect(postgres_server(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    return named_database(name)


@pytest.fixture
def postgres() -> Iterator[str]:
    """The URL of an empty database, dropped after the test."""
    url = postgres_url()
    yield url
    drop_database(url)


def drop_database(url: str) -> None:
    import psycopg

    with psycopg.connect(postgres_server(), autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {urlsplit(url).path[1:]} WITH (FORCE)")
