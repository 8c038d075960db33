"""Assertions that are objects: our small form, and the shapes seen in the wild mapped onto it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aces_ci.core.suites.case import Behavior, Check, CheckKind, Role
from aces_ci.core.suites.check_args import FORMS, faults, role_of
from aces_ci.dialects._notes import Notes, kind_of

_SAID = ("text", "name", "description")
_OWN = frozenset({"check", "type", "text", "description", "role", "weight", "id"})
# Keys that the wild uses for what we call otherwise, by the argument they become where the kind takes it.
_RENAMED = (
    ("phrase", "value"), ("contains", "value"), ("regex", "pattern"), ("value", "pattern"), ("value", "path"),
    ("pattern", "value"), ("glob", "path"), ("file", "path"), ("value", "tool"), ("skill_name", "skill"),
)  # fmt: skip

IMPLIED = ("exit_success", "exit-success")
"""That the agent itself came to its end: the trial's own status says so, no check is needed."""
WILD: Mapping[str, CheckKind] = {
    **{kind.value: kind for kind in CheckKind},
    **{kind.value.replace("_", "-"): kind for kind in CheckKind},
    "contains_text": CheckKind.CONTAINS,
    "phrase": CheckKind.CONTAINS,
    "output_contains": CheckKind.CONTAINS,
    "output-contains": CheckKind.CONTAINS,
    "output_not_contains": CheckKind.NOT_CONTAINS,
    "output_matches": CheckKind.REGEX,
    "output_not_matches": CheckKind.NOT_REGEX,
    "output-not-contains": CheckKind.NOT_CONTAINS,
    "output-matches": CheckKind.REGEX,
    "output-not-matches": CheckKind.NOT_REGEX,
    "pattern": CheckKind.REGEX,
    "file_not_exists": CheckKind.FILE_ABSENT,
    "file-not-exists": CheckKind.FILE_ABSENT,
    "file_contains": CheckKind.FILE_MATCHES,
    "file-contains": CheckKind.FILE_MATCHES,
    "file_not_contains": CheckKind.FILE_NOT_MATCHES,
    "file-not-contains": CheckKind.FILE_NOT_MATCHES,
    "skill-used": CheckKind.SKILL_READ,
    "skill_triggered": CheckKind.SKILL_READ,
    "skill_invocation": CheckKind.SKILL_READ,
}
"""Every name under which a kind is met."""


@dataclass(slots=True)
class Graded:
    """What grades one case, in the order in which it was written."""

    notes: Notes
    behaviors: list[Behavior] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)

    @property
    def _number(self) -> int:
        return len(self.behaviors) + len(self.checks) + 1

    def sentence(self, text: str, role: Role = Role.MUST, weight: float = 1.0, number: int | None = None) -> None:
        """A sentence for a judge."""
        self.behaviors.append(Behavior(id=f"b{number or self._number}", text=text.strip(), role=role, weight=weight))

    def check(
        self,
        kind: CheckKind,
        args: Mapping[str, Any],
        at: str,
        *,
        role: Role | None = None,
        text: str = "",
        weight: float = 1.0,
        number: int | None = None,
        name: str | None = None,
    ) -> bool:
        """A check; or an error at its place where it could never be evaluated."""
        wrong = next(faults(kind, args), None)
        if wrong:
            self.notes.error(at, wrong, "see docs/evals.md, Checks")
            return False
        self.checks.append(
            Check(
                id=name or f"c{number or self._number}",
                kind=kind,
                role=role or role_of(kind),
                args=dict(args),
                text=text,
                weight=weight,
            )
        )
        return True

    def object(self, item: Mapping[str, Any], number: int, at: str) -> None:
        """Our own form (`check`), a private shape seen in the wild (`type`), or a sentence in an object."""
        said = next((str(item[key]) for key in _SAID if isinstance(item.get(key), str) and item[key].strip()), "")
        named = item.get("check", item.get("type"))
        kind = WILD.get(named) if isinstance(named, str) else None
        role, weight = self._role(item, at), self._weight(item, at)
        if named in IMPLIED:
            return
        if "check" in item and kind is None:
            known = ", ".join(kind.value for kind in CheckKind)
            self.notes.error(at, f"there is no check `{str(named)[:40]}`", f"write one of {known}")
        elif kind is not None:
            args = arguments(kind, {key: value for key, value in item.items() if key not in _OWN})
            if kind is CheckKind.CONTAINS and not args and "check" not in item and said:
                # `{type: phrase, text}` as a public catalogue writes it: the text is the phrase.
                args = {"value": said}
            name = str(item["id"]) if isinstance(item.get("id"), str | int) else None
            self.check(kind, args, at, role=role, text=said, weight=weight, number=number, name=name)
        elif said:
            self.sentence(said, role or Role.MUST, weight, number)
        else:
            self.notes.error(at, f"assertion {number} says neither a sentence nor a check", "see docs/evals.md, Checks")

    def _role(self, item: Mapping[str, Any], at: str) -> Role | None:
        value = item.get("role")
        if value is None:
            return None
        if isinstance(value, str) and value in set(Role):
            return Role(value)
        roles = ", ".join(role.value for role in Role)
        self.notes.error(f"{at}/role", f"there is no role `{str(value)[:40]}`", f"write one of {roles}")
        return None

    def _weight(self, item: Mapping[str, Any], at: str) -> float:
        value = item.get("weight", 1.0)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1000:
            return float(value)
        self.notes.error(f"{at}/weight", f"`weight` is {kind_of(value)}, not a number from 0", "write a number")
        return 1.0


def arguments(kind: CheckKind, given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments under our names, where theirs mean the same."""
    takes = FORMS[kind].takes
    args = {key: value for key, value in given.items() if key != "name" or "name" in takes}
    for theirs, ours in _RENAMED:
        if theirs in args and theirs not in takes and ours in takes and ours not in args:
            args[ours] = args.pop(theirs)
    return args
