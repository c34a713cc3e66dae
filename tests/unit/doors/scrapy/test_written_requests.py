"""Requests as text come back as they were, or are refused."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy import FormRequest, Request, Spider
from scrapy.http import JsonRequest

from afresh.doors.scrapy.written_requests import read_request, write_request


class Reader(Spider):
    """With methods to name."""

    name = "reader"

    def kept(self, response: object) -> None:
        """A callback."""

    def failed(self, failure: object) -> None:
        """An errback."""


SPIDER = Reader()
_KEYS = st.one_of(st.text(), st.integers(), st.binary(), st.booleans())
_SINGLE = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(), st.binary())
VALUES = st.recursive(
    _SINGLE,
    lambda inner: st.one_of(
        st.lists(inner), st.dictionaries(_KEYS, inner), st.lists(inner).map(tuple), st.sets(st.text(), max_size=1)
    ),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None)
@given(VALUES)
def test_every_plain_value_comes_back(value: Any) -> None:
    request = Request("https://example.org/", meta={"it": value}, cb_kwargs={"$bytes": value})
    back = read_request(write_request(request, SPIDER), SPIDER)
    assert back.meta == {"it": value}
    assert repr(back.meta) == repr(request.meta)  # 1 and True are equal, and not the same
    assert back.cb_kwargs == request.cb_kwargs


@pytest.mark.parametrize(
    "request_",
    [
        Request("https://example.org/", callback=SPIDER.kept, errback=SPIDER.failed, priority=-3, dont_filter=True),
        Request("https://example.org/", method="PUT", body=b"\x00\xff", headers={"A": ["1", "2"]}, flags=["f"]),
        Request("https://example.org/", cookies=[{"name": "a", "value": "b"}], encoding="latin-1"),
        FormRequest("https://example.org/", formdata={"q": "grün"}),
        JsonRequest("https://example.org/", data={"q": [1]}),
    ],
)
def test_every_field_comes_back(request_: Request) -> None:
    back = read_request(write_request(request_, SPIDER), SPIDER)
    assert type(back) is type(request_)
    assert back.to_dict(spider=SPIDER) == request_.to_dict(spider=SPIDER)


class Sly(str):
    """Text with more to it."""


@pytest.mark.parametrize("value", [object(), Sly("x"), [object()], {"a": {1: object()}}, len, 1j])
def test_what_would_not_come_back_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="meta has a value of type"):
        write_request(Request("https://example.org/", meta={"it": value}), SPIDER)


def test_a_callback_that_has_no_name_is_refused() -> None:
    with pytest.raises(ValueError, match="not an instance method"):
        write_request(Request("https://example.org/", callback=lambda _: None), SPIDER)


@pytest.mark.parametrize(
    "written",
    [
        "",
        "[]",
        "{}",
        "no JSON",
        {"url": ["https://example.org/"]},
        {"url": "https://example.org/", "callback": "no_such_method"},
        {"url": "https://example.org/", "_class": "subprocess.Popen"},
        {"url": "https://example.org/", "_class": "os.system"},
        {"url": "https://example.org/", "_class": "no.such.module.Request"},
        {"url": "https://example.org/", "_class": ["scrapy.Request"]},
        {"url": {"$bytes": "x"}},
        {"url": "https://example.org/", "meta": {"$dict": 7}},
        {"url": "https://example.org/", "body": {"$bytes": "\u20ac"}},
    ],
)
def test_what_is_no_request_is_refused(written: object) -> None:
    text = written if isinstance(written, str) else json.dumps(written)
    with pytest.raises(ValueError):  # noqa: PT011 (each for a reason of its own)
        read_request(text, SPIDER)
