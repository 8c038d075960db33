"""The JSON schema of what `evals create` writes: agentskills.io's file with the small form of checks."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from aces_ci.core.suites.case import Bucket, CheckKind, Role
from aces_ci.core.suites.check_args import FORMS

_TEXT = {"type": "string", "minLength": 1}
_SAID: dict[str, dict[str, Any]] = {
    "id": {"type": ["string", "integer"], "description": "A name of its own in its case."},
    "text": {"type": "string", "description": "What it says, for readers."},
    "role": {"enum": [role.value for role in Role], "description": "What it counts towards."},
    "weight": {"type": "number", "minimum": 0, "maximum": 1000, "default": 1},
}


def schema() -> dict[str, Any]:
    """Draft 2020-12."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "evals/evals.json as aces-ci writes it",
        "type": "object",
        "required": ["evals"],
        "properties": {
            "skill_name": _TEXT,
            "evals": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/case"}},
        },
        "$defs": {
            "case": {
                "type": "object",
                "required": ["id", "prompt"],
                "properties": {
                    "id": {"type": ["string", "integer"]},
                    "prompt": _TEXT,
                    "expected_output": {"type": ["string", "null"]},
                    "files": {"type": ["array", "string", "null"], "items": _TEXT},
                    "assertions": {"type": "array", "items": {"$ref": "#/$defs/assertion"}},
                    "should_trigger": {"type": ["boolean", "null"], "description": "false: the skill must stay out."},
                    "bucket": {"enum": [bucket.value for bucket in Bucket]},
                    "generated": {"type": "boolean", "description": "Drafted, and edited by nobody yet."},
                },
            },
            "assertion": {
                "anyOf": [
                    {**_TEXT, "description": "A sentence that a judge answers with yes or no."},
                    {"type": "object", "required": ["text"], "properties": _SAID, "additionalProperties": False},
                    *({"$ref": f"#/$defs/{kind.value}"} for kind in CheckKind),
                ]
            },
            **{kind.value: _check(kind) for kind in CheckKind},
        },
    }


def _check(kind: CheckKind) -> dict[str, Any]:
    form = FORMS[kind]
    either: list[dict[str, Any]] = [{"anyOf": [{"required": [name]} for name in names]} for names in form.needs]
    either += [{"not": {"required": list(pair)}} for names in form.alone for pair in combinations(names, 2)]
    role = {**_SAID["role"], "default": form.role.value}
    return {
        "type": "object",
        "required": ["check"],
        "additionalProperties": False,
        "properties": {
            "check": {"const": kind.value},
            **{name: dict(argument.schema) for name, argument in form.takes.items()},
            **_SAID,
            "role": role,
        },
        **({"allOf": either} if either else {}),
    }
