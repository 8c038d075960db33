"""One case as a JSON document in our own shape: the fields of `core.case.Case`, and nothing else."""

from __future__ import annotations

import json
from typing import Any

from pydantic import TypeAdapter, ValidationError

from aces_ci.core.errors import UsageError
from aces_ci.core.suites.case import Case

_ADAPTER: TypeAdapter[Case] = TypeAdapter(Case)


def claims(document: object) -> bool:
    """Whether a parsed document is a canonical case rather than somebody's dataset."""
    if not isinstance(document, dict) or not {"id", "prompt"} <= set(document):
        return False
    return set(document) <= set(Case.__dataclass_fields__)


def read(document: dict[str, Any], *, source: str) -> Case:
    """The case of a parsed document.

    Raises:
        UsageError: a field has a wrong type or value; says which.
    """
    try:
        return _ADAPTER.validate_json(json.dumps(document))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise UsageError(
            f"{source} is not a case",
            code="case",
            path=source,
            at="/" + "/".join(map(str, first["loc"])),
            why=first["msg"],
            do="compare it with docs/metrics.md, section `A case in one file`",
        ) from None
