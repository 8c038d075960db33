"""Reads the bytes of a change in a process that can do nothing else (trust.md rule 9).

`python -I -m aces_ci.untrusted` imports and warms up everything it needs, then gives up its user, its right to open
files and sockets and to start processes, its time and its memory; only then it reads standard input. One JSON request
a line in, evidence lines out; the parent takes nothing else from it.
"""

from __future__ import annotations

import os
import resource
import sys
import traceback
from collections.abc import Iterator

from aces_ci.changes.parse import manifest_of, parse_skill
from aces_ci.compose import dialects, rules
from aces_ci.core import wire
from aces_ci.core.evidence import Evidence
from aces_ci.core.request import Request, from_line, to_line
from aces_ci.core.rule import Profile
from aces_ci.core.skill import FileKind, Sibling, Skill, SkillFile, Snapshot
from aces_ci.tiers.evals_guard import guard
from aces_ci.tiers.structural import assess
from aces_ci.tiers.unreadable import unreadable

NOBODY = 65534
MEMORY = 3 * 1024**3
SECONDS = 300
END = '{"end": true}'


def answer(line: str) -> Iterator[Evidence]:
    """Structure and findings for one request."""
    asked = from_line(line)
    structure, findings = assess(
        _skill(asked.after),
        rules(),
        profile=Profile(asked.profile),
        before=_skill(asked.before) if asked.before else None,
        siblings=tuple(_siblings(asked.siblings)),
        disabled=frozenset(asked.disabled),
        added=asked.added,
    )
    yield structure
    yield from findings
    if asked.before is not None:
        yield from guard(
            asked.before.files, asked.after.files, dialects(), root=asked.after.root, skill_name=structure.name
        )


def _skill(snapshot: Snapshot) -> Skill:
    return parse_skill(root=snapshot.root, files=snapshot.files, outside=snapshot.outside)


def _siblings(snapshots: tuple[Snapshot, ...]) -> Iterator[Sibling]:
    for snapshot in snapshots:
        try:
            skill = _skill(snapshot)
        except Exception:  # noqa: BLE001 - a neighbour's fault is told where the neighbour itself is read
            continue
        if skill.name and skill.description:
            yield Sibling(path=skill.root, name=skill.name, description=skill.description)


def guarded(line: str) -> Iterator[Evidence]:
    """As `answer`; a fault of ours on one skill is a word on that skill and costs the others nothing."""
    try:
        yield from list(answer(line))
    except Exception as error:  # noqa: BLE001 - a hostile file may reach any bug; the next skill is still read
        frame = traceback.extract_tb(error.__traceback__)[-1]
        because = f"{type(error).__name__} in {frame.filename.rpartition('/')[2]}:{frame.lineno}"
        asked = from_line(line)
        yield from unreadable(asked.after.root, manifest_of(asked.after.files) or "SKILL.md", because)


def warm_up() -> None:
    """Run every rule on its own first example, so that nothing is left to import when files are closed."""
    # Codecs are modules too, found by name when the first text asks for one.
    for name in ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252", "ascii", "idna"):
        "x".encode(name)
    for rule in rules():
        for example in rule.examples[:1]:
            files = {
                path: SkillFile(
                    path=path, kind=FileKind.REGULAR, size=len(text), data=text.encode("utf-8", "surrogateescape")
                )
                for path, text in example.files.items()
            }
            list(rule.check(parse_skill(root=example.directory, files=files)))
    # One evaluation file of every format, on both sides, so that their readers are imported too.
    texts = {
        "json": '[{"id": "a", "prompt": "p"}]',
        "jsonl": "{}",
        "yaml": "a: 1",
        "csv": "a,b",
        "md": "# a",
        "toml": "",
    }
    names = {f"evals/evals.{ending}": text for ending, text in texts.items()} | {"evals/config.yml": "attempts: 1"}
    files = {
        path: SkillFile(path=path, kind=FileKind.REGULAR, size=len(text), data=text.encode())
        for path, text in names.items()
    }
    both = Snapshot(root="probe", files=files)
    for evidence in answer(to_line(Request(after=both, before=both, added=False))):
        wire.to_line(evidence)


def give_up_rights() -> None:
    """No other user's files, no new descriptors, no new processes, bounded time and memory; for good."""
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    os.chdir("/")
    for what, limit in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, SECONDS),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
        # Descriptors 0 to 2 stay open; no file and no socket can be opened any more.
        (resource.RLIMIT_NOFILE, 3),
    ):
        resource.setrlimit(what, (limit, limit))


def main() -> None:
    """The program."""
    warm_up()
    give_up_rights()
    for line in sys.stdin:
        for evidence in guarded(line):
            sys.stdout.write(wire.to_line(evidence) + "\n")
        sys.stdout.write(END + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
