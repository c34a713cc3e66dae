"""JSON out: msgspec over the frozen dataclasses of ``doors.presenting`` and the structs of a frontier."""

import dataclasses
from typing import Any

import msgspec
from starlette.responses import JSONResponse

_encode = msgspec.json.Encoder().encode


def encode(content: Any) -> bytes:
    """JSON bytes; text that UTF-8 cannot carry (lone surrogates of a foreign document) is replaced, not refused."""
    try:
        return _encode(content)
    except UnicodeEncodeError:
        return _encode(_cleaned(content))


def _cleaned(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: _cleaned(getattr(value, item.name)) for item in dataclasses.fields(value)}
    if isinstance(value, msgspec.Struct):
        return _cleaned(msgspec.structs.asdict(value))
    if isinstance(value, dict):
        return {_cleaned(key): _cleaned(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(item) for item in value]
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return value


class Json(JSONResponse):
    """A JSON response of the one encoder."""

    def render(self, content: Any) -> bytes:
        return encode(content)
