"""Files of seeds."""

from pathlib import Path

from afresh.doors.cli.seeding import seeds_named


def test_urls_and_files_with_a_mark_and_comments(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("\ufeffhttps://a.example/\n\n # mine\nhttps://b.example/ \n", encoding="utf-8")
    assert seeds_named(["https://c.example/", str(file)]) == [
        "https://c.example/",
        "https://a.example/",
        "https://b.example/",
    ]
