"""The frontier's REST door against its own OpenAPI document: generated requests, good and bad, never a 5xx."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

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

from afresh import __version__
from afresh.doors.rest.frontier.app import API_PREFIX, operations
from afresh.doors.rest.frontier.example import make_example
from afresh.doors.rest.frontier.openapi import document
from tests.fakes.frontier_door import FrontierDoor

KEPT = Path(__file__).parents[3] / "docs" / "reference" / "frontier-openapi.json"
UPDATING = "AFRESH_UPDATE" in os.environ  # read here: tests run in a scrubbed environment
EXAMPLES = 10
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    unsupported_method,
]
OPERATIONS = [(op.path, op.method) for op in operations(dev=True)]


@pytest.fixture
def door() -> Iterator[FrontierDoor]:
    made = FrontierDoor(dev=True, names=("localhost", "testserver"), make_example=make_example)
    for name in ("one", "two"):
        made.register(name)
    made.add(*(f"https://s{n % 3}.example.com/{n}" for n in range(12)))
    yield made
    made.store.close()


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_operations_keep_their_word(door: FrontierDoor, path: str, method: str, mode: GenerationMode) -> None:
    schema = schemathesis.openapi.from_asgi(f"{API_PREFIX}/openapi.json", door.app)
    operation = schema[API_PREFIX + path][method]
    if mode is GenerationMode.NEGATIVE and not (operation.definition.raw.get("parameters") or operation.body):
        return  # nothing can be wrong with a request that says nothing
    uuids = [account.uuid for account in door.store.fetchers()]

    @given(case=operation.as_strategy(generation_mode=mode), place=st.integers(0, 2))
    @settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    def keeps_its_word(case: schemathesis.Case, place: int) -> None:
        if mode is GenerationMode.POSITIVE and isinstance(case.body, dict):
            for name in ("uuid", "fetcher_uuid"):
                if name in case.body and place < 2:
                    case.body[name] = uuids[place]  # so that success is tried too
            if path == "/database" and method == "POST":
                case.body.update(fetcher_amount=2, fqdn_amount=3, max_url_amount=5, connection_amount=1)
        case.call_and_validate(checks=CHECKS)

    keeps_its_word()


def test_kept_document_is_current() -> None:
    told = document(operations(dev=True), version=__version__, prefix=API_PREFIX)
    text = json.dumps(told, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    if UPDATING:
        KEPT.write_text(text, encoding="utf-8")
    assert KEPT.read_text(encoding="utf-8") == text, "run the test once with AFRESH_UPDATE=1 and read the diff"


def test_every_operation_is_described_with_an_example() -> None:
    told = document(operations(dev=True), version=__version__, prefix=API_PREFIX)
    for methods in told["paths"].values():
        for operation in methods.values():
            assert operation["summary"]
            assert operation["description"]
            for content in operation.get("requestBody", {}).get("content", {}).values():
                assert content["example"]
