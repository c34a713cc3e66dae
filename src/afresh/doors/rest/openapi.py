"""OpenAPI documents: what every REST door says about errors and tokens, added to what it says about its operations."""

import json
from typing import Any

import msgspec

from afresh.doors.rest.problems import MEDIA_TYPE, Problem

TEMPLATE = "#/components/schemas/{name}"
_PROBLEM = {MEDIA_TYPE: {"schema": {"$ref": TEMPLATE.format(name="Problem")}}}


def completed(document: dict[str, Any]) -> dict[str, Any]:
    """The document, with the one error shape in place of a framework's own."""
    components: dict[str, Any] = document["components"]
    schemas: dict[str, Any] = components["schemas"]
    for name in ("HTTPValidationError", "ValidationError"):  # FastAPI's
        schemas.pop(name, None)
    schemas.update(msgspec.json.schema_components([Problem], ref_template=TEMPLATE)[1])
    components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    document["security"] = [{}, {"token": []}]
    for operations in document["paths"].values():
        for operation in operations.values():
            _describe_errors(operation)
    return document


def openapi_text(document: dict[str, Any]) -> str:
    """The document as it is kept: sorted and indented, so that a change is a readable diff."""
    return json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _describe_errors(operation: dict[str, Any]) -> None:
    responses: dict[str, Any] = operation["responses"]
    responses.pop("422", None)
    if operation.get("parameters") or operation.get("requestBody"):
        responses["422"] = {"description": "A parameter or field makes no sense.", "content": _PROBLEM}
    responses["default"] = {
        "description": "Any other error: 401 no token, 403 another site's page, 421 unknown host name, ...",
        "content": _PROBLEM,
    }
