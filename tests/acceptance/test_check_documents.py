"""``afresh check`` on documents: relative links, fragments, folders, and where each link stands."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from afresh.doors.cli.main import run

Check = Callable[..., tuple[int, list[dict[str, Any]]]]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small repository."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text(
        "# Title\n\n[guide](docs/guide.md#first-steps) [self](#title) [root](/docs/guide.md) [dir](docs)\n"
        "[code](setup.py#L3) <mailto:a@b.org> [tpl]({{ url }})\n"
    )
    (tmp_path / "docs" / "guide.md").write_text("# First steps\n\n[back](../README.md?plain=1) ![map](map%201.png)\n")
    (tmp_path / "docs" / "map 1.png").write_bytes(b"")
    (tmp_path / "setup.py").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def check(capsys: pytest.CaptureFixture[str]) -> Check:
    def call(*arguments: str) -> tuple[int, list[dict[str, Any]]]:
        code = run(["check", "--json", *arguments])
        return code, json.loads(capsys.readouterr().out or "[]")

    return call


def test_relative_links_are_files(project: Path, check: Check) -> None:
    code, rows = check("README.md", "docs")
    assert {row["standing"] for row in rows} == {"ok"}
    assert (code, len(rows)) == (0, 7)


@pytest.mark.parametrize("watched", [True, False])
def test_somebody_who_watches_is_told_what_to_do(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], watched: bool
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: watched)
    (project / "a.md").write_text("[x](nowhere.md)")
    told = [
        "afresh: 1 link broken: gone, out of reach, or another page; --explain says why, link by link",
        "afresh: exit status 1: there are links that are broken (--fail-on says which count)",
    ]
    for given, code, kept in (((), 1, told), (("--fail-on", "none", "--explain"), 0, [told[0].partition(";")[0]])):
        assert run(["check", "a.md", *given]) == code
        assert capsys.readouterr().err.splitlines() == (kept if watched else [])


def test_what_is_filled_in_later_is_no_file(project: Path, check: Check) -> None:
    (project / "a.md").write_text("[x]($DOCS_URL/a.xml) [y]($(BASE)/b) [z](${base}/c) [w]($price.md)")
    _, rows = check("a.md")
    assert [row["url"] for row in rows] == ["$price.md"]


def test_a_file_is_never_looked_up_as_a_host(project: Path, check: Check) -> None:
    (project / "a.md").write_text("[x](nowhere.md) and [y](docs/guide.md#nothing)")
    code, rows = check("a.md")
    assert code == 1
    assert [(row["status"], row["file"], row["line"], row["column"], row["text"]) for row in rows] == [
        ("content_missing", "a.md", 1, 5, "x"),
        ("fragment_missing", "a.md", 1, 25, "y"),
    ]
    assert rows[0]["url"] == "nowhere.md"


def test_base_url_base_element_and_root_dir(project: Path, check: Check) -> None:
    (project / "a.html").write_text("<base href='docs/'><a href='guide.md'>g</a><a href='/guide.md'>r</a>")
    assert check("a.html")[0] == 0  # what "/" means nobody knows, so nobody complains
    code, rows = check("--root-dir", "docs", "a.html")
    assert (code, len(rows)) == (0, 2)
    code, rows = check("--root-dir", ".", "a.html")
    assert [row["standing"] for row in rows] == ["ok", "broken"]
    (project / "b.md").write_text("[x](y/z?q#f)")
    code, rows = check("--base-url", "http://127.0.0.1:9/docs/", "--examples", "b.md")
    assert [row["url"] for row in rows] == ["http://127.0.0.1:9/docs/y/z?q#f"]


def test_ignored_files_and_foreign_folders_are_left_out(project: Path, check: Check) -> None:
    (project / ".gitignore").write_text("build/\n*.tmp.md\n!kept.tmp.md\n")
    for name in ("build/a.md", "x.tmp.md", "node_modules/b.md", ".hidden/c.md"):
        path = project / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("[broken](nowhere.md)")
    (project / "kept.tmp.md").write_text("[ok](README.md)")
    code, rows = check(".")
    assert (code, {row["file"] for row in rows}) == (0, {"README.md", "docs/guide.md", "kept.tmp.md"})
    assert check("build/a.md")[0] == 1  # named, it is read
    code, rows = check("**/*.md")
    assert "build/a.md" in {row["file"] for row in rows}


def test_one_bad_argument_does_not_end_the_run(project: Path, check: Check, capsys: pytest.CaptureFixture[str]) -> None:
    code, rows = check("missing.md", "README.md", "http://[bad")
    assert code == 1
    assert {row["status"] for row in rows} == {"content_new", "syntax_url"}


def test_a_document_need_not_have_links(project: Path, check: Check, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "prose.md").write_text("Nothing to see.\n")
    assert check("prose.md") == (0, [])
    (project / "notes").write_text("Dear all, there is nothing here either.\n")
    assert run(["check", "notes"]) == 2
    assert "no links found" in capsys.readouterr().err


def test_documents_of_sphinx_are_found_by_their_names(project: Path, check: Check) -> None:
    (project / "docs" / "index.rst").write_text(
        ":doc:`guide` and :doc:`lost`\n\n.. toctree::\n\n   guide\n   nowhere\n"
    )
    code, rows = check("docs/index.rst")
    found = [(row["url"], row["standing"], row["line"]) for row in rows]
    assert (code, sorted(found)) == (
        1,
        [("guide", "ok", 1), ("guide", "ok", 5), ("lost", "broken", 1), ("nowhere", "broken", 6)],
    )
    assert check("docs/index.rst", "--base-url", "https://a.example/", "--offline")[1] == []


TEXTS = {
    "requirements.txt": "requests==2.0\nsphinx\n",
    "AUTHORS.txt": "Ada\nBob\n",
    "VERSION": "1.2.3\n",
    "MANIFEST": "setup.py\nREADME.md\n",
    "robots.txt": "User-agent: *\nDisallow: /x\n",
    "settings.yml": "name: harbour\nkind: page\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_words_of_a_text_are_no_links(project: Path, check: Check, name: str) -> None:
    (project / name).write_text(TEXTS[name])
    assert check(name, "--offline")[1] == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("named.txt", "One: http://a.example/1\nTwo: http://a.example/2\n"),
        ("robots.txt", "User-agent: *\nSitemap: http://a.example/1\nSitemap: http://a.example/2\n"),
        ("jobs.yml", "a: http://a.example/1\nb: http://a.example/2\n"),
        ("list.txt", "http://a.example/1 One\n# nothing\nhttp://a.example/2\n"),
    ],
)
def test_every_address_of_a_text_is_a_link(
    project: Path, capsys: pytest.CaptureFixture[str], name: str, text: str
) -> None:
    (project / name).write_text(text)
    assert run(["check", "--dump", "--include", "example", name]) == 0
    shown = capsys.readouterr().out
    assert [f"http://a.example/{number}" in shown for number in (1, 2)] == [True, True]
    assert "Name" not in shown


def test_a_picture_is_no_list_of_links(project: Path, check: Check, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "pic.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    (project / "blob").write_bytes(b"a\0b\nc\n")
    (project / "noise.html").write_bytes(bytes(range(256)))
    for name, words in (("pic.png", "an image"), ("blob", "a binary file"), ("noise.html", "a binary file")):
        assert run(["check", name]) == (2 if name.endswith("html") else 0), "a hook may name all files that changed"
        told = f"afresh: {name}: not a document or list of links: it looks like {words}\n"
        assert capsys.readouterr().err == told
        code = run(["check", "--json", name, "README.md"])
        printed = capsys.readouterr()
        assert (code, printed.err, len(json.loads(printed.out))) == (0, told, 5)


def test_what_is_broken_is_told_first(project: Path, check: Check, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.md").write_text("[a](README.md) [b](gone.md) [c](docs) [d](lost.md)\n")
    assert run(["check", "--all", "a.md"]) == 1
    rows = [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:-1]]
    assert rows == ["broken", "broken", "ok", "ok"]
    assert [row["standing"] for row in check("a.md")[1]] == ["ok", "broken", "ok", "broken"]


def test_a_report_of_an_unknown_kind_is_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "README.md", "-o", "r.xlsx"]) == 2
    assert ".json, .xml, .md, .csv, .html, .txt" in capsys.readouterr().err
    assert not (project / "r.xlsx").exists()
    assert run(["check", "--format", "csv", "README.md", "-o", "r.xlsx"]) == 0


def test_patterns_for_lychee_count(project: Path, check: Check, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.md").write_text("[x](https://a.test/x) [y](https://b.test/y)")
    (project / ".lycheeignore").write_text("# ours\n^https://a\\.test/\n")
    assert run(["check", "--dump", "a.md"]) == 0
    assert "a.test" not in capsys.readouterr().out
    (project / ".lycheeignore").write_text("(\n")
    assert run(["check", "--dump", "a.md"]) == 2
    assert ".lycheeignore" in capsys.readouterr().err


@pytest.mark.parametrize("words", [("--timeout", "abc"), ("--delay", "soon"), ("--accept", "good")])
def test_an_option_is_refused_before_anything_is_said(
    project: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    assert run(["check", "README.md", *words]) == 2
    said = capsys.readouterr()
    assert (said.out, words[1] in said.err, "fetch." in said.err) == ("", True, False)
