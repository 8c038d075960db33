"""Schemas of checks: what could fetch, read a file or hang is an error at its place, and its case is left out."""

from __future__ import annotations

import http.server
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from aces_ci.core.suites.answer_schema import Unusable, problem, usable
from tests.dialects.suites import suite_of
from tests.traces.test_checks import told

SEEN: list[str] = []


class Door(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        SEEN.append(self.path)
        self.send_error(404)

    def log_message(self, format: str, *args: Any) -> None:
        """Silent."""


@pytest.fixture
def door() -> Iterator[str]:
    server = http.server.HTTPServer(("127.0.0.1", 0), Door)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/schema"
    server.shutdown()
    thread.join()
    server.server_close()


def test_nothing_is_fetched(door: str) -> None:
    assert told("json_schema", {"schema": {"$ref": door}}) is None
    assert told("json_schema", {"schema": {"allOf": [{"$id": door, "$ref": "#/a"}]}}) is None
    assert SEEN == []


DOUBLING: dict[str, Any] = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)}
BAD: list[tuple[dict[str, Any], str]] = [
    ({"$ref": "file:///etc/passwd"}, "the schema refers to 'file:///etc/passwd'"),
    ({"properties": {"a": {"$ref": "other.json"}}}, "the schema refers to 'other.json'"),
    ({"$ref": "#/title", "title": "x"}, "the schema refers to '#/title'"),
    ({"$ref": "#/$defs/none"}, "the schema refers to '#/$defs/none'"),
    ({"properties": {"a": {"$schema": "http://json-schema.org/draft-07/schema#"}}}, "`$id` and `$schema` are read"),
    ({"$schema": "http://example.org/own"}, "the schema's `$schema` is 'http://example.org/own'"),
    ({"$schema": 7}, "the schema's `$schema` is '7'"),
    ({"type": "nonsense"}, "the schema is none"),
    ({"type": ["string", "nonsense"]}, "the schema is none"),
    ({"properties": {"a": {"pattern": "(?=x)"}}}, "the schema's pattern `(?=x)` is not RE2"),
    ({"patternProperties": {"a": {}}}, "`patternProperties` is not supported"),
    ({"unevaluatedProperties": False}, "`unevaluatedProperties` is not supported"),
    ({"$dynamicRef": "#x"}, "`$dynamicRef` is not supported"),
    ({"$ref": "#/$defs/d0", "$defs": {**DOUBLING, "d40": {}}}, "the schema's references stand for more"),
    ({"properties": {"child": {"$ref": "#"}}}, "the schema's references stand for more"),
    ({"enum": list(range(3000))}, "the schema holds more than 2000 values"),
]


@pytest.mark.parametrize(("schema", "said"), BAD, ids=range(len(BAD)))
def test_it_is_refused_where_the_case_is_read(schema: dict[str, Any], said: str) -> None:
    began = time.process_time()
    row = {"id": "a", "prompt": "p", "expected_output": "x", "assertions": [{"check": "json_schema", "schema": schema}]}
    suite = suite_of({"evals/evals.json": {"evals": [row]}})
    (error,) = suite.errors
    assert error.message.startswith(said), error.message
    assert error.pointer == "/evals/0/assertions/0"
    assert error.line is not None
    assert told("json_schema", {"schema": schema}) is None
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    "name", ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"]
)
def test_usual_schemas_stay_usable(name: str) -> None:
    schema = {"$schema": name, "$id": "urn:x", "items": {"$ref": "#/$defs/a~1b"}, "$defs": {"a/b": {"type": "string"}}}
    assert problem(schema) is None
    assert usable(schema) == {"items": {"allOf": [{"type": "string"}]}}
    with pytest.raises(Unusable):
        usable({"properties": {1: {}}})  # type: ignore[dict-item]
