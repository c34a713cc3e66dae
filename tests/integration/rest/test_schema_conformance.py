"""The REST door against its own OpenAPI document: generated requests, good and bad, never a 5xx."""

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from afresh.doors.rest import AuthSettings, create_app
from afresh.store import open_store
from tests.fakes.service_context import FakeContext, visit, watch

KEPT = Path(__file__).parents[3] / "docs" / "reference" / "openapi.json"
OPERATIONS = [
    (path, method)
    for path, operations in json.loads(KEPT.read_text(encoding="utf-8"))["paths"].items()
    for method in operations
]
EXAMPLES = 15
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    unsupported_method,
]


@pytest.fixture
def schema() -> Iterator[schemathesis.BaseSchema]:
    """A store of its own for each operation: what one of them deletes, another must still find."""
    with TemporaryDirectory() as folder:
        store = open_store(str(Path(folder) / "afresh.db"))
        for place in range(3):
            watch(store, f"https://s{place}.example/feed", title=f"Feed {place}", tags=("x",))
        visit(store, titles=["one", "two"], links=["https://s.example/1", ""])
        app = create_app(FakeContext(store), auth=AuthSettings(names=("localhost", "testserver")))
        yield schemathesis.openapi.from_asgi("/api/v1/openapi.json", app)
        store.close()


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_operations_keep_their_word(
    schema: schemathesis.BaseSchema, path: str, method: str, mode: GenerationMode
) -> None:
    operation = schema[path][method]
    if mode is GenerationMode.NEGATIVE and not (operation.definition.raw.get("parameters") or operation.body):
        return  # nothing can be wrong with a request that says nothing

    @given(case=operation.as_strategy(generation_mode=mode), number=st.integers(1, 4))
    @settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    def keeps_its_word(case: schemathesis.Case, number: int) -> None:
        if mode is GenerationMode.POSITIVE and "resource_id" in case.path_parameters:
            case.path_parameters["resource_id"] = number  # 1 to 3 are there, so that success is tried too
        case.call_and_validate(checks=CHECKS)

    keeps_its_word()
