"""Files of seeds."""

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


def test_a_url_without_its_scheme_is_told_from_a_file() -> None:
    with pytest.raises(UsageError, match=r"cannot read s1\.localhost:9100: .*http://s1\.localhost:9100$"):
        seeds_named(["s1.localhost:9100"])
