"""Values under a key as the type that they must have; every other type is a remark at its place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from aces_ci.dialects._notes import Notes, kind_of

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
WEIGHT_LIMIT = 1000


def text_at(row: Mapping[str, Any], key: str, notes: Notes, pointer: str) -> str | None:
    """A non-empty string, None where absent or null; another type is an error."""
    value = row.get(key)
    if value is None:
        return None
    if not isinstance(value, str):
        notes.error(f"{pointer}/{key}", f"`{key}` is {kind_of(value)}, not text", "write it as a string")
        return None
    return value if value.strip() else None


def texts_at(row: Mapping[str, Any], key: str, notes: Notes, pointer: str) -> list[str]:
    """A list of strings; one string counts as a list of one."""
    value = row.get(key)
    if value is None:
        return []
    rows = [value] if isinstance(value, str) else value
    if not isinstance(rows, list):
        notes.error(f"{pointer}/{key}", f"`{key}` is {kind_of(value)}, not a list", "write a list of strings")
        return []
    good = [item for item in rows if isinstance(item, str) and item.strip()]
    if len(good) < len(rows):
        notes.error(
            f"{pointer}/{key}", f"`{key}` holds {len(rows) - len(good)} items that are no text", "write strings"
        )
    return good


def list_at(row: Mapping[str, Any], key: str, notes: Notes, pointer: str) -> list[Any]:
    """A list, empty where absent or null; another type is an error."""
    value = row.get(key)
    if value is None or isinstance(value, list):
        return value or []
    notes.error(f"{pointer}/{key}", f"`{key}` is {kind_of(value)}, not a list", "write a list")
    return []


def mapping_at(row: Mapping[str, Any], key: str, notes: Notes, pointer: str) -> Mapping[str, Any]:
    """An object, empty where absent or null; another type is an error."""
    value = row.get(key)
    if value is None or isinstance(value, Mapping):
        return value or {}
    notes.error(f"{pointer}/{key}", f"`{key}` is {kind_of(value)}, not an object", "write `key: value` pairs")
    return {}


def flag_at(row: Mapping[str, Any], key: str, notes: Notes, pointer: str) -> bool | None:
    """True or false, None where absent or null; another type is an error, since "false" in quotes is no false."""
    value = row.get(key)
    if value is None or isinstance(value, bool):
        return value
    notes.error(f"{pointer}/{key}", f"`{key}` is {kind_of(value)}, not true or false", "write true or false, unquoted")
    return None


def weight_at(row: Mapping[str, Any], notes: Notes, pointer: str, key: str = "weight") -> float:
    """A number from 0 to `WEIGHT_LIMIT`, 1 where absent or null; anything else is an error."""
    value = row.get(key)
    if value is None:
        return 1.0
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= WEIGHT_LIMIT:
        return float(value)
    said = f"{value:.6g}" if isinstance(value, float) else kind_of(value)
    notes.error(f"{pointer}/{key}", f"`{key}` is {said}, not a number from 0 to {WEIGHT_LIMIT}", "write such a number")
    return 1.0


def case_id(value: object, notes: Notes, pointer: str, number: int) -> str | None:
    """A usable id: text or a whole number; anything else is an error. Absent: the position, with a warning."""
    if value is None:
        notes.warn(pointer, f"case {number} has no id", "give it one, so that results can be compared over time")
        return f"case-{number}"
    if isinstance(value, bool) or not isinstance(value, str | int):
        notes.error(f"{pointer}/id", f"`id` is {kind_of(value)}", "write letters, digits, dots, dashes")
        return None
    shown = str(value).strip()
    if _ID.fullmatch(shown) and len(shown) <= 128 and not shown.endswith("."):
        return shown
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", shown).strip("-.")[:120] or f"case-{number}"
    notes.warn(f"{pointer}/id", f"id `{shown[:60]}` is read as `{slug}`", "use letters, digits, dots, dashes")
    return slug


def prompt_at(row: Mapping[str, Any], key: str, notes: Notes, pointer: str, what: str) -> str | None:
    """The task of a case; that there is none is an error."""
    text = text_at(row, key, notes, pointer)
    if text is None and not (row.get(key) is not None and not isinstance(row.get(key), str)):
        notes.error(pointer, f"{what} has no {key}", f"write the task under `{key}`")
    return text


def trigger_at(row: Mapping[str, Any], key: str, notes: Notes, pointer: str) -> bool | None:
    """Whether the skill is to be used; what is neither true nor false leaves the case out, since a guess could be the
    opposite of what it is for.
    """
    value = row.get(key)
    if value is None or isinstance(value, bool):
        return value
    notes.refuse(f"{pointer}/{key}", f"`{key}` is {kind_of(value)}, not true or false", "write it unquoted")
    return None


def items_at(row: Mapping[str, Any], key: str, notes: Notes, pointer: str) -> list[Any]:
    """A list of texts or objects; one of them counts as a list of one."""
    value = row.get(key)
    return [value] if isinstance(value, str | Mapping) else list_at(row, key, notes, pointer)
