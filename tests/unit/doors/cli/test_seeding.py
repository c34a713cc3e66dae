"""Files of seeds."""

import re
from pathlib import Path

import pytest

from afresh.base.errors import UsageError
from afresh.doors.cli.seeding import seeds_named


def test_urls_and_files_with_a_mark_and_comments(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("\ufeffhttps://a.example/\n\n # mine\nhttps://b.example/ \n", encoding="utf-8")
    assert seeds_named(["https://c.example/", str(file)]) == [
        "https://c.example/",
        "https://a.example/",
        "https://b.example/",
    ]


@pytest.mark.parametrize("name", ["s1.localhost:9100", "not-a-url", "intranet/start"])
def test_a_url_without_its_scheme_is_told_from_a_file(name: str) -> None:
    """By `serve --seed` and `frontier add` alike."""
    told = re.escape(name)
    with pytest.raises(UsageError, match=rf"cannot read {told}: .*a URL begins with its scheme: http://{told}$"):
        seeds_named([name])


@pytest.mark.parametrize("name", ["/no/such/seeds.txt", "./no-such-seeds", "../no-such-seeds.txt", "~nobody/seeds"])
def test_what_is_written_as_a_path_is_meant_as_a_file(name: str) -> None:
    with pytest.raises(UsageError, match=r"cannot read [^;]*$"):
        seeds_named([name])
