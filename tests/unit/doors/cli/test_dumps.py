"""URLFrontier's dump is read and written, and a frontier comes out of it as it went in."""

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from afresh.doors.cli.main import cli

LINES = [
    {
        "known": {
            "info": {
                "url": "http://a.example/1",
                "key": "a.example",
                "metadata": {"k": {"values": ["v", "ü"]}},
                "crawlID": "DEFAULT",
            },
            "refetchableFromDate": "1794850000",
        },
        "creationDate": "1700000000",
    },
    {
        "known": {"info": {"url": "http://a.example/2", "key": "a.example", "crawlID": "DEFAULT"}},
        "creationDate": "1700000001",
    },
    {
        "known": {"info": {"url": "http://b.example/", "key": "mine", "crawlID": "other"}, "refetchableFromDate": "7"},
        "creationDate": "1700000002",
    },
]


def run(folder: Path, *arguments: str, given: str | None = None) -> tuple[int, str]:
    settings = ["--set", f"frontier.url={folder}/frontier.db"]
    found = CliRunner().invoke(cli, [*settings, *arguments], input=given, obj=None)
    return found.exit_code, found.stdout


def test_what_was_exported_is_what_was_imported(tmp_path: Path) -> None:
    file = tmp_path / "dump.json.gz"
    file.write_bytes(gzip.compress("\n".join(map(json.dumps, LINES)).encode()))
    code, told = run(tmp_path, "import", "--format", "urlfrontier", str(file), "--json")
    assert (code, json.loads(told)) == (0, {"new": 3, "updated": 0, "known": 0, "refused": 0})
    code, dumped = run(tmp_path, "export", "--format", "urlfrontier")
    assert code == 0
    order = [json.dumps(line, sort_keys=True) for line in LINES]
    assert sorted(json.dumps(json.loads(line), sort_keys=True) for line in dumped.splitlines()) == sorted(order)
    code, told = run(tmp_path, "import", "--format", "urlfrontier", "-", given=dumped)
    assert told == "0 new, 3 updated, 0 known, 0 refused\n"


def test_found_urls_older_names_and_nonsense(tmp_path: Path) -> None:
    lines = [
        {"discovered": {"info": {"url": "http://a.example/"}}},
        {"known": {"info": {"url": "http://b.example/"}, "refetchable_from_date": 9}},
        {"discovered": {"info": {"url": "nonsense"}}},
    ]
    given = "\n".join(map(json.dumps, lines)) + "\n\n"
    assert run(tmp_path, "import", "--format", "urlfrontier", "-", given=given)[1].startswith("2 new, ")


@pytest.mark.parametrize("line", ["{", "[]", "{}", '{"known":{}}', "3", '{"known":{"info":[]}}'])
def test_a_line_that_is_no_item_is_named(line: str, tmp_path: Path) -> None:
    given = json.dumps(LINES[0]) + "\n" + line
    settings = ["--set", f"frontier.url={tmp_path}/f.db"]
    found = CliRunner().invoke(cli, [*settings, "import", "--format", "urlfrontier", "-"], input=given)
    assert "line 2" in str(found.exception) + found.output
