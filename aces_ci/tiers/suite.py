"""The evaluation suite of a skill: every file that some dialect claims, read; faults located; siblings still read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from aces_ci.core.skill import FileKind, SkillFile
from aces_ci.core.suites.answer_key import SUITE_FOLDERS
from aces_ci.core.suites.case import Case
from aces_ci.core.suites.case_size import SUITE_LIMIT, Scales
from aces_ci.core.suites.eval_place import line_at, places
from aces_ci.core.suites.eval_text import parse
from aces_ci.core.suites.siblings import Siblings
from aces_ci.ports.dialect import Dialect, Document, Reading, Remark
from aces_ci.tiers.suite_answers import without_answers
from aces_ci.tiers.suite_reading import FileReading, Suite

FOLDERS = (*SUITE_FOLDERS, "tests")
"""Where suites stand; a file elsewhere counts only when its name says so."""
_OURS = frozenset(SUITE_FOLDERS)
_ASKING = ("prompt", "question", "query", "instruction", "userInput", "user_input", "task", "input")
_ENDINGS = (".json", ".jsonl", ".ndjson", ".yaml", ".yml", ".csv", ".md", ".toml")
# Outputs of earlier runs and inputs of cases are no suites.
_NOT_SUITES = re.compile(r"results|files|fixtures|iteration-\d+|workspace|node_modules|environment")


def read_suite(files: Mapping[str, SkillFile], dialects: Sequence[Dialect], *, skill_name: str) -> Suite:
    """Read every evaluation file of a skill. Pure; never raises for any bytes.

    Args:
        files: all files of the skill, by skill-relative path.
        dialects: in any order; the first (by name) that claims a document reads it.
    """
    siblings = Siblings({path: file.data for path, file in files.items() if file.data is not None})
    found: list[FileReading] = []
    weight, scales = 0, Scales()
    for path in sorted(files, key=lambda path: (path.rpartition(".")[0] != "evals/evals", path)):
        if not candidate(path):
            continue
        read: FileReading | None
        if path not in siblings:
            read = _unread(path, files[path])
        else:
            read = _file(path, siblings, dialects, skill_name, full=weight > SUITE_LIMIT)
        if read is not None:
            found.append(read)
            weight += sum(map(scales.size_of, read.reading.cases))
    return Suite(files=without_answers(_without_doubles(found, siblings), siblings))


def _refused(path: str, message: str, hint: str, line: int | None = None) -> FileReading:
    remark = Remark(path=path, line=line, pointer="", message=message, hint=hint)
    return FileReading(path=path, dialect=None, reading=Reading(cases=(), errors=(remark,)))


def candidate(path: str) -> bool:
    """Whether a skill-relative path may hold cases."""
    pure = PurePosixPath(path)
    if not path.lower().endswith(_ENDINGS) or any(map(_NOT_SUITES.fullmatch, pure.parts[1:-1])):
        return False
    return pure.parts[0] in FOLDERS or any(
        word in pure.name.lower() for word in ("eval", "trigger", "prompts.csv", "promptfoo")
    )


def _unread(path: str, file: SkillFile) -> FileReading | None:
    """A suite whose bytes nobody has: a link, a pointer, or longer than files of a skill may be."""
    if not _meant(path) or path.lower().endswith((".md", ".toml")):
        return None
    message = f"not read: it is {file.kind.said}, not a regular file"
    remark = Remark(path=path, line=None, pointer="", message=message, hint="commit a plain file of its size or less")
    if file.kind is FileKind.OVERSIZE:
        remark = replace(remark, message=f"not read: {file.size} bytes are too many", hint="split it")
    return FileReading(path=path, dialect=None, reading=Reading(cases=(), errors=(remark,)))


def _named_so(path: str) -> bool:
    """Whether a file must be a suite: its name says so, and it lies where suites stand."""
    pure = PurePosixPath(path)
    data = pure.name.startswith(("evals.", "eval.", "dataset.")) and pure.suffix.lower() not in (".md", ".toml")
    return data and (len(pure.parts) == 1 or pure.parts[0] in FOLDERS)


def _asks(data: object, depth: int = 3) -> bool:
    """Whether data looks like cases of a format that nobody here knows: a list of objects that ask something."""
    if isinstance(data, Mapping):
        if "id" in data and any(isinstance(data.get(key), str) for key in _ASKING):
            return True
        return depth > 0 and any(_asks(value, depth - 1) for value in list(data.values())[:50])
    rows = data[:50] if isinstance(data, list) else ()
    return any(isinstance(row, Mapping) and any(key in row for key in _ASKING) for row in rows)


def _lone_prompt(path: str, siblings: Siblings) -> bool:
    """Whether a `prompt.md` stands in a folder of its own that no file of the suite speaks of."""
    pure = PurePosixPath(path)
    if pure.name != "prompt.md" or len(pure.parts) < 3 or pure.parts[0] not in _OURS:
        return False

    def data(folder: PurePosixPath) -> Iterator[str]:
        near = siblings.inside(str(folder))
        return (other for other in near if not other.endswith(".md") and other.endswith(_ENDINGS))

    return not any(data(pure.parent)) and not any(
        pure.name.encode() in siblings[other] for other in data(pure.parent.parent)
    )


def _meant(path: str) -> bool:
    """Whether a file that cannot be parsed is worth an error: in `tests` and elsewhere lie other files as well."""
    return _named_so(path) or PurePosixPath(path).parts[0] in _OURS


def _file(
    path: str, siblings: Siblings, dialects: Sequence[Dialect], skill_name: str, *, full: bool
) -> FileReading | None:
    """One file. `full`: the suite has no room for more cases, so a file that holds some is an error."""
    parsed = parse(path, siblings[path])
    if parsed.fault is not None:
        if not _meant(path):
            return None
        fault = parsed.fault
        return _refused(path, fault.message, fault.hint, fault.line)
    document = Document(path=path, data=parsed.data, text=parsed.text, siblings=siblings, skill_name=skill_name)
    for dialect in dialects:
        if dialect.claims(document):
            if full:
                said = f"not read: the suite holds more than {SUITE_LIMIT >> 20} MiB already"
                return _refused(path, said, "shorten what every case repeats", 1)
            return FileReading(path=path, dialect=dialect.name, reading=_never_silent(path, dialect.read(document)))
    if _lone_prompt(path, siblings):
        return _refused(path, "a prompt without graders is no case", "add graders/NAME.md", 1)
    if not _named_so(path) and not (_meant(path) and _asks(parsed.data)):
        return None
    hint = "see docs/evals.md for one example of each; agentskills.io's is the shortest"
    return _refused(path, "no dialect that aces-ci knows claims this file", hint, 1)


def _never_silent(path: str, reading: Reading) -> Reading:
    """A file that gives no case says why."""
    if reading.cases or reading.errors:
        return reading
    remark = Remark(path=path, line=1, pointer="", message="holds no case", hint="add one; aces-ci evals create drafts")
    return replace(reading, errors=(remark,))


def _without_doubles(files: Sequence[FileReading], siblings: Siblings) -> tuple[FileReading, ...]:
    """The first case keeps an id; another one with the same id is an error of its file, the same one a warning."""
    seen: dict[str, Case] = {}
    read = [replace(file, reading=_unique(file, seen, siblings)) for file in files]
    # A broken task is an error of its own file and of the suite that names it: one remark is enough.
    told: set[Remark] = set()
    kept = []
    for file in sorted(read, key=lambda file: file.dialect is None):
        fresh = tuple(error for error in file.reading.errors if error not in told)
        told.update(fresh)
        if fresh or file.reading.cases or not file.reading.errors:
            kept.append(replace(file, reading=replace(file.reading, errors=fresh)))
    order = [file.path for file in read]
    return tuple(sorted(kept, key=lambda file: order.index(file.path)))


def _unique(file: FileReading, seen: dict[str, Case], siblings: Siblings) -> Reading:
    found: dict[str, Mapping[str, int]] = {}
    kept, errors, warnings = [], list(file.reading.errors), list(file.reading.warnings)
    for case in file.reading.cases:
        first = seen.setdefault(case.id.casefold(), case)
        if first is case:
            kept.append(case)
            continue
        stands, _, pointer = case.provenance.partition("#")
        if stands not in found:
            found[stands] = places(stands, siblings.text(stands) or "")
        same = replace(case, provenance=first.provenance) == first
        message = (
            f"case `{case.id}` is read once: it stands at {first.provenance} as well"
            if same
            else f"id `{case.id}` is taken already (at {first.provenance})"
        )
        hint = "remove one of them" if same else "give it an id of its own"
        remark = Remark(path=stands, line=line_at(found[stands], pointer), pointer=pointer, message=message, hint=hint)
        (warnings if same else errors).append(remark)
    if not kept and not errors:
        errors.append(
            Remark(path=file.path, line=1, pointer="", message="holds no case of its own", hint="remove the copy")
        )
    return replace(file.reading, cases=tuple(kept), errors=tuple(errors), warnings=tuple(warnings))
