"""What a judge is shown of a trial: the part that the item chose, without arm, skill names and SKILL.md.

Leniency to one arm is the error that no interval shows, so readings of skills are cut out, their names and
folders are masked, and rows are numbered anew: two trials that differ only by having read a skill give the
same evidence. What the agent says between its calls is left out as well: it proves nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import re2

from aces_ci.core.asking.quoting import ELISION, cleaned, cut, folded, unmarked
from aces_ci.core.grading.judged import Locus
from aces_ci.core.grading.subject import Subject
from aces_ci.core.trace.actions import Action
from aces_ci.core.trace.shell_reads import without
from aces_ci.core.trace.skills import SkillRead
from aces_ci.core.trace.tools import Deed, path_in

RESULT_LIMIT = 1_500
"""Characters of one result; its head and tail are kept."""
ANSWER_LIMIT = 6_000
FILE_LIMIT = 3_000
FILES_LIMIT = 8
TOTAL_LIMIT = 30_000
"""Characters of all rows together; rows in the middle give way."""
QUOTE_LEAST = 3
"""Characters of a quote that may stand anywhere in a text."""
HIDDEN = "[name]"
WITHHELD = "[not shown, because it holds another text as well]"
_HOMES = (".claude/", ".agents/", ".codex/", ".opencode/", ".gemini/", ".qwen/", ".cursor/", "skills/")
_CONTENT = ("content", "file_text", "new_string", "new_str", "newString", "patch", "input", "diff")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row as it is shown. `number` is its own, `step` the trace's; 0 for a file."""

    number: int
    step: int
    shown: Mapping[str, Any]
    texts: tuple[str, ...]
    """Its texts, white space folded: where a quote has to be found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All rows of one locus of one trial."""

    rows: tuple[Row, ...]
    truncated: bool = False

    def step_of(self, number: int, quote: str) -> int | None:
        """The trace's step of a row that holds the quote, white space apart; None where it does not."""
        wanted = folded(quote)
        for row in self.rows:
            if row.number == number and any(_holds(text, wanted) for text in row.texts):
                return row.step
        return None


def evidence(subject: Subject, locus: Locus) -> Evidence:
    """The rows of a locus, masked and cut to size."""
    mask = Mask(subject)
    rows: list[tuple[int, dict[str, Any]]] = []
    if locus is not Locus.OUTCOME:
        rows += [(each.step, row) for each in subject.actions for row in shown_calls(each, subject, mask, locus)]
    else:
        rows += _files(subject, mask)
    answer = subject.trajectory.answer
    if answer:
        rows.append((answer[0], {"answer": cut(mask(answer[1]), ANSWER_LIMIT)}))
    else:
        rows.append((0, {"answer": None, "note": "the run ended without a final answer"}))
    kept, truncated = _fitted(rows)
    return Evidence(
        rows=tuple(
            Row(number=number, step=step, shown={"row": number, **shown}, texts=_foldeds(shown))
            for number, (step, shown) in enumerate(kept, start=1)
        ),
        truncated=truncated or any(ELISION in _texts(shown) for _, shown in kept),
    )


def _holds(text: str, wanted: str) -> bool:
    """A quote of one or two characters proves something only where it is all there is."""
    return wanted in text if len(wanted) >= QUOTE_LEAST else bool(wanted) and wanted == text


