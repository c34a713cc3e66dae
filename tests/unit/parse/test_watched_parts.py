"""Selectors are judged before they are saved, and find what they say."""

import time

import pytest

from afresh.base.errors import UsageError
from afresh.base.records.watches import Watch
from afresh.parse.watched_parts import check_selectors, json_lines, select_html, select_json


@pytest.mark.parametrize(
    "watch",
    [
        Watch(css=(".price", "p:not(.ad p)", "a[href^='x'] > b")),
        Watch(xpath=("//p[@class='x']/text()", "string(//h1)", "count(//li)")),
        Watch(json_path=("$.a[*].b", "$..price", "$.items[?(@.stock > 3)]")),
        Watch(without_css=("#x",), ignore=(r"\d+", "^a|b$")),
    ],
)
def test_selectors_that_are_some(watch: Watch) -> None:
    check_selectors(watch)


@pytest.mark.parametrize(
    ("watch", "name"),
    [
        (Watch(css=("p[",)), "CSS selector"),
        (Watch(without_css=("..x",)), "CSS selector"),
        (Watch(xpath=("//p[",)), "XPath"),
        (Watch(json_path=("$.[",)), "JSONPath"),
        (Watch(ignore=("(",)), "regular expression"),
        (Watch(css=(" ",)), "CSS selector"),
        (Watch(xpath=("x" * 1_001,)), "XPath"),
    ],
)
def test_what_is_no_selector_is_named(watch: Watch, name: str) -> None:
    with pytest.raises(UsageError, match=name):
        check_selectors(watch)


def test_parts_keep_the_head_that_addresses_and_titles_need() -> None:
    page = "<head><title>T</title><base href='/b/'></head><body><p>one</p><p>two</p></body>"
    document, missing = select_html(page, Watch(xpath=("//p[2]",)))
    assert "<title>T</title>" in document
    assert "base href" in document
    assert "<p>two</p>" in document
    assert "one" not in document
    assert missing == ()


@pytest.mark.parametrize(("path", "part"), [("count(//p)", "2"), ("string(//p)", "a &amp; b"), ("//p/@id", "x")])
def test_values_of_xpath_are_text(path: str, part: str) -> None:
    document, _ = select_html("<p id=x>a &amp; b</p><p>c</p>", Watch(xpath=(path,)))
    assert f"<div>{part}</div>" in document


@pytest.mark.parametrize("path", ["//a/nothing()", "document('file:///etc/passwd')", "count(//p) > 5"])
def test_what_xpath_cannot_answer_is_missing(path: str) -> None:
    document, missing = select_html("<p>a</p>", Watch(xpath=(path,)))
    assert "root:" not in document
    assert missing == (path,) or "<div>" not in document.replace("<div></div>", "")


def test_many_parts_are_bounded() -> None:
    started = time.process_time()
    document, _ = select_html("<p>a</p>" * 50_000, Watch(css=("p",), xpath=("//p",), without_css=("b",)))
    assert document.count("<p>") == 40_000
    assert time.process_time() - started < 60.0


def test_json_paths() -> None:
    assert select_json({"a": [1, 2]}, ["$.a[*]", "$.b"]) == ([1, 2], ("$.b",))
    assert select_json([{"a": None}], ["$[0].a"]) == ([None], ())
    assert json_lines([{"b": 1, "a": [True, "x"]}, "text\nof two"]) == (
        "{", '  "b": 1', '  "a": [', "    true", '    "x"', "  ]", "}", "text", "of two",
    )  # fmt: skip
