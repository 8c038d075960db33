"""Assertions that are objects: our small form, and the shapes seen in the wild mapped onto it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from aces_ci.core.suites.case import Behavior, Check, CheckKind, Role
from aces_ci.core.suites.check_args import FORMS, faults, role_of
from aces_ci.core.suites.contradictions import Contradictions
from aces_ci.dialects._notes import Notes, kind_of
from aces_ci.dialects._typed import weight_at

_SAID = ("text", "description", "name")
_LABELS = frozenset(_SAID)
_OWN = frozenset({"check", "type", "text", "description", "role", "weight", "id"})
_ID_LIMIT = 128
_LABEL = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{_ID_LIMIT - 1}}}")
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
    "contains_phrase": CheckKind.CONTAINS,
    "not_contains_phrase": CheckKind.NOT_CONTAINS,
    "contains_pattern": CheckKind.REGEX,
    "not_contains_pattern": CheckKind.NOT_REGEX,
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
    left: dict[str, Any] = field(default_factory=dict)
    """By its place (`graders/0`), what an assertion says that changes nothing here: kept with the case."""
    _seen: Contradictions = field(default_factory=Contradictions)

    @property
    def _number(self) -> int:
        return len(self.behaviors) + len(self.checks) + 1

    def copy(self) -> Graded:
        """The same so far, to go on with apart: what a suite asks of all its cases is read once."""
        return Graded(self.notes, [*self.behaviors], [*self.checks], dict(self.left), self._seen.copy())

    def weigh(self, since: tuple[int, int], weight: float) -> None:
        """Give what was added since (behaviours, checks) one weight."""
        if weight != 1.0:
            self.behaviors[since[0] :] = [replace(each, weight=weight) for each in self.behaviors[since[0] :]]
            self.checks[since[1] :] = [replace(each, weight=weight) for each in self.checks[since[1] :]]

    @property
    def counts(self) -> tuple[int, int]:
        """How many behaviours and checks there are."""
        return len(self.behaviors), len(self.checks)

    def beside(self, path: str) -> Graded:
        """The same, for graders that stand in another file."""
        return replace(self, notes=self.notes.beside(path))

    def sentence(
        self,
        text: str,
        role: Role = Role.MUST,
        weight: float = 1.0,
        number: int | None = None,
        *,
        name: str | None = None,
        at: str = "",
    ) -> None:
        """A sentence for a judge."""
        said = text.strip()
        self.behaviors.append(Behavior(id=name or f"b{number or self._number}", text=said, role=role, weight=weight))
        if role is Role.MUST_NOT:
            self._warn(self._seen.forbidden(said, at), at)

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
        check = Check(
            id=name or f"c{number or self._number}",
            kind=kind,
            role=role or role_of(kind),
            args=dict(args),
            text=text,
            weight=weight,
        )
        self.checks.append(check)
        self._warn(self._seen.added(check, at), at)
        return True

    def object(self, item: Mapping[str, Any], number: int, at: str) -> None:
        """Our own form (`check`), a private shape seen in the wild (`type`), or a sentence in an object."""
        named = item.get("check", item.get("type"))
        kind = WILD.get(named) if isinstance(named, str) else None
        role, weight = self._role(item, at), self._weight(item, at)
        source = next((key for key in _SAID if isinstance(item.get(key), str) and item[key].strip()), None)
        said = str(item[source]) if source else ""
        if named in IMPLIED:
            self.unused(item, frozenset({"check", "type", *_LABELS}), at)
            return
        if "check" in item and kind is None:
            known = ", ".join(kind.value for kind in CheckKind)
            self.notes.error(at, f"there is no check `{str(named)[:40]}`", f"write one of {known}")
            return
        if kind is None and source is None:
            self.notes.error(at, f"assertion {number} says neither a sentence nor a check", "see docs/evals.md, Checks")
            return
        name, taken = self._name(item, at, label=source != "name" and (kind is None or "name" not in FORMS[kind].takes))
        if taken:
            return
        used = {"role", "weight", "id", source, *(["name"] if name is not None and name == item.get("name") else [])}
        if kind is None:
            self.sentence(said, role or Role.MUST, weight, number, name=name, at=at)
            self.unused(item, frozenset(filter(None, used)), at)
            return
        args = arguments(kind, {key: value for key, value in item.items() if key not in _OWN})
        if kind is CheckKind.CONTAINS and not args and "check" not in item and said:
            # `{type: phrase, text}` as a public catalogue writes it: the text is the phrase.
            args = {"value": said}
        if self.check(kind, args, at, role=role, text=said, weight=weight, number=number, name=name):
            labels = {key: item[key] for key in _SAID if key in item and key not in FORMS[kind].takes}
            self.unused(labels, frozenset(filter(None, used)), at)

    def unused(self, item: Mapping[str, Any], known: frozenset[str], at: str) -> None:
        """Keys of an assertion or a grader that change nothing here: reported at their place, kept with the case."""
        kept = self.notes.unused(item, known, at)
        if kept:
            place = "/".join(at.strip("/").split("/")[-2:]) or self.notes.document.path
            self.left[place] = {**self.left.get(place, {}), **kept}

    def _name(self, item: Mapping[str, Any], at: str, *, label: bool) -> tuple[str | None, bool]:
        """(its own id, whether it is at fault): an `id`, or a label that could be one and that nothing else has."""
        given = item.get("id")
        others = {behavior.id for behavior in self.behaviors} | {check.id for check in self.checks}
        if given is not None:
            name = str(given).strip() if isinstance(given, str | int) and not isinstance(given, bool) else ""
            if not name or len(name) > _ID_LIMIT:
                self.notes.error(
                    f"{at}/id", f"`id` is {kind_of(given)}", f"write a text of at most {_ID_LIMIT} letters"
                )
                return None, True
            if name in others:
                self.notes.error(f"{at}/id", f"id `{name[:60]}` stands twice in this case", "give it an id of its own")
                return None, True
            return name, False
        shown = item.get("name") if label else None
        usable = isinstance(shown, str) and _LABEL.fullmatch(shown) is not None and shown not in others
        return (str(shown) if usable else None), False

    def _warn(self, said: str | None, at: str) -> None:
        if said:
            self.notes.warn(at, said, "write the opposite check, or remove one of them")

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
        return weight_at(item, self.notes, at)


def arguments(kind: CheckKind, given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments under our names, where theirs mean the same."""
    takes = FORMS[kind].takes
    args = {key: value for key, value in given.items() if key != "name" or "name" in takes}
    for theirs, ours in _RENAMED:
        if theirs in args and theirs not in takes and ours in takes and ours not in args:
            args[ours] = args.pop(theirs)
    return args
