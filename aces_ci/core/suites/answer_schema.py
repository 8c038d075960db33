"""The JSON schema of a check, made safe to apply: nothing is fetched, no text can make it hang.

A schema comes with the evals, so from whoever opened the change request. What is applied holds no reference at all:
each `$ref` is written out, which bounds the work, and what cannot be written out is refused when the case is read.
Dialect: JSON Schema 2020-12 without the keywords that `_REFUSED` names; patterns are RE2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

import re2
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError

NODE_LIMIT = 2_000
"""Values of a schema as it is written, and subschemas once every reference is written out."""
DEPTH_LIMIT = 64
_ONE = ("additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAPS = ("$defs", "definitions", "dependentSchemas", "properties")
_DEFINED = ("$defs", "definitions")
_DROPPED = frozenset({"$schema", "$id", "$anchor", "$dynamicAnchor", "$comment", "$vocabulary", "$ref", *_DEFINED})
_REFUSED = frozenset(
    {
        "$dynamicRef", "$recursiveRef", "$recursiveAnchor", "patternProperties", "unevaluatedItems",
        "unevaluatedProperties", "dependencies", "additionalItems",
    }
)  # fmt: skip
_DIALECTS = frozenset(
    {
        "json-schema.org/draft/2020-12/schema", "json-schema.org/draft/2019-09/schema",
        "json-schema.org/draft-07/schema", "json-schema.org/draft-06/schema",
    }
)  # fmt: skip
_QUIET = re2.Options()
_QUIET.log_errors = False


class Unusable(ValueError):
    """A schema that is not applied; the text says why, in a clause."""


def problem(given: Mapping[str, Any]) -> str | None:
    """Why a schema is not applied; None where it is."""
    try:
        usable(given)
    except Unusable as error:
        return str(error)
    return None


def usable(given: Mapping[str, Any]) -> Any:
    """The same schema with every reference written out and no name of a dialect in it.

    Raises:
        Unusable: it is no schema, refers to something else than a schema of its own, or is too large.
    """
    _bounded(given)
    named = given.get("$schema")
    if "$schema" in given and str(named).partition("://")[2].rstrip("#") not in _DIALECTS:
        raise Unusable(f"the schema's `$schema` is {str(named)[:60]!r}, which is not known here")
    schemas: dict[str, Any] = {}
    _collect(given, "", schemas)
    try:
        # Without formats: `regex` would be compiled by another engine than the one that is used.
        Draft202012Validator.check_schema(given, format_checker=FormatChecker(formats=()))
    except SchemaError as broken:
        raise Unusable(f"the schema is none: {' '.join(broken.message.split())[:80]}") from None
    return _Writer(schemas).written(given, 0)


def _bounded(given: object) -> None:
    stack, seen = [(given, 1)], 0
    while stack:
        node, level = stack.pop()
        seen += 1
        if seen > NODE_LIMIT:
            raise Unusable(f"the schema holds more than {NODE_LIMIT} values")
        if level > DEPTH_LIMIT:
            raise Unusable(f"the schema is nested deeper than {DEPTH_LIMIT} levels")
        if isinstance(node, Mapping):
            if not all(isinstance(key, str) for key in node):
                raise Unusable("the schema has a key that is no text")
            stack += [(value, level + 1) for value in node.values()]
        elif isinstance(node, list | tuple):
            stack += [(value, level + 1) for value in node]


def _collect(node: object, at: str, schemas: dict[str, Any]) -> None:
    """Every place of a schema by its JSON pointer: only these can be referred to."""
    schemas[at] = node
    if not isinstance(node, Mapping):
        return
    refused = sorted(_REFUSED & set(node))
    if refused:
        raise Unusable(f"`{refused[0]}` is not supported: it could be made to hang, or means something else elsewhere")
    if at and ("$id" in node or "$schema" in node):
        raise Unusable("`$id` and `$schema` are read at the top of a schema only")
    _pattern(node.get("pattern"))
    for key in _ONE:
        if key in node:
            _collect(node[key], f"{at}/{key}", schemas)
    for key in _LISTS:
        for index, item in enumerate(node[key] if isinstance(node.get(key), list | tuple) else ()):
            _collect(item, f"{at}/{key}/{index}", schemas)
    for key in _MAPS:
        for name, item in (node[key] if isinstance(node.get(key), Mapping) else {}).items():
            _collect(item, f"{at}/{key}/{name.replace('~', '~0').replace('/', '~1')}", schemas)


def _pattern(value: object) -> None:
    if not isinstance(value, str):
        return
    try:
        re2.compile(f"(?m){value}", _QUIET)
    except re2.error:
        raise Unusable(f"the schema's pattern `{value[:60]}` is not RE2") from None


class _Writer:
    """Writes references out, and counts what it writes."""

    def __init__(self, schemas: Mapping[str, Any]) -> None:
        self.schemas = schemas
        self.count = 0

    def written(self, node: Any, level: int) -> Any:
        """One subschema."""
        self.count += 1
        if self.count > NODE_LIMIT or level > DEPTH_LIMIT:
            raise Unusable(
                f"the schema's references stand for more than {NODE_LIMIT} schemas or {DEPTH_LIMIT} levels "
                "(one that contains itself stands for endlessly many)"
            )
        if not isinstance(node, Mapping):
            return node
        found = {key: value for key, value in node.items() if key not in _DROPPED}
        for key in _ONE:
            if key in found:
                found[key] = self.written(found[key], level + 1)
        for key in _LISTS:
            if key in found:
                found[key] = [self.written(item, level + 1) for item in found[key]]
        for key in _MAPS:
            if key in found:
                found[key] = {name: self.written(item, level + 1) for name, item in found[key].items()}
        if "$ref" in node:
            found["allOf"] = [*found.get("allOf", ()), self.written(self._target(node["$ref"]), level + 1)]
        return found

    def _target(self, reference: str) -> Any:
        pointer = unquote(reference[1:])
        if reference[:1] != "#" or pointer not in self.schemas:
            raise Unusable(f"the schema refers to {reference[:60]!r}, which is no schema of its own (`#/$defs/...`)")
        return self.schemas[pointer]
