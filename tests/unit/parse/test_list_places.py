"""Where the addresses of lists and tables stand, so that they can be replaced."""

import pytest

from afresh.parse.link_tables import cell_of, places_in_table
from afresh.parse.listing import places_in_list
from afresh.parse.recognising import DocumentKind, recognise

A, B = "http://a.example/x?a=1", "https://b.example/y"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"url,title\n{A},x\n{B},{A}\n", [A, B]),  # what a title says is not the link
        (f'title;URL\r\n"x;\ny";"{A}"\r\n;{B}\r\n', [A, B]),
        (f"{A},{B}\n", [A, B]),  # no names: every address
        (f'\ufefflink\ttitle\n{A}\t"unfinished\n{B}', [A]),
        ("url,title\n", []),
    ],
)
def test_addresses_of_a_table(text: str, found: list[str]) -> None:
    places = list(places_in_table(text))
    assert [link.target for link in places] == found
    assert [text[link.start : link.end] for link in places] == found


def test_a_table_whose_first_line_cannot_be_read_is_still_recognised() -> None:
    assert recognise(b"a\rb,c\n", "x.csv").kind is DocumentKind.TABLE


def test_an_address_gets_the_quotes_it_needs() -> None:
    text = f'url\n{A}\n"{B}"\n'
    plain, quoted = places_in_table(text)
    assert [cell_of("http://c.example/1,2", text, link) for link in (plain, quoted)] == [
        '"http://c.example/1,2"',
        "http://c.example/1,2",
    ]
    assert cell_of("http://c.example/", text, plain) == "http://c.example/"


def test_addresses_of_a_list() -> None:
    text = f"\ufeff# {A}\r\n\t{A} {B}\r\n\r\n{B}\tName\u2028{A}"
    places = list(places_in_list(text))
    assert [link.target for link in places] == [A, B]
    assert [text[link.start : link.end] for link in places] == [A, B]
