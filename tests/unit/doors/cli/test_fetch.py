"""What ``afresh fetch`` says of its progress."""

from pathlib import Path

import pytest

from afresh.doors.cli.fetch import _progress_line
from afresh.doors.cli.main import run
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


@pytest.mark.parametrize("where", ["file", "file/below"])
def test_an_archive_that_cannot_be_written_is_refused_before_anybody_is_asked(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    given = ["--name", "one", "--email", "me@example.org", "--warc", where]
    assert run(["fetch", "--from", "http://127.0.0.1:9", *given]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert f"--warc {where}: that is a file; name a folder that can be written" in said
