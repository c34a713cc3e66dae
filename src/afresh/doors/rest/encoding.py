"""JSON out: orjson over the frozen dataclasses of the views."""

import dataclasses
from typing import Any

import orjson
from starlette.responses import JSONResponse


def encode(content: Any) -> bytes:
    """JSON bytes; text that UTF-8 cannot carry (lone surrogates of a foreign document) is replaced, not refused."""
    try:
        return orjson.dumps(content)
    except TypeError:
        return orjson.dumps(_cleaned(content))


def _cleaned(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: _cleaned(getattr(value, item.name)) for item in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {_cleaned(key): _cleaned(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(item) for item in value]
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return value


class Json(JSONResponse):
    """A JSON response encoded by orjson."""

    def render(self, content: Any) -> bytes:
        return encode(content)
