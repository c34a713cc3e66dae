"""Requests as text: everything Scrapy's ``to_dict`` has, in JSON that gives back exactly what was written.

Kept are None, booleans, numbers, text, bytes, lists, tuples, sets, and dictionaries of these. Nothing is pickled: text
from a store can make no object but these and a request. What else stands in ``meta`` or ``cb_kwargs`` cannot be kept.
"""

import json
from collections.abc import Callable
from typing import Any

from scrapy import Request, Spider
from scrapy.utils.misc import load_object
from scrapy.utils.request import request_from_dict

_MARK = "$"  # begins the name of a value that JSON does not have
#: What a request has that says nothing else; not written.
_DEFAULTS: dict[str, object] = {
    "errback": None, "headers": {}, "body": b"", "cookies": {}, "encoding": "utf-8", "flags": [], "cb_kwargs": {},
    "dont_filter": False, "priority": 0, "method": "GET",
}  # fmt: skip


def write_request(request: Request, spider: Spider) -> str:
    """The request as text; ValueError if it cannot be written, as of Scrapy's own queues.

    >>> spider = Spider(name="s")
    >>> request = Request("https://example.org/", callback=spider.parse, meta={"depth": 1, "at": (1, b"x")})
    >>> text = write_request(request, spider)
    >>> text
    '{"url":"https://example.org/","callback":"parse","meta":{"depth":1,"at":{"$tuple":[1,{"$bytes":"x"}]}}}'
    >>> read_request(text, spider).meta
    {'depth': 1, 'at': (1, b'x')}
    >>> write_request(request.replace(meta={"it": object()}), spider)
    Traceback (most recent call last):
    ValueError: meta has a value of type object, which is not kept
    """
    fields = {
        name: _plain(value, name)
        for name, value in request.to_dict(spider=spider).items()
        if name not in _DEFAULTS or value != _DEFAULTS[name]
    }
    return json.dumps(fields, separators=(",", ":"))


def read_request(text: str, spider: Spider) -> Request:
    """The request again; ValueError if it is none, or names a method that the spider does not have."""
    try:
        return _read(json.loads(text, object_hook=_revived), spider)
    except (TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"not a request: {error}") from error


def _read(fields: object, spider: Spider) -> Request:
    if not isinstance(fields, dict) or not isinstance(fields.get("url"), str):
        raise ValueError("not a request")
    named = fields.get("_class")
    if named is not None and not _is_request(named):
        raise ValueError(f"{named} is no kind of request")
    return request_from_dict(fields, spider=spider)


def _is_request(name: object) -> bool:
    """Whether a name stands for a class of requests: nothing else is called by what a store says."""
    try:
        found = load_object(name) if isinstance(name, str) else None
    except (ImportError, NameError, ValueError):
        return False
    return isinstance(found, type) and issubclass(found, Request)


def _plain(value: Any, where: str) -> Any:
    """The value in JSON's types; subclasses are refused, since they would not come back as such."""
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if kind is list:
        return [_plain(one, where) for one in value]
    if kind is dict:
        if all(type(key) is str and not key.startswith(_MARK) for key in value):
            return {key: _plain(one, where) for key, one in value.items()}
        return {"$dict": [[_plain(key, where), _plain(one, where)] for key, one in value.items()]}
    if kind is bytes:
        return {"$bytes": value.decode("latin-1")}
    if kind in _SEQUENCES:
        return {f"{_MARK}{kind.__name__}": [_plain(one, where) for one in value]}
    raise ValueError(f"{where} has a value of type {kind.__name__}, which is not kept")


_AS_THEY_ARE = frozenset((str, int, float, bool, type(None)))
_SEQUENCES: dict[type, Callable[[Any], Any]] = {tuple: tuple, set: set, frozenset: frozenset}
_REVIVED: dict[str, Callable[[Any], Any]] = {
    "$bytes": lambda text: text.encode("latin-1"),
    "$dict": dict,
    **{f"{_MARK}{kind.__name__}": make for kind, make in _SEQUENCES.items()},
}


def _revived(read: dict[str, Any]) -> Any:
    if len(read) == 1:
        (name,) = read
        if name in _REVIVED:
            return _REVIVED[name](read[name])
    return read
