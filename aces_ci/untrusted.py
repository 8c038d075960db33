"""Reads a change, and writes the reports, in processes that can do nothing else (docs/trust.md rule 9).

`python -I -m aces_ci.untrusted` imports and warms up everything that is needed, then reads two words from its standard
input, a socket: fork, and end a fork. It never sees a byte of the change. A fork has the three descriptors that came
with the word; it gives up its user, its right to open files and sockets and to start processes, its time and its
memory, and only then it reads. One question a line in, lines of an answer out; the parent takes nothing else from it.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import socket
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NoReturn

from aces_ci.changes.links import linked
from aces_ci.changes.parse import manifest_of, parse_skill
from aces_ci.compose import dialects, report_from_json, report_to_json, rules
from aces_ci.core import wire
from aces_ci.core.change import How
from aces_ci.core.errors import UsageError
from aces_ci.core.event import Event, EventKind
from aces_ci.core.evidence import ChangedSkill, Evidence, PolicySource, RunEnded, RunStarted
from aces_ci.core.request import (
    END,
    Asked,
    LinksOf,
    PagesOf,
    Parsed,
    Request,
    SiblingsOf,
    SkillOf,
    Unusable,
    from_line,
    to_line,
    value_line,
)
from aces_ci.core.rule import Profile
from aces_ci.core.skill import FileKind, Sibling, Skill, SkillFile, Snapshot, sibling_of
from aces_ci.core.suites.run_policy import Grading
from aces_ci.rendering import pages
from aces_ci.shell import collector
from aces_ci.shell.undumpable import undumpable
from aces_ci.shell.zygote import FORK, WORD
from aces_ci.tiers.assemble import assemble
from aces_ci.tiers.evals_guard import guard
from aces_ci.tiers.structural import assess
from aces_ci.tiers.suite_chosen import Chosen, chosen
from aces_ci.tiers.suite_policy import policy_of
from aces_ci.tiers.unreadable import unreadable

NOBODY = 65534
MEMORY = 3 * 1024**3
SECONDS = 60
"""Of a processor, for all that one reader is asked: one skill. The largest honest one takes two."""


_LIBC = ctypes.CDLL(None)
_DIE_WITH_PARENT, _NO_NEW_PRIVILEGES = 1, 38
"""prctl(2)."""


def answer(asked: Asked) -> Iterator[str]:
    """The lines that answer one question."""
    match asked:
        case Request():
            yield from map(wire.to_line, _structure(asked))
        case LinksOf():
            yield value_line("links", linked(asked.text, asked.folder, asked.plugin_root))
        case SiblingsOf():
            yield value_line("siblings", tuple(_siblings(asked.snapshots)))
        case SkillOf():
            yield value_line("skill", _parsed(asked).bare())
        case PagesOf():
            yield value_line("pages", pages(report_from_json(asked.report), asked.key))


def _parsed(asked: SkillOf) -> Parsed:
    skill = _skill(asked.snapshot)
    policy = policy_of(skill.files)
    unusable, suite = None, Chosen()
    try:
        suite = chosen(skill.root, skill.files, dialects(), skill_name=skill.name or skill.label, cap=asked.cap)
    except UsageError as error:
        unusable = Unusable(
            message=error.message, code=error.code, path=error.path, line=error.line, why=error.why, do=error.do
        )
    return Parsed(
        skill=skill,
        cases=suite.cases,
        attempts=suite.attempts,
        notes=suite.notes,
        grading=policy.policy.grading if policy else Grading.DEFAULT,
        unusable=unusable,
    )


def _structure(asked: Request) -> Iterator[Evidence]:
    """Structure and findings of one skill."""
    structure, findings = assess(
        _skill(asked.after),
        rules(),
        profile=Profile(asked.profile),
        before=_skill(asked.before) if asked.before else None,
        siblings=asked.siblings,
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
        if (sibling := sibling_of(skill)) is not None:
            yield sibling


def guarded(line: str) -> Iterator[str]:
    """As `answer`; a fault of ours on one skill's text is a word on that skill and costs the others nothing."""
    asked = from_line(line)
    if not isinstance(asked, Request):
        yield from answer(asked)
        return
    try:
        yield from list(answer(asked))
    except Exception as error:  # noqa: BLE001 - a hostile file may reach any bug; the next skill is still read
        frame = traceback.extract_tb(error.__traceback__)[-1]
        because = f"{type(error).__name__} in {frame.filename.rpartition('/')[2]}:{frame.lineno}"
        manifest = manifest_of(asked.after.files) or "SKILL.md"
        yield from map(wire.to_line, unreadable(asked.after.root, manifest, because))


