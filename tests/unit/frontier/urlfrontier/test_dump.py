"""Dumps of URLs: what is written is read as the same."""

import pytest

from afresh.base.records.queues import NEVER_AGAIN, StoredUrl
from afresh.frontier.urlfrontier.dump import read_dump, write_item


@pytest.mark.parametrize(("due", "read"), [(0.0, 1.0), (0.4, 1.0), (5.0, 5.0), (NEVER_AGAIN, NEVER_AGAIN)])
def test_a_url_that_was_never_fetched_is_not_read_as_completed(due: float, read: float) -> None:
    line = write_item(StoredUrl("http://a.example/", "a.example", "DEFAULT", "", due, 3.0))
    [[one]] = read_dump([line])
    assert one.put.due == read
