"""What ``afresh fetch`` says of its progress."""

import pytest

from afresh.doors.cli.fetch import _progress_line
from afresh.frontier.fetcher import CrawlCounts


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        (
            CrawlCounts(pages=1, sites=2, links=1),
            "1 page of 2 sites asked for, 0.2 a second; 0 failed, 0 left out, 1 link found",
        ),
        (
            CrawlCounts(pages=2, sites=1),
            "2 pages of 1 site asked for, 0.2 a second; 0 failed, 0 left out, 0 links found",
        ),
    ],
)
def test_one_is_not_many(counts: CrawlCounts, words: str) -> None:
    assert _progress_line(counts, 0.2) == words
