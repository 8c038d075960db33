"""JSON of somebody else's job as text that every reader understands alike."""

from __future__ import annotations

import json
from typing import Any

from aces_ci.core.errors import UsageError
from aces_ci.core.report import SCHEMA_VERSION

BYTES = 4_000_000
DEPTH = 40
"""An honest report is 9 deep."""


def refused(code: str, why: str) -> UsageError:
    """The error of a report that is not posted: `code` names the rule that it broke."""
    return UsageError(
        "the report of the other job was refused, and nothing was posted",
        code=code,
        why=why,
        do="nothing is lost: that job's own log and summary have its results",
    )


def nothing_to_post(code: str, why: str, do: str) -> UsageError:
    """The error of a job that found no report, where nobody is to blame for what is in one."""
    return UsageError("there is no report to post", code=code, why=why, do=do)


def plain_json(data: bytes) -> str:
    """`data` as text that every JSON reader understands alike.

    Raises:
        UsageError: too long, not UTF-8, a byte order mark, doubled keys, not finite numbers, too deep, no
        object.
    """
    if len(data) > BYTES:
        raise refused("size", f"it is longer than {BYTES} bytes")
    if data.startswith(b"\xef\xbb\xbf"):
        raise refused("encoding", "it begins with a byte order mark")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise refused("encoding", "it is not UTF-8") from None
    try:
        document = json.loads(text, object_pairs_hook=_once, parse_constant=_finite)
    except RecursionError:
        raise refused("depth", f"it is nested deeper than {DEPTH} levels") from None
    except ValueError:
        raise refused("json", "it is not JSON") from None
    if _depth(document) > DEPTH:
        raise refused("depth", f"it is nested deeper than {DEPTH} levels")
    if not isinstance(document, dict):
        raise refused("json", "it is no JSON object")
    if document.get("schema_version") != SCHEMA_VERSION:
        raise refused("schema_version", f"its schema_version is not {SCHEMA_VERSION}")
    return text


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise refused("duplicate_key", "a key stands twice in one object, so readers would differ")
    return found


def _finite(name: str) -> None:
    raise refused("number", f"{name} is no number")


def _depth(document: object) -> int:
    """How deep lists and objects lie in each other, without recursion."""
    deepest = 0
    left: list[tuple[object, int]] = [(document, 1)]
    while left:
        node, depth = left.pop()
        deepest = max(deepest, depth)
        if isinstance(node, dict):
            left.extend((item, depth + 1) for item in node.values() if isinstance(item, dict | list))
        elif isinstance(node, list):
            left.extend((item, depth + 1) for item in node if isinstance(item, dict | list))
    return deepest
