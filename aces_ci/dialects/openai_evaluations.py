"""`evaluations/*.json` of openai/skills: one object a file, with `query`, `expected_behavior`, `success_criteria`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from aces_ci.core.suites.case import Case
from aces_ci.dialects._checks import Graded
from aces_ci.dialects._notes import Notes
from aces_ci.dialects._reading import reading
from aces_ci.dialects._typed import case_id, prompt_at, texts_at
from aces_ci.ports.dialect import Document, Reading

_KNOWN = frozenset({"name", "query", "expected_behavior", "success_criteria", "skills"})


@dataclass(frozen=True, slots=True)
class OpenAIEvaluations:
    """Claimed by one object with a query and what is expected of the answer."""

    name: str = "openai-evaluations"
    checked: str = "openai/skills `skills/.curated/notion-meeting-intelligence/evaluations/` at f6b8344"

    def claims(self, document: Document) -> bool:
        """`query` with `expected_behavior` or `success_criteria`."""
        data = document.data
        return (
            isinstance(data, Mapping)
            and "query" in data
            and ("expected_behavior" in data or "success_criteria" in data)
        )

    def read(self, document: Document) -> Reading:
        """One case: the file's name is its id, since `name` is a title."""
        notes = Notes(document)
        data: Any = document.data
        query = prompt_at(data, "query", notes, "", "the case")
        identity = case_id(PurePosixPath(document.path).stem, notes, "", 1)
        if query is None or identity is None:
            return reading(notes, [])
        graded = Graded(notes)
        for key in ("expected_behavior", "success_criteria"):
            for text in texts_at(data, key, notes, ""):
                graded.sentence(text)
        skills = texts_at(data, "skills", notes, "")
        case = Case(
            id=identity,
            prompt=query,
            trigger=True if skills else None,
            expected_skill=document.skill_name if skills else None,
            acceptable_skills=tuple(name for name in skills if name != document.skill_name),
            behaviors=tuple(graded.behaviors),
            provenance=f"{document.path}#",
            unmapped=notes.unknown(data, _KNOWN),
        )
        return reading(notes, [case])


DIALECT = OpenAIEvaluations()
