"""The OpenAPI document: what the app says about itself, kept in ``docs/reference/openapi.json``."""

import json
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter

from afresh.doors.rest.problems import MEDIA_TYPE, Problem

_PROBLEM = {"$ref": "#/components/schemas/Problem"}


def openapi_document(app: FastAPI) -> dict[str, Any]:
    """The document, with the one error shape in place of FastAPI's own."""
    document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    schemas: dict[str, Any] = document["components"]["schemas"]
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    problem = TypeAdapter(Problem).json_schema(ref_template="#/components/schemas/{model}")
    schemas.update(problem.pop("$defs", {}))
    schemas["Problem"] = problem
    document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    for operations in document["paths"].values():
        for operation in operations.values():
            _describe_errors(operation)
    return document


def openapi_text(app: FastAPI) -> str:
    """The document as it is kept: sorted and indented, so that a change is a readable diff."""
    return json.dumps(openapi_document(app), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _describe_errors(operation: dict[str, Any]) -> None:
    responses: dict[str, Any] = operation["responses"]
    responses.pop("422", None)
    if operation.get("parameters") or operation.get("requestBody"):
        responses["422"] = {
            "description": "A parameter or field makes no sense.",
            "content": {MEDIA_TYPE: {"schema": _PROBLEM}},
        }
    responses["default"] = {
        "description": "Any other error: 401 no token, 403 another site's page, 421 unknown host name, ...",
        "content": {MEDIA_TYPE: {"schema": _PROBLEM}},
    }
