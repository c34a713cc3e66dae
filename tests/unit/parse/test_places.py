"""The operator's table of places: what cannot be read is named by its line."""

import pytest

from afresh.base.errors import ParseError
from afresh.frontier.place_table import address_number, read_places


def test_an_empty_table_is_a_table() -> None:
    assert read_places("\n# nothing\n").point("berlin") is None


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("place,berlin,95,13", "line 1"),
        ("place,berlin,north,13", "line 1"),
        ("prefix,192.0.2.0/99,berlin", "192.0.2.0/99"),
        ("tld,de,nowhere", "nowhere"),
        ("what,is,this", "line 1"),
        ("tld,de", "line 1"),
        ("country,a,b\ncountry,b,a", "no place line leads to"),
    ],
)
def test_a_broken_line_is_named(line: str, told: str) -> None:
    with pytest.raises(ParseError, match=told):
        read_places(line)


def test_host_bits_of_a_prefix_are_cut_off() -> None:
    table = read_places("place,x,1,2\nprefix,10.1.2.3/8,x\n")
    version, number = address_number("10.200.0.1") or (0, 0)
    assert table.of_site("org", [(version, number)]) == (1.0, 2.0)


def test_what_is_no_address() -> None:
    assert address_number("") is None
    assert address_number("fe80::1%eth0") is not None  # a zone does not make it less of an address
