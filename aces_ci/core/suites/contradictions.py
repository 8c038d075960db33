"""Assertions of one case that cannot hold together, or that count for the opposite of what they say."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from aces_ci.core.suites.case import Check, CheckKind, Role

_OPPOSITE: Mapping[CheckKind, CheckKind] = {
    CheckKind.CONTAINS: CheckKind.NOT_CONTAINS,
    CheckKind.REGEX: CheckKind.NOT_REGEX,
    CheckKind.FILE_EXISTS: CheckKind.FILE_ABSENT,
    CheckKind.FILE_MATCHES: CheckKind.FILE_NOT_MATCHES,
    CheckKind.COMMAND_RAN: CheckKind.COMMAND_NOT_RAN,
    CheckKind.TOOL_USED: CheckKind.TOOL_NOT_USED,
}
_NEGATIVE = {negative: positive for positive, negative in _OPPOSITE.items()}


@dataclass(slots=True)
class Contradictions:
    """What the assertions of a case said so far."""

    _wanted: dict[str, str] = field(default_factory=dict)
    """What must be found, and what must not, to where it is said."""
    _texts: dict[str, str] = field(default_factory=dict)
    _forbidden: dict[str, str] = field(default_factory=dict)

    def copy(self) -> Contradictions:
        """The same so far, to go on with apart."""
        return Contradictions(dict(self._wanted), dict(self._texts), dict(self._forbidden))

    def added(self, check: Check, at: str) -> str | None:
        """What is wrong with this check beside the earlier ones; None where nothing is."""
        opposite = _OPPOSITE.get(check.kind)
        if check.role is Role.MUST_NOT and opposite is not None:
            return f"`{check.kind.value}` passes where it is found; as a prohibition write `{opposite.value}`"
        kind = _NEGATIVE.get(check.kind, check.kind)
        negative = check.kind in _NEGATIVE
        for subject in _subjects(kind, check.args):
            other = self._wanted.get(f"{not negative}{subject}")
            if other is not None:
                return f"it can never pass together with the assertion at {other}"
            self._wanted.setdefault(f"{negative}{subject}", at)
        if check.kind is CheckKind.CONTAINS:
            for text in _texts(check.args):
                self._texts.setdefault(text.casefold(), at)
                if text.casefold() in self._forbidden:
                    return f"it wants what the assertion at {self._forbidden[text.casefold()]} forbids"
        return None

    def forbidden(self, text: str, at: str) -> str | None:
        """What is wrong with forbidding this; None where nothing is."""
        self._forbidden.setdefault(text.casefold(), at)
        other = self._texts.get(text.casefold())
        return None if other is None else f"it forbids what the assertion at {other} wants"


def _subjects(kind: CheckKind, args: Mapping[str, object]) -> Iterator[str]:
    """What a check looks for, so that two that look for the same thing agree."""
    rest = {key: value for key, value in args.items() if key not in ("value", "values", "min", "max", "name")}
    if kind is not CheckKind.CONTAINS:
        rest |= {key: args[key] for key in ("value",) if key in args}
        rest |= {"tool": args["name"]} if "name" in args else {}
        yield f"{kind.value} {json.dumps(rest, sort_keys=True, default=str)}"
        return
    folded = args.get("ignore_case") is True
    where = args.get("where", "answer")
    for text in _texts(args):
        yield f"{where} {text.casefold() if folded else text}"


def _texts(args: Mapping[str, object]) -> Iterator[str]:
    given = args.get("values", args.get("value"))
    for value in given if isinstance(given, list | tuple) else (given,):
        yield str(value)
