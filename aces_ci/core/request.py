"""Questions to the unprivileged reader, the lines on which they travel, and the values that answer them."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from aces_ci.core.errors import DeliveryError, UsageError
from aces_ci.core.pages import Pages
from aces_ci.core.skill import FileKind, Sibling, Skill, SkillFile, Snapshot
from aces_ci.core.suites.case import Case
from aces_ci.core.suites.run_policy import Grading

END = '{"end": true}'
"""The line after the last one of an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Everything that tier 1 needs to know of one skill. Answered by lines of evidence."""

    after: Snapshot
    before: Snapshot | None = None
    added: bool
    """Whether there was no skill before, so that all findings are new."""
    siblings: tuple[Sibling, ...] = ()
    """The skills an agent chooses from beside this one."""
    profile: str = "spec"
    disabled: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LinksOf:
    """Which repository paths a Markdown text of `folder` links to. Answered by them."""

    text: str
    folder: str
    plugin_root: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SiblingsOf:
    """What an agent sees of these skills before it chooses. Answered by a `Sibling` for each that has it."""

    snapshots: tuple[Snapshot, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillOf:
    """A skill as values. Answered by `Parsed`."""

    snapshot: Snapshot
    cap: int
    """Attempts at the plan's last look, which a skill may lower and not raise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PagesOf:
    """A report as texts. Answered by `Pages`."""

    report: str
    """Its JSON."""
    key: str
    """Which sticky comment it is for."""


Asked = Request | LinksOf | SiblingsOf | SkillOf | PagesOf
Answer = Literal["links", "siblings", "skill", "pages"]
"""What an answer of one value is to; tier 1 is answered by evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unusable:
    """Why a suite cannot be run: the parts of a `UsageError`."""

    message: str
    code: str
    path: str | None
    line: int | None
    why: str | None
    do: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A skill, and what its suite asks of an agent under its own run policy."""

    skill: Skill
    cases: tuple[Case, ...]
    attempts: int | None
    """The last look that the skill asks for; None: the plan's."""
    notes: tuple[str, ...]
    """What was left out, refused or not applied, each with its place."""
    grading: Grading
    unusable: Unusable | None = None

    def with_files_of(self, snapshot: Snapshot) -> Parsed:
        """The same with the bytes, which the parent has and nobody sends back."""
        return replace(self, skill=replace(self.skill, files=snapshot.files, outside=snapshot.outside))

    def bare(self) -> Parsed:
        """The same without bytes."""
        return replace(self, skill=replace(self.skill, files={}, outside=frozenset()))

    def usable(self) -> Parsed:
        """The same. Raises UsageError where the suite cannot be run."""
        if self.unusable is not None:
            raise UsageError(**asdict(self.unusable))
        return self


def to_line(asked: Asked) -> str:
    """One JSON object on one line; bytes as base64."""
    said: dict[str, Any]
    match asked:
        case Request():
            said = {
                "ask": "structure",
                "after": _dump(asked.after),
                "before": asked.before and _dump(asked.before),
                "added": asked.added,
                "siblings": [[each.path, each.name, each.description, each.body] for each in asked.siblings],
                "profile": asked.profile,
                "disabled": list(asked.disabled),
            }
        case LinksOf():
            said = {"ask": "links", "text": asked.text, "folder": asked.folder, "plugin_root": asked.plugin_root}
        case SiblingsOf():
            said = {"ask": "siblings", "snapshots": [_dump(snapshot) for snapshot in asked.snapshots]}
        case SkillOf():
            said = {"ask": "skill", "snapshot": _dump(asked.snapshot), "cap": asked.cap}
        case PagesOf():
            said = {"ask": "pages", "report": asked.report, "key": asked.key}
    return json.dumps(said)


def from_line(line: str) -> Asked:
    """The question again. The parent wrote it, so nothing here is checked."""
    data = json.loads(line)
    kind = data.pop("ask")
    if kind == "links":
        return LinksOf(**data)
    if kind == "siblings":
        return SiblingsOf(snapshots=tuple(_snapshot(row) for row in data["snapshots"]))
    if kind == "skill":
        return SkillOf(snapshot=_snapshot(data["snapshot"]), cap=data["cap"])
    if kind == "pages":
        return PagesOf(**data)
    return Request(
        after=_snapshot(data["after"]),
        before=_snapshot(data["before"]) if data["before"] else None,
        added=data["added"],
        siblings=tuple(
            Sibling(path=path, name=name, description=said, body=body) for path, name, said, body in data["siblings"]
        ),
        profile=data["profile"],
        disabled=tuple(data["disabled"]),
    )


@cache
def _adapter(answer: str) -> TypeAdapter[Any]:
    kinds: dict[str, Any] = {
        "links": frozenset[str],
        "siblings": tuple[Sibling, ...],
        "skill": Parsed,
        "pages": Pages,
    }
    return TypeAdapter(kinds[answer])


def value_line(answer: Answer, value: object) -> str:
    """An answer that is one value, on one line. Halves of surrogate pairs, which no text may hold, become `?`."""
    plain = _adapter(answer).dump_python(value, mode="json")
    return json.dumps(plain, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace").decode("utf-8")


def read_value(answer: Answer, line: str) -> Any:
    """That value, strictly: frozenset[str], tuple[Sibling, ...], `Parsed` or `Pages`.

    Raises:
        DeliveryError: it is none of that kind.
    """
    try:
        return _adapter(answer).validate_json(line, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise DeliveryError(
            "the unprivileged reader said something that is no answer",
            code="reader_said",
            at=f"{'.'.join(map(str, first['loc']))[:200]}: {first['msg'][:200]}",
            why="a file that it read may have taken it over, or it has a bug",
            do="look for an odd file in the changed skill; else report the line above",
        ) from None


def _dump(snapshot: Snapshot) -> Mapping[str, Any]:
    files = [
        [file.path, file.kind.value, file.size, None if file.data is None else base64.b64encode(file.data).decode()]
        for file in snapshot.files.values()
    ]
    return {"root": snapshot.root, "files": files, "outside": sorted(snapshot.outside)}


def _snapshot(data: Mapping[str, Any]) -> Snapshot:
    files = {
        path: SkillFile(path=path, kind=FileKind(kind), size=size, data=None if raw is None else base64.b64decode(raw))
        for path, kind, size, raw in data["files"]
    }
    return Snapshot(root=data["root"], files=files, outside=frozenset(data["outside"]))
