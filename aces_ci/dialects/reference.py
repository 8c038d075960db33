"""SkillEvaluator's `evals/evals.json`: the object form whose cases name `expected_skill`, and its legacy list.

Paths begin at `evals/`; absent `files` means all of `evals/files`; an absent `expected_skill` of the object form is the
skill itself, an explicit null is a negative case.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aces_ci.dialects._rows import Shape, is_rows, read_rows
from aces_ci.ports.dialect import Document, Reading

_OBJECT = Shape(roots=("evals", ""), default_skill=True, all_files=True)
_LIST = Shape(prompt=("question", "prompt"), reference=("ground_truth", "expected_output"), roots=("evals", ""))
_OWN = ("expected_skill", "expected_script", "acceptable_skills", "acceptable_alternates")


@dataclass(frozen=True, slots=True)
class Reference:
    """JSON, JSON lines or YAML."""

    name: str = "skillevaluator"
    checked: str = (
        "NVIDIA/SkillEvaluator `docs/eval-datasets.mdx` at e70f0e3, and every `evals/evals.json` of NVIDIA/skills "
        "at 7149a88"
    )

    def claims(self, document: Document) -> bool:
        """A list with `question` or `prompt`, or `evals` of which one case names an expected skill or script."""
        data = document.data
        if is_rows(data, _is_legacy) or (data == [] and document.text.lstrip().startswith("[")):
            return True
        rows = data.get("evals") if isinstance(data, Mapping) else None
        return is_rows(rows, lambda row: any(key in row for key in _OWN))

    def read(self, document: Document) -> Reading:
        """All cases."""
        if isinstance(document.data, Mapping):
            return read_rows(document, document.data.get("evals"), _OBJECT, "/evals")
        return read_rows(document, document.data, _LIST, "")


def _is_legacy(row: Mapping[str, object]) -> bool:
    """JSON lines and lists say `question`, some `prompt`; a text `should_trigger` is a CSV's."""
    asks = "question" in row or "prompt" in row
    return asks and "query" not in row and not isinstance(row.get("should_trigger"), str)


DIALECT = Reference()
