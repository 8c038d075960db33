"""`report.json`: exactly the Report, and the schema that describes it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from aces_ci.core.errors import UsageError
from aces_ci.core.report import Report
from aces_ci.ports.renderer import Place


@cache
def _adapter() -> TypeAdapter[Report]:
    return TypeAdapter(Report)


def schema() -> dict[str, Any]:
    """The JSON schema of report.json (draft 2020-12), published in `docs/schemas`."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_adapter().json_schema()}


def dump(report: Report) -> str:
    """The report as indented JSON."""
    return json.dumps(_adapter().dump_python(report, mode="json"), indent=1, allow_nan=False) + "\n"


def parse(text: str) -> Report:
    """A report from its JSON, strictly.

    Raises:
        UsageError: it is not one, with the place of the first fault.
    """
    try:
        return _adapter().validate_json(text, strict=True, extra="forbid")
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])[:200]
        raise UsageError(
            f"not a report of this version: {where or 'document'}: {first['msg']}",
            code="report_json",
            do="write it again with the same version of aces-ci",
        ) from None


@dataclass(frozen=True, slots=True)
class JsonReport:
    """ASCII only, so that no terminal and no log can be steered by it."""

    name: str = "json"
    filename: str = "report.json"

    def render(self, report: Report, place: Place) -> str:
        """As `dump`; links of the place do not enter it."""
        del place
        return dump(report)


RENDERER = JsonReport()
