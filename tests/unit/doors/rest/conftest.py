"""A small store behind an app, for the tests of the REST door."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from afresh.doors.rest import create_app
from afresh.store import open_store
from tests.fakes.asgi_client import AsgiClient
from tests.fakes.service_context import FakeContext


@pytest.fixture
def context(tmp_path: Path) -> Iterator[FakeContext]:
    url = str(tmp_path / "afresh.db")
    store = open_store(url, exclusive=True)
    yield FakeContext(store, store_url=url)
    store.close()


@pytest.fixture
def client(context: FakeContext) -> AsgiClient:
    return AsgiClient(create_app(context))
