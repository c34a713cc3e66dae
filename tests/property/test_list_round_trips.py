"""Lists of links: what was read is written, and read again as it was, in every format that can hold it."""

import random
import time
from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afresh.base.errors import ParseError
from afresh.base.models import Kind
from afresh.base.records.links import LinkRef
from afresh.engine.importing import kind_of
from afresh.parse.bookmarks import read_bookmarks, write_bookmarks
from afresh.parse.link_json import read_json_links, write_json_links
from afresh.parse.link_tables import read_table, write_table
from afresh.parse.listing import LinkList, read_list, write_list
from afresh.parse.opml import read_opml, write_opml
from afresh.parse.sitemap import Sitemap, parse_sitemap

Writer = Callable[[Iterable[LinkRef]], str]
Reader = Callable[[bytes], LinkList]
FORMATS: dict[str, tuple[Writer, Reader]] = {
    "opml": (write_opml, read_opml),
    "bookmarks": (write_bookmarks, read_bookmarks),
    "csv": (write_table, read_table),
    "json": (write_json_links, read_json_links),
}
few = settings(max_examples=60, deadline=None)
#: Letters that one format or another has a use for, and what is in nobody's way.
words = st.text(
    st.one_of(st.sampled_from("ab <>&\"'/,;|[]{}#=\n\r\t\\-"), st.characters(exclude_categories=["Cs"])), max_size=12
)
refs = st.builds(
    LinkRef,
    url=st.builds("https://e.example/{}".format, words),
    title=words,
    folder=st.lists(words, max_size=3).map("/".join),
    tags=st.lists(words, max_size=3).map(tuple),
    note=words,
    saved=st.none() | st.integers(1, 4_000_000_000).map(float),
    home=st.sampled_from(["", "https://e.example/"]),
    kind=st.sampled_from(["", "feed", "page", "link", "sitemap"]),
    watch=st.sampled_from(["", "", '{"css":[".a > b","\\"é\\""],"at_least":2}']),
    visits=st.sampled_from(["", "", '{"paused":true,"pinned":1800.0,"weight":2.5,"rule":"fix:interval=\\"é\\""}']),
)


def read(form: str, text: str) -> set[LinkRef]:
    """What is read of it, and for what each is watched; the place in the file aside, and so is the order: a folder's
    links stand together."""
    found = FORMATS[form][1](text.encode("utf-8", "replace"))
    usual = Kind(found.kind or Kind.FEED)
    return {replace(link, line=0, kind=str(kind_of(link, usual))) for link in found}


@pytest.mark.parametrize("first", FORMATS)
@few
@given(st.lists(refs, max_size=4, unique_by=lambda link: link.url))
def test_export_loses_nothing_that_import_read(first: str, links: list[LinkRef]) -> None:
    imported = read(first, FORMATS[first][0](links))
    for form, (write, _) in FORMATS.items():
        assert read(form, write(imported)) == imported, form


@pytest.mark.parametrize("form", FORMATS)
def test_a_line_that_ends_as_it_once_did_stays_in_its_place(form: str) -> None:
    said = LinkRef(url="https://a.example/", note="one\rtwo\r\nthree", kind="feed")
    assert read(form, FORMATS[form][0]([said])) == {replace(said, note="one\ntwo\nthree")}


@pytest.mark.parametrize("form", FORMATS)
def test_an_address_in_place_of_a_title_is_none_whatever_blanks_it_has(form: str) -> None:
    said = LinkRef(url="0\xa00", kind="feed")
    assert read(form, FORMATS[form][0]([said])) == {said}


@few
@given(st.lists(refs, max_size=4, unique_by=lambda link: link.url))
def test_a_plain_list_keeps_addresses_and_titles(links: list[LinkRef]) -> None:
    imported = read_list(write_list(links).encode("utf-8", "replace"))
    again = read_list(write_list(imported).encode())
    assert [(link.url, link.title) for link in again] == [(link.url, link.title) for link in imported]


def sample() -> list[LinkRef]:
    return [
        LinkRef(
            url=f"https://s{number}.example/?a=1&b={number}",
            title=f'No. {number} <"&> é',
            folder="News/Local" if number % 3 else "",
            tags=("x", "y & z")[: number % 3],
            note="line\nline" * (number % 2),
            saved=1_700_000_000.0 + number,
        )
        for number in range(12)
    ]


SITEMAP = b'<?xml version="1.0"?><s:urlset xmlns:s="http://s.example/">' + b"".join(
    b"<s:url><s:loc>https://s.example/%d</s:loc><s:lastmod>2024-01-02</s:lastmod></s:url>" % n for n in range(9)
)
PARSERS: dict[str, tuple[Callable[[bytes], LinkList | Sitemap], bytes]] = {
    **{form: (reader, writer(sample()).encode()) for form, (writer, reader) in FORMATS.items()},
    "list": (read_list, write_list(sample()).encode()),
    "sitemap": (parse_sitemap, SITEMAP + b"</s:urlset>"),
}
NASTY = [
    b"\0",
    b"<",
    b">",
    b"&",
    b'"',
    b"'",
    b"\n",
    b"<!--",
    b"-->",
    b"<![CDATA[",
    b"</outline>",
    b"<outline ",
    b"<DL>",
]
NASTY += [b"</DL>", b"<A HREF=", b"{", b"}", b"[", b"]", b",", b"\xff", b"&#xD800;", b"\xed\xa0\x80", b"=", b"\\u0000"]


@pytest.mark.parametrize("form", PARSERS)
def test_damaged_files_give_links_or_a_parse_error(form: str) -> None:
    parse, body = PARSERS[form]
    rng = random.Random(form)
    for _ in range(400):
        damaged = bytearray(body)
        for _ in range(rng.randint(1, 5)):
            at = rng.randrange(len(damaged) + 1)
            damaged[at : at + rng.choice((0, 0, 1, 7, 90))] = rng.choice((b"", rng.choice(NASTY), rng.randbytes(1)))
        try:
            found = parse(bytes(damaged))
        except ParseError:
            continue
        if isinstance(found, LinkList):
            for link in found:
                f"{link.url}{link.title}{link.note}{link.folder}{link.home}{link.tags}".encode()


@pytest.mark.parametrize("form", PARSERS)
@pytest.mark.parametrize(
    "unit", [b"<", b'<outline a="x', b"<a '\"", b"<dl>", b"[", b'{"children":[', b'",\n"', b"<!--", b"&"]
)
def test_no_file_takes_long(form: str, unit: bytes) -> None:
    parse, body = PARSERS[form]
    started = time.process_time()
    for size in (100_000, 200_000):
        try:
            parse(body[:200] + unit * (size // len(unit)))
        except ParseError:
            continue
    assert time.process_time() - started < 5.0  # seconds of this process; hundredths now
