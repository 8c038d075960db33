"""GitHub's published description, cut down to what aces-ci calls, and a check of recorded traffic against it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from openapi_schema_validator import OAS30Validator
from referencing import Registry
from referencing.jsonschema import DRAFT4

from tests.fakes.server import Exchange

SOURCE = Path(__file__).parent / "node_modules/@octokit/openapi/generated/api.github.com.json"
_REPO = "/repos/{owner}/{repo}"
CALLED: dict[str, tuple[str, ...]] = {
    "/user": ("get",),
    _REPO: ("get",),
    f"{_REPO}/issues/{{issue_number}}": ("get",),
    f"{_REPO}/issues/{{issue_number}}/comments": ("get", "post"),
    f"{_REPO}/issues/{{issue_number}}/events": ("get",),
    f"{_REPO}/issues/{{issue_number}}/labels/{{name}}": ("delete",),
    f"{_REPO}/issues/comments/{{comment_id}}": ("get", "patch", "delete"),
    f"{_REPO}/issues/comments/{{comment_id}}/reactions": ("post",),
    f"{_REPO}/pulls": ("get",),
    f"{_REPO}/pulls/{{pull_number}}": ("get",),
    f"{_REPO}/git/trees/{{tree_sha}}": ("get",),
    f"{_REPO}/git/blobs/{{file_sha}}": ("get",),
    f"{_REPO}/collaborators/{{username}}/permission": ("get",),
    f"{_REPO}/check-runs": ("post",),
    f"{_REPO}/check-runs/{{check_run_id}}": ("patch",),
    f"{_REPO}/actions/runs/{{run_id}}": ("get",),
    f"{_REPO}/actions/runs/{{run_id}}/approvals": ("get",),
    f"{_REPO}/actions/runs/{{run_id}}/artifacts": ("get",),
    f"{_REPO}/actions/artifacts/{{artifact_id}}/{{archive_format}}": ("get",),
}


@cache
def description() -> dict[str, Any]:
    """The whole description."""
    return json.loads(SOURCE.read_text("utf-8"))  # type: ignore[no-any-return]


@cache
def subset() -> dict[str, Any]:
    """Only the operations above and the components that they reach.

    GitHub's own media type is added to every reply: prism answers 406 to a client that asks for it otherwise.
    """
    whole = description()
    paths = {
        path: {key: deepcopy(value) for key, value in whole["paths"][path].items() if key in methods}
        for path, methods in CALLED.items()
    }
    components: dict[str, dict[str, Any]] = {}
    left: list[Any] = [paths]
    while left:
        node = left.pop()
        if isinstance(node, dict):
            reference = node.get("$ref")
            if isinstance(reference, str) and reference.startswith("#/components/"):
                _, _, kind, name = reference.split("/")
                if name not in components.setdefault(kind, {}):
                    components[kind][name] = deepcopy(whole["components"][kind][name])
                    left.append(components[kind][name])
            left.extend(node.values())
        elif isinstance(node, list):
            left.extend(node)
    for operations in paths.values():
        for operation in operations.values():
            for reply in operation["responses"].values():
                _also_vendor(reply)
    for reply in components.get("responses", {}).values():
        _also_vendor(reply)
    kept = {key: value for key, value in whole.items() if key in ("openapi", "info", "servers")}
    return {**kept, "paths": paths, "components": components}


def _also_vendor(reply: dict[str, Any]) -> None:
    content = reply.get("content", {})
    if "application/json" in content:
        content.setdefault("application/vnd.github+json", content["application/json"])


def example(name: str) -> dict[str, Any]:
    """One of the description's example objects."""
    return deepcopy(description()["components"]["examples"][name]["value"])  # type: ignore[no-any-return]


@dataclass(slots=True)
class Checker:
    """Says what of recorded traffic the description does not allow."""

    _registry: Any = field(init=False)

    def __post_init__(self) -> None:
        resource = DRAFT4.create_resource(subset())
        self._registry = Registry().with_resource("urn:github", resource)

    def problems(self, exchanges: list[Exchange]) -> Iterator[str]:
        """One line for each request or reply that is not as described; GraphQL and
        the artifact store have no description here."""
        for exchange in exchanges:
            if exchange.request.path != "/graphql" and not exchange.request.path.startswith("/storage/"):
                yield from self._of(exchange)

    def _of(self, exchange: Exchange) -> Iterator[str]:
        request, answer = exchange.request, exchange.answer
        found = self._operation(request.method.lower(), request.path)
        where = f"{request.method} {request.path}"
        if found is None:
            yield f"{where}: no such operation"
            return
        pointer, operation = found
        schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
        if schema is not None:
            yield from self._schema(
                f"{where}: body", f"{pointer}/requestBody/content/application~1json/schema", request.body
            )
        elif request.body is not None:
            yield f"{where}: a body where none is described"
        known = {self._resolved(row).get("name") for row in operation.get("parameters", ())}
        for name in set(request.query) - known:
            yield f"{where}: no parameter {name}"
        status = str(answer.status)
        if status not in operation["responses"]:
            if answer.status < 400:
                yield f"{where}: no reply {status}"
            return
        if isinstance(answer.body, bytes) or answer.body is None or answer.status >= 400:
            return
        reply = self._resolved(operation["responses"][status])
        if "application/json" in reply.get("content", {}):
            yield from self._schema(
                f"{where}: reply", f"{pointer}/responses/{status}/content/application~1json/schema", answer.body
            )

    def _schema(self, where: str, pointer: str, value: object) -> Iterator[str]:
        validator = OAS30Validator({"$ref": f"urn:github#{pointer}"}, registry=self._registry)
        for error in validator.iter_errors(value):
            yield f"{where}: {'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"

    @staticmethod
    def _resolved(row: dict[str, Any]) -> dict[str, Any]:
        if "$ref" in row:
            _, _, kind, name = row["$ref"].split("/")
            return subset()["components"][kind][name]  # type: ignore[no-any-return]
        return row

    @staticmethod
    def _operation(method: str, path: str) -> tuple[str, dict[str, Any]] | None:
        # The more literal path first: /issues/comments/{id} before /issues/{number}/….
        for template in sorted(CALLED, key=lambda text: text.count("{")):
            if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path) and method in subset()["paths"][template]:
                escaped = template.replace("~", "~0").replace("/", "~1")
                return f"/paths/{escaped}/{method}", subset()["paths"][template][method]
        return None