def _foldeds(shown: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(folded(part) for value in shown.values() if value is not None for part in unmarked(str(value)))


def shown_calls(action: Action, subject: Subject, mask: Mask, locus: Locus) -> Iterator[dict[str, Any]]:
    """The rows of one call. What read a skill is cut out; what the same call did beside it stays."""
    here = [read for read in subject.reads if read.action == action.number]
    if here and locus is Locus.READINGS:
        yield from (_reading(read, subject) for read in here)
    if not here:
        yield _call(action, mask)
        return
    rest = without(action, {read.at for read in here})
    if rest is not None:
        yield _call(replace(action, script=rest, output=_without_skills(action.output, subject)), mask)


def _reading(read: SkillRead, subject: Subject) -> dict[str, Any]:
    """A place at which a skill was opened, for an item that asks about it; its text stays hidden."""
    what = HIDDEN if subject.cast.is_target(read.name) else "[another skill]"
    result = {True: "its text came back", False: "nothing of it came back", None: None}[read.worked]
    return {"call": "opens", "what": what, "result": result}


def _without_skills(output: str | None, subject: Subject) -> str | None:
    """An output without the lines of skills that it holds; the whole is cut where their text is not known."""
    if output is None:
        return None
    known = {" ".join(line.split()) for text in subject.cast.texts.values() for line in text.splitlines()} - {""}
    if not known:
        return WITHHELD
    return "\n".join(line for line in output.splitlines() if " ".join(line.split()) not in known).strip("\n")


class Mask:
    """Hides the skills of a trial's stage, and characters that nobody can see."""

    def __init__(self, subject: Subject) -> None:
        names = sorted({name for name in subject.cast.names if name}, key=len, reverse=True)
        joined = "|".join(re2.escape(name) for name in names) or r"\z\A"
        self._folder = re2.compile(rf"(?i)[\w./~$%@+-]*/?(?:skills?|runtime)/(?:{joined})(/|\b)")
        self._name = re2.compile(
            rf"(?i)(?:\b(?:the|an?|my|your)\s+)?[`'\"*]{{0,2}}\b(?:{joined})\b[`'\"*]{{0,2}}(?:\s+skill\b)?"
        )
        self._manifest = re2.compile(r"(?i)\bSKILL\.md\b")

    def __call__(self, text: str) -> str:
        """The text, masked."""
        clean = cleaned(text)
        clean = self._folder.sub(HIDDEN + r"\1", clean)
        clean = self._name.sub(HIDDEN, clean)
        return str(self._manifest.sub(HIDDEN, clean))


def _call(action: Action, mask: Mask) -> dict[str, Any]:
    if action.script is not None:
        call = action.script
    else:
        call = json.dumps(dict(action.arguments), ensure_ascii=False, sort_keys=True, default=str)
    result = None if action.output is None else cut(mask(action.output), RESULT_LIMIT)
    shown: dict[str, Any] = {"call": action.deed.value, "what": cut(mask(call), RESULT_LIMIT), "result": result}
    if action.code is not None:
        shown["exit_code"] = action.code
    return shown


def _files(subject: Subject, mask: Mask) -> Iterator[tuple[int, dict[str, Any]]]:
    """Files that were left behind; without a collected workspace, what write calls put into them."""
    if subject.workspace is None:
        writes = [action for action in subject.actions if action.deed is Deed.WRITE and action.failed is not True]
        for action in writes[-FILES_LIMIT:]:
            text = next((str(action.arguments[key]) for key in _CONTENT if key in action.arguments), "")
            name = path_in(action.arguments) or "?"
            yield action.step, {"file": mask(name), "content": cut(mask(text), FILE_LIMIT)}
        return
    given = {file.target: (file.content or "").encode() for file in subject.case.files}
    own = [
        (path, data)
        for path, data in sorted(subject.workspace.items())
        if not path.startswith(_HOMES) and given.get(path) != data
    ]
    for path, data in own[:FILES_LIMIT]:
        try:
            content = cut(mask(data.decode("utf-8")), FILE_LIMIT)
        except UnicodeDecodeError:
            content = f"[{len(data)} bytes that are not text]"
        yield 0, {"file": mask(path), "content": content}


def _fitted(rows: Sequence[tuple[int, dict[str, Any]]]) -> tuple[list[tuple[int, dict[str, Any]]], bool]:
    sizes = [len(_texts(shown)) for _, shown in rows]
    if sum(sizes) <= TOTAL_LIMIT:
        return list(rows), False
    kept = set(range(len(rows)))
    middle = sorted(kept - {len(rows) - 1}, key=lambda at: abs(at - len(rows) // 2))
    total = sum(sizes)
    for at in middle:
        if total <= TOTAL_LIMIT:
            break
        kept.discard(at)
        total -= sizes[at]
    return [rows[at] for at in sorted(kept)], True


def _texts(shown: Mapping[str, Any]) -> str:
    return "\n".join(str(value) for key, value in shown.items() if key != "row" and value is not None)
