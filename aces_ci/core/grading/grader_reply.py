"""What an author's grader left behind: an exit code and one bounded file, read without trust.

The files are the reference's: `reward.json` (`overall`, `custom_metrics`, `details`) or Harbor's flat object of named
rewards; `reward.txt` with one number. A crash is an error, whatever it wrote before.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from aces_ci.core.grading.dimensions import DIMENSIONS

REPLY_LIMIT = 256 * 1024
NAME_LIMIT = 80
METRICS_LIMIT = 50
RESERVED = frozenset(name for names in DIMENSIONS.values() for name in names) | frozenset(
    {"details", "entry_id", "evaluation_errors", "evaluation_status", "has_skill", "metric_set", "metrics", "overall"}
    | {"trajectory_source", "outcome", "outcome_checks", "accuracy_outcome", "composite"}
)
"""Names that a custom metric may not take: it would be mistaken for one of ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One number of a grader in [0, 1], and its reason."""

    value: float
    because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a grader said. `error` set: nothing of it counts."""

    overall: float | None = None
    metrics: Mapping[str, Mark] = field(default_factory=dict)
    error: str | None = None


def read(
    exit_code: int | None,
    reward_json: bytes | None,
    reward_txt: bytes | None,
    endings: frozenset[int] = frozenset({0}),
) -> Reply:
    """The reply of a grader that ended with `exit_code` (None: it was killed). Never raises.

    `endings` are the exit codes that are no crash.
    """
    if exit_code not in endings:
        ended = "was killed at its limit" if exit_code is None else f"ended with exit code {exit_code}"
        return Reply(error=f"the grader {ended}")
    if reward_json is not None:
        return _document(reward_json)
    if reward_txt is not None:
        try:
            return Reply(overall=_number(float(reward_txt.decode("ascii").strip()), "reward.txt"))
        except (ValueError, UnicodeDecodeError):
            return Reply(error="reward.txt is not one number from 0 to 1")
    return Reply(error="the grader wrote neither reward.json nor reward.txt")


def _document(data: bytes) -> Reply:
    if len(data) > REPLY_LIMIT:
        return Reply(error=f"reward.json is longer than {REPLY_LIMIT} bytes")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return Reply(error="reward.json is not JSON")
    if not isinstance(value, dict):
        return Reply(error="reward.json is not an object")
    try:
        return _nested(value) if {"overall", "custom_metrics"} & set(value) else _flat(value)
    except ValueError as error:
        return Reply(error=str(error))


def _nested(value: Mapping[str, object]) -> Reply:
    given = value.get("custom_metrics", {})
    details = value.get("details", {})
    if not isinstance(given, dict):
        raise ValueError("`custom_metrics` is not an object")
    marks = {
        _name(name): Mark(value=_number(_scored(number), name), because=_reason(details, name))
        for name, number in given.items()
    }
    if len(marks) > METRICS_LIMIT:
        raise ValueError(f"`custom_metrics` has more than {METRICS_LIMIT} entries")
    overall = value.get("overall")
    return Reply(overall=None if overall is None else _number(overall, "overall"), metrics=marks)


def _flat(value: Mapping[str, object]) -> Reply:
    """Harbor's shape: named rewards; `reward`, or the only one, is the whole."""
    marks = {name: Mark(value=_number(number, name)) for name, number in value.items()}
    if not marks or len(marks) > METRICS_LIMIT:
        raise ValueError("reward.json holds no rewards" if not marks else "reward.json holds too many rewards")
    whole = marks.get("reward") or (next(iter(marks.values())) if len(marks) == 1 else None)
    rest = {_name(name): mark for name, mark in marks.items() if name != "reward"}
    return Reply(overall=whole.value if whole else None, metrics=rest)


def _scored(value: object) -> object:
    return value.get("score") if isinstance(value, dict) else value


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"`{name[:NAME_LIMIT]}` is not a number")
    if not 0 <= value <= 1:
        raise ValueError(f"`{name[:NAME_LIMIT]}` is {value:g}, not from 0 to 1")
    return float(value)


def _name(name: str) -> str:
    if not name or len(name) > NAME_LIMIT or not name.replace("_", "").replace("-", "").replace(".", "").isalnum():
        raise ValueError("a custom metric has a name that is no word of letters, digits, `_`, `-` and `.`")
    if name in RESERVED:
        raise ValueError(f"`{name}` is a reserved name")
    return name


def _reason(details: object, name: str) -> str:
    entry = details.get(name) if isinstance(details, dict) else None
    reason = entry.get("reason") if isinstance(entry, dict) else None
    return " ".join(reason.split())[:300] if isinstance(reason, str) else ""
