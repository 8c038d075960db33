"""A call in Python code as the place of a hazard."""

from __future__ import annotations

import ast

from aces_ci.core.finding import Confidence, Severity
from aces_ci.core.scripts.hazards.hazard import Hazard, Kind

SHOWN = 400
"""Characters of a call that a reader is shown."""


def at_call(
    call: ast.Call,
    source: str,
    kind: Kind,
    shape: str,
    severity: Severity,
    message: str,
    target: str | None,
    confidence: Confidence,
) -> Hazard:
    """The hazard at this call; `source` is the call as it stands, or as Python would write it."""
    return Hazard(
        kind=kind,
        shape=shape,
        severity=severity,
        message=message,
        command=0,
        line=call.lineno,
        column=call.col_offset + 1,
        end_line=call.end_lineno or call.lineno,
        end_column=(call.end_col_offset or call.col_offset) + 1,
        source=source[:SHOWN],
        target=target,
        confidence=confidence,
    )
