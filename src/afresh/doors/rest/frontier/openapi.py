"""The frontier's OpenAPI document, made from the table of operations."""

from collections.abc import Sequence
from types import UnionType
from typing import Any, get_args

import msgspec

from afresh.doors.rest.frontier.bodies import SeedList
from afresh.doors.rest.frontier.door import Operation
from afresh.doors.rest.openapi import TEMPLATE, completed
from afresh.doors.rest.problems import documented, phrase

_DESCRIPTION = """Sites and their pages, handed out as lists to fetchers that come and ask.

Times are ISO 8601 in UTC, durations are seconds. Errors are problem documents (RFC 9457). Paths may end in a slash."""


def document(operations: Sequence[Operation], *, version: str, prefix: str) -> dict[str, Any]:
    """The document as plain values."""
    types = [kind for op in operations for kind in (op.body, *_answers(op)) if kind is not None] + [SeedList]
    schemas, components = msgspec.json.schema_components(types, ref_template=TEMPLATE)
    by_type = {repr(kind): schema for kind, schema in zip(types, schemas, strict=True)}
    paths: dict[str, Any] = {}
    for op in operations:
        paths.setdefault(prefix + op.path, {})[op.method.lower()] = _operation(op, by_type)
    told = {"title": "afresh frontier", "version": version, "description": _DESCRIPTION}
    return completed({"openapi": "3.1.0", "info": told, "paths": paths, "components": {"schemas": components}})


def _answers(op: Operation) -> tuple[Any, ...]:
    """The types of its answer; there may be two."""
    return get_args(op.answer) if isinstance(op.answer, UnionType) else (op.answer,)


def _operation(op: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {
        "operationId": op.name,
        "summary": op.summary,
        "description": op.description,
        "tags": [op.tag],
        "responses": _responses(op, schemas),
    }
    if op.parameters:
        told["parameters"] = list(op.parameters)
    if op.body is not None:
        content: dict[str, Any] = {"schema": schemas[repr(op.body)]}
        if op.example is not None:
            content["example"] = op.example
        told["requestBody"] = {"required": True, "content": {"application/json": content}}
    if op.raw_types:
        told["requestBody"] = {"required": True, "content": {kind: _raw(op, kind, schemas) for kind in op.raw_types}}
    return told


def _raw(op: Operation, kind: str, schemas: dict[str, Any]) -> dict[str, Any]:
    if kind == "application/json":
        return {"schema": schemas[repr(SeedList)], "example": op.example}
    return {"schema": {"type": "string"}, "example": "https://www.example.com/\nhttps://www.example.org/\n"}


def _responses(op: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    done: dict[str, Any] = {"description": phrase(op.status)}
    if op.answer is not None:
        # Of lines, one is described: no schema speaks of them all.
        kinds = [schemas[repr(kind)] for kind in _answers(op)]
        schema = kinds[0] if len(kinds) == 1 else {"oneOf": kinds}
        schema = schema if op.media_type == "application/json" else {"type": "string"}
        done["content"] = {op.media_type: {"schema": schema}}
    statuses = {401, *op.problems} | ({400, 413, 415} if op.body is not None else set())
    problems = {str(status): told for status, told in documented(*sorted(statuses)).items()}
    return {str(op.status): done, **problems}
