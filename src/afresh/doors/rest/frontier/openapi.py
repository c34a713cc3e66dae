"""The frontier's OpenAPI document, made from the operations."""

from collections.abc import Sequence
from types import UnionType
from typing import Any, get_args

import msgspec

from afresh.doors.rest.frontier import bodies
from afresh.doors.rest.frontier.bodies import SeedList
from afresh.doors.rest.frontier.door import Operation
from afresh.doors.rest.frontier.operating import Activity
from afresh.doors.rest.openapi import TEMPLATE, completed
from afresh.doors.rest.problems import documented, phrase

_DESCRIPTION = """Sites and their pages, handed out as lists to fetchers that come and ask.

Times are ISO 8601 in UTC, durations are seconds. Errors are problem documents (RFC 9457). Paths may end in a slash."""
_FETCHER = "6f2c1f0e-8a50-4d1c-9a0f-2f6f6d0a6b1e"
_LIST_OF_ONE = {
    "fqdn": "www.example.com",
    "reservation": 4711,
    "fqdn_crawl_delay": 5.0,
    "url_list": [
        {"url": "https://www.example.com/", "links": ["https://www.example.com/next"], "bytes": 5120},
        {"url": "https://www.example.com/old", "result": "not_found"},
    ],
}
_TWO_URLS = [
    {"url": "https://www.example.com/", "due": "2030-01-01T00:00:00Z", "metadata": {"depth": ["1"]}},
    {"url": "https://www.example.com/next"},
]
#: An example of each body.
_EXAMPLES: dict[Any, dict[str, Any]] = {
    bodies.NewFetcher: {
        "contact": "ops@example.org",
        "name": "fetcher-1",
        "location": "Vienna",
        "tld_preference": "at",
    },
    bodies.ResetFetcher: {"uuid": _FETCHER, "tld_preference": "de"},
    bodies.ChangedFetcher: {"uuid": _FETCHER, "location": "Graz"},
    bodies.FetcherKey: {"uuid": _FETCHER},
    bodies.WantedList: {"fetcher_uuid": _FETCHER, "amount": 50, "length": 10},
    bodies.Results: {"uuid": _FETCHER, "key": "fetcher-1/17", "fqdns": [_LIST_OF_ONE]},
    bodies.AsideReport: {"uuid": _FETCHER, "fqdn": "e.org", "reservation": 4711, "url": "https://e.org/", "why": "500"},
    SeedList: {"urls": ["https://www.example.com/", {"url": "https://e.org/", "fqdn_crawl_delay": 2}]},
    bodies.Settings: {"sites": 50, "pages": 10, "partitioning": "consistent_hashing"},
    bodies.SettingsPatch: {"default_delay": 5, "revisit_after": None},
    bodies.ExampleDatabase: {"fqdn_amount": 20, "min_url_amount": 10, "max_url_amount": 100},
    bodies.Deletion: {"delete_urls": True, "delete_fqdns": True},
    Activity: {"active": False},
    bodies.CrawlKey: {"crawl": "news"},
    bodies.SiteControl: {"fqdn": "www.example.com", "crawl_delay": 5, "blocked_until": "2030-01-01T00:00:00Z"},
    bodies.SiteKey: {"fqdn": "www.example.com"},
    bodies.Delay: {"crawl_delay": 1.0},
    bodies.WantedUrls: {"sites": 50, "urls": 10, "seconds": 120},
    bodies.PutUrls: {"crawl": "news", "urls": _TWO_URLS},
}


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
        told["requestBody"] = {"required": True, "content": {"application/json": _body(op.body, schemas)}}
    if op.raw_types:
        told["requestBody"] = {"required": True, "content": {kind: _raw(kind, schemas) for kind in op.raw_types}}
    return told


def _body(kind: Any, schemas: dict[str, Any]) -> dict[str, Any]:
    return {"schema": schemas[repr(kind)], "example": _EXAMPLES[kind]}


def _raw(kind: str, schemas: dict[str, Any]) -> dict[str, Any]:
    if kind == "application/json":
        return _body(SeedList, schemas)
    return {"schema": {"type": "string"}, "example": "https://www.example.com/\nhttps://www.example.org/\n"}


def _responses(op: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    done: dict[str, Any] = {"description": phrase(op.status)}
    if op.answer is not None:
        # Of lines, one is described: no schema speaks of them all.
        kinds = [schemas[repr(kind)] for kind in _answers(op)]
        schema = kinds[0] if len(kinds) == 1 else {"oneOf": kinds}
        schema = schema if op.media_type == "application/json" else {"type": "string"}
        done["content"] = {op.media_type: {"schema": schema}}
    statuses = {401, 403, *op.problems} | ({400, 413, 415} if op.body is not None else set())
    problems = {str(status): told for status, told in documented(*sorted(statuses)).items()}
    return {str(op.status): done, **problems}
