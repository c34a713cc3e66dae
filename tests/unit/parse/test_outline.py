"""The outline of a page: every part is found again by its selector."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from afresh.parse.outline import read_outline

PAGE = b"""<html><body>
<nav class="menu"><a href=/>Home</a> <a href=/x>More</a></nav>
<main><div><div id=price><p>10 euros</p></div></div>
<section><h2>News</h2><p class=lead>One two</p><p>three</p><script>var x</script></section>
<section><p>four</p><p id=x1234567>five</p></section></main>
</body></html>"""


def test_parts_with_their_depth_and_words() -> None:
    found = read_outline(PAGE)
    assert [(part.selector, part.depth, part.words) for part in found.parts] == [
        (".menu", 0, 2),
        ("body > main", 0, 8),
        ("#price", 1, 2),
        ("body > main > section:nth-of-type(1)", 1, 4),
        ("body > main > section:nth-of-type(1) > h2", 2, 1),
        (".lead", 2, 2),
        ("body > main > section:nth-of-type(1) > p:nth-of-type(2)", 2, 1),
        ("body > main > section:nth-of-type(2)", 1, 2),
        ("body > main > section:nth-of-type(2) > p:nth-of-type(1)", 2, 1),
        ("body > main > section:nth-of-type(2) > p:nth-of-type(2)", 2, 1),
    ]
    assert found.parts[3].text == "News One two three"
    assert not found.truncated


def _elements(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    names = st.sampled_from(["", " id=a", " class=b", " class='c d'", " id=e class=b"])
    return st.builds(
        lambda tag, name, parts: f"<{tag}{name}>{''.join(parts)}</{tag}>",
        st.sampled_from(["div", "section", "span", "b", "article", "script"]),
        names,
        st.lists(inner, max_size=4),
    )


@given(st.lists(st.recursive(st.sampled_from(["one ", "two words ", ""]), _elements, max_leaves=30), max_size=4))
def test_a_selector_finds_its_part_and_no_other(pieces: list[str]) -> None:
    document = f"<html><body>{''.join(pieces)}</body></html>"
    tree = LexborHTMLParser(document)
    for silent in tree.css("script"):
        silent.decompose()
    before = -1
    for part in read_outline(document.encode()).parts:
        [node] = tree.css(part.selector)
        assert node.tag == part.tag
        assert len(node.text(separator=" ").split()) == part.words
        assert part.depth <= before + 1
        before = part.depth


@pytest.mark.parametrize(
    "body",
    [b"", b"\x00\xff", b"<div>" * 5_000, b"<p>a" * 50_000, "<p>".encode("utf-16"), b"<frameset><frame></frameset>"],
)
def test_whatever_comes_the_outline_is_small(body: bytes) -> None:
    assert len(read_outline(body).parts) <= 200
