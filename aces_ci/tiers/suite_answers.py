"""No case stages the answers: a fixture that is a file of the suite itself, or a copy of one, leaves its case out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from aces_ci.core.suites.answer_key import holds_answers
from aces_ci.core.suites.case import Case
from aces_ci.core.suites.eval_place import line_at, places
from aces_ci.core.suites.siblings import Siblings
from aces_ci.ports.dialect import Reading, Remark
from aces_ci.tiers.suite_reading import FileReading

_NAMED = ("/files", "/inputs/files", "/setup/files", "/environment/files", "/workspace", "/setup")
"""Where dialects name fixtures, below a case."""
_KeyOf = Callable[[str], str | None]
_KeyOfCase = Callable[[Case], tuple[str, str] | None]


def without_answers(files: Sequence[FileReading], siblings: Siblings) -> tuple[FileReading, ...]:
    """The same files; a case that would lay out tasks, answers or grades for an agent is an error at its place."""
    own = {file.path for file in files}
    # A case may stand in another file than the one that a dialect claimed.
    own |= {case.provenance.partition("#")[0] for file in files for case in file.reading.cases}
    copies = {hashlib.sha256(siblings[path]).hexdigest(): path for path in sorted(own) if path in siblings}
    answers: dict[str, str | None] = {}

    def key_of(source: str) -> str | None:
        """The file of the suite that a fixture is or copies."""
        if source not in answers:
            digest = hashlib.sha256(siblings[source]).hexdigest() if siblings.get(source) else ""
            answers[source] = source if source in own or holds_answers(source) else copies.get(digest)
        return answers[source]

    return tuple(replace(file, reading=_cleaned(file.reading, _by_case(key_of), siblings)) for file in files)


def _by_case(key_of: _KeyOf) -> _KeyOfCase:
    """By case: its first fixture with the file of the suite that it is or copies; each list of fixtures once."""
    known: dict[int, tuple[str, str] | None] = {}

    def found(case: Case) -> tuple[str, str] | None:
        # Cases share the lists of whole folders, so a list is looked through once however many cases name it.
        if id(case.files) not in known:
            pairs = ((file.source, key_of(file.source)) for file in case.files if file.source)
            known[id(case.files)] = next(((source, key) for source, key in pairs if key is not None), None)
        return known[id(case.files)]

    return found


def _cleaned(reading: Reading, key_of: _KeyOfCase, siblings: Siblings) -> Reading:
    kept: list[Case] = []
    errors = list(reading.errors)
    indexed: dict[str, Mapping[str, int]] = {}
    for case in reading.cases:
        found = key_of(case)
        if found is None:
            kept.append(case)
            continue
        source, answer = found
        path, _, pointer = case.provenance.partition("#")
        if path not in indexed:
            indexed[path] = places(path, siblings.text(path) or "")
        at = next((f"{pointer}{key}" for key in _NAMED if f"{pointer}{key}" in indexed[path]), pointer)
        line = line_at(indexed[path], at)
        said = f"fixture `{source[:80]}` of `{case.id}` "
        said += "belongs to the suite" if source == answer else f"is a copy of {answer[:80]}"
        message = f"{said}, so an agent could read the answers: the case is left out"
        hint = "put what the agent needs into evals/files, and name that"
        errors.append(Remark(path=path, line=line, pointer=at, message=message, hint=hint))
    return replace(reading, cases=tuple(kept), errors=tuple(errors))
