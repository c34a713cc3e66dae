"""The OpenAPI document is the app's, and the kept one is the same."""

import os
from pathlib import Path

from afresh import __version__
from afresh.doors.rest import create_app, openapi_text
from tests.fakes.asgi_client import AsgiClient
from tests.fakes.service_context import FakeContext

UPDATE = "AFRESH_UPDATE" in os.environ  # read here: tests run in a scrubbed environment
KEPT = Path(__file__).parents[4] / "docs" / "reference" / "openapi.json"


def test_kept_document_is_current(context: FakeContext) -> None:
    context.version = __version__
    text = openapi_text(create_app(context).openapi())
    if UPDATE:
        KEPT.parent.mkdir(parents=True, exist_ok=True)
        KEPT.write_text(text, encoding="utf-8")
    assert KEPT.read_text(encoding="utf-8") == text, "run the test once with AFRESH_UPDATE=1 and read the diff"


def test_document_is_served_and_knows_one_shape_of_error(client: AsgiClient) -> None:
    document = client.get("/api/v1/openapi.json").json()
    assert "HTTPValidationError" not in document["components"]["schemas"]
    assert not any(path.startswith("/feeds") or path == "/" for path in document["paths"])
    for operations in document["paths"].values():
        for operation in operations.values():
            assert operation["summary"]
            assert operation["description"]
            for status, response in operation["responses"].items():
                if status == "422":
                    assert list(response["content"]) == ["application/problem+json"]
