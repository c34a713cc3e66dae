"""Links of Markdown: every form people use, with its place, and nothing from where nobody can click."""

import time

import pytest

from afresh.base.errors import ParseError
from afresh.parse.document_links.markdown import read_markdown
from afresh.parse.document_links.model import WrittenLink


def links(text: str) -> list[WrittenLink]:
    found = read_markdown(text).links
    for link in found:
        if link.start >= 0:  # its place is where something stands that means the target
            assert link.target[:1] == text[link.start], "a place is where the target is written"
    return list(found)


def targets(text: str) -> list[str]:
    return [link.target for link in links(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[a](b.md)", ["b.md"]),
        ("[![badge](i.svg)](https://ci.example/x)", ["i.svg", "https://ci.example/x"]),
        ("**[bold](b.md)** and ([paren](c.md))", ["b.md", "c.md"]),
        ("[a](<b c.md> 'title')", ["b c.md"]),
        ("[a](b_(c).md)", ["b_(c).md"]),
        (r"[a](b\_c.md)", ["b_c.md"]),
        ("![image](i.png)", ["i.png"]),
        ("<https://a.example/>", ["https://a.example/"]),
        ("see https://a.example/b_(c), or (https://d.example/e).", ["https://a.example/b_(c)", "https://d.example/e"]),
        ("**https://a.example/b_c_d**", ["https://a.example/b_c_d"]),
        ("[text][ref]\n\n[ref]: https://a.example/ 'T'", ["https://a.example/"]),
        ("[ref]\n\n[ref]: <a b.md>", ["a b.md"]),
        ("a[^1]\n\n[^1]: see [foot](note.md)", ["note.md"]),
        ("| a | b |\n|---|---|\n| [x](y.md) | [x](y.md) |", ["y.md", "y.md"]),
        ("text <a href='x.html?a=1&amp;b'>x</a>", ["x.html?a=1&b"]),
        ("<div>\n<img src='a.png' srcset='b.png 2x'>\n</div>", ["a.png", "b.png"]),
        ("- one\n  - [two](three.md)", ["three.md"]),
        ("> quoted [a](b.md)\n> <https://c.example/>", ["b.md", "https://c.example/"]),
        ("# Heading with [a](b.md)", ["b.md"]),
        ("[a](http://[bad)", ["http://[bad"]),
        # and where there is none
        ("`[a](b.md)` and ``https://a.example/``", []),
        ("```\n[a](b.md)\n```\n\n    https://indented.example/", []),
        ("<!-- [a](b.md) https://a.example/ -->", []),
        ("<!--\n[a](b.md)\n-->", []),
        ("---\nurl: https://front.example/\n---\ntext", []),
        (r"\[a](b.md)", []),
        ("[a] (b.md)", []),
        ("shttp://a.example/", []),
    ],
)
def test_every_form_of_a_link(text: str, found: list[str]) -> None:
    assert targets(text) == found


def test_each_link_has_line_column_and_text() -> None:
    text = "# T\n\n> see [the *guide*](docs/guide.md),\n> and ![a map](map.png)\n\n* [x]: not a definition\n"
    told = [(link.line, link.column, link.text, text[link.start : link.end]) for link in links(text)]
    assert told == [(3, 21, "the guide", "docs/guide.md"), (4, 16, "a map", "map.png")]
    windows = text.replace("\n", "\r\n")
    assert [(link.line, link.column, windows[link.start : link.end]) for link in links(windows)] == [
        (line, column, written) for line, column, _, written in told
    ]
    same = "| [x](y) | [x](y) |\n|---|---|\n"
    assert [link.column for link in read_markdown(same).links] == [7, 16]


def test_headings_are_anchors_as_github_and_mkdocs_name_them() -> None:
    text = (
        "# What's new, in *1.0*? {#news}\n\n## A `b` [c](d.md)\n\n## Two\n\n## Two\n\n<a name='old'></a>\n\n## Über uns"
    )
    anchors = read_markdown(text).anchors
    assert anchors >= {"whats-new-in-10", "news", "a-b-c", "two", "two-1", "two_1", "old", "über-uns"}


@pytest.mark.parametrize(
    "text",
    ["[", "[a](", "![", "[a](b) ", "http://a ", "<b>", "*a ", "a:", "`", "<!--", "&#", "|", "> ", "[a]: b\n", "[^a]: "],
)
def test_time_grows_with_the_length_alone(text: str) -> None:
    spent = []
    for size in (15_000, 60_000):
        begin = time.process_time()
        read_markdown("x " + text * (size // len(text)) + "]")
        spent.append(time.process_time() - begin)
    # Four times the text: sixteen times the time where it grows with the square. The rest is for what is warming up.
    assert spent[1] < 10 * spent[0] + 1.0


@pytest.mark.parametrize(
    "text",
    [
        "<" * 10_000_000,
        "[a](" * 600_000,
        "**a" * 200_000,
        "a\n" * 1_100_000,
        "|a|b|\n|-|-|\n" + "|a|b|\n" * 150_000,
        "- a\n  - b\n" * 130_000,
    ],
)
def test_a_text_made_of_signs_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match="signs of mark-up"):
        read_markdown(text)


def test_a_long_list_of_links_is_read() -> None:
    assert len(read_markdown("- [a](http://a.example/b-c?d=1)\n" * 100_000).links) == 100_000


def test_words_are_no_signs() -> None:
    assert [link.target for link in read_markdown("word " * 400_000 + "[a](b)").links] == ["b"]


def test_an_address_with_something_to_fill_in_is_whole() -> None:
    """So that it is left out as a template, and what stands before the gap is not checked instead."""
    text = "[a](https://x.example/{{ version }}/) https://x.example/{name}/b and {https://x.example/c} https://{{h}}/d."
    assert [link.target for link in read_markdown(text).links] == [
        "https://x.example/{{ version }}/",
        "https://x.example/{name}/b",
        "https://x.example/c",
        "https://{{h}}/d",
    ]