def warm_up() -> None:
    """Meet every rule's first example and every kind of question, so that nothing is left to import."""
    # Codecs are modules too, found by name when the first text asks for one.
    for name in ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252", "ascii", "idna"):
        "x".encode(name)
    for rule in rules():
        for example in rule.examples[:1]:
            texts = {path: text.encode("utf-8", "surrogateescape") for path, text in example.files.items()}
            list(rule.check(parse_skill(root=example.directory, files=_files(texts))))
    # One evaluation file of every format, on both sides, so that their readers are imported too.
    evals = {"json": b'[{"id": "a", "prompt": "p"}]', "jsonl": b"{}", "yaml": b"a: 1", "csv": b"a,b", "md": b"# a"}
    texts = {f"evals/evals.{ending}": data for ending, data in {**evals, "toml": b""}.items()}
    both = Snapshot(root="probe", files=_files({**texts, "evals/config.yml": b"attempts: 1"}))
    questions: list[Asked] = [
        Request(after=both, before=both, added=False),
        SiblingsOf(snapshots=(both,)),
        SkillOf(snapshot=both, cap=8),
        LinksOf(text="[a](b)", folder="c"),
    ]
    structure = [wire.from_line(line) for line in answer(questions[0])]
    for forge in ("github", "gitlab", "local"):
        event = Event(kind=EventKind.CHANGE_REQUEST, forge=forge, repo="a/b", head_sha="0" * 40, change_request=1)
        start = RunStarted(event=event, merge_base="0" * 40, policy=PolicySource(ref="main"))
        skill = ChangedSkill(path="probe", name="probe", how=How.MODIFIED)
        report = assemble([start, skill, *structure, RunEnded(shard=None, seconds=0.0)])
        questions.append(PagesOf(report=report_to_json(report), key="default"))
    for asked in questions:
        list(answer(from_line(to_line(asked))))


def _files(texts: Mapping[str, bytes]) -> dict[str, SkillFile]:
    return {
        path: SkillFile(path=path, kind=FileKind.REGULAR, size=len(data), data=data) for path, data in texts.items()
    }


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
        # What is open stays open, and nothing more can be, not even in the place of one that was closed.
        (resource.RLIMIT_NOFILE, 0),
    ):
        resource.setrlimit(what, (limit, limit))
    if sys.platform == "linux":
        _LIBC.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        _LIBC.prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)


def serve(descriptors: Sequence[int]) -> None:
    """Answer on these three descriptors until the input ends, without rights."""
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
    # The line to the zygote, above all: whoever holds it may have processes started.
    os.closerange(3, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    give_up_rights()
    questions = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - a descriptor, for good
    answers = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    for line in questions:
        for row in guarded(line):
            answers.write(row + "\n")
        answers.write(END + "\n")
        answers.flush()


def _leave_after(descriptors: Sequence[int]) -> NoReturn:
    """The whole life of a fork; nothing of the zygote's own is unwound or run in it."""
    status = 1
    try:
        serve(descriptors)
        status = 0
    except BaseException:  # noqa: BLE001 - the parent reads its last line
        traceback.print_exc(file=open(2, "w", encoding="utf-8", closefd=False))  # noqa: SIM115
    finally:
        os._exit(status)


def main() -> None:
    """The zygote: forks and ends readers until its input ends."""
    undumpable()
    warm_up()
    collector.rarely()
    with socket.socket(fileno=os.dup(0)) as control:
        while True:
            word, descriptors, _, _ = socket.recv_fds(control, WORD, 3)
            if not word:
                return
            number = int.from_bytes(word[1:], "big", signed=True)
            if word[:1] == FORK:
                number = os.fork()
                if number == 0:
                    _leave_after(descriptors)
                for descriptor in descriptors:
                    os.close(descriptor)
            else:
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
                number = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
            control.sendall(number.to_bytes(WORD - 1, "big", signed=True))


if __name__ == "__main__":
    main()
