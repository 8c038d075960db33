"""The main job: event -> changed skills -> tiers -> evidence -> report -> files -> post -> exit code."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from aces_ci import __version__
from aces_ci.changes.compare import between, compare
from aces_ci.changes.git import Repository
from aces_ci.changes.load import manifests_in, snapshot_at
from aces_ci.changes.owner import MANIFEST
from aces_ci.changes.parse import manifest_of
from aces_ci.changes.weigh import weigh
from aces_ci.core.approval import Consent, Refusal
from aces_ci.core.change import Because, BecauseKind, ChangeSet, How, SkillChange
from aces_ci.core.errors import DeliveryError
from aces_ci.core.event import Event, EventKind
from aces_ci.core.evidence import (
    ChangedSkill,
    Evidence,
    PolicySource,
    RunEnded,
    RunStarted,
    Skipped,
    Structure,
    Tier,
)
from aces_ci.core.finding import Finding
from aces_ci.core.globs import matches
from aces_ci.core.reading.known_findings import Known
from aces_ci.core.repo_path import join, parent_of
from aces_ci.core.request import Request, SiblingsOf
from aces_ci.core.shards import of_shard
from aces_ci.core.skill import Sibling, Snapshot
from aces_ci.ports.runner import Completed
from aces_ci.settings.load import Loaded
from aces_ci.settings.model import Settings
from aces_ci.shell import process
from aces_ci.shell.reader import Reader
from aces_ci.tiers.assemble import blocked
from aces_ci.tiers.lint import Linted, check, scripts, told_apart, without
from aces_ci.tiers.purse import Purse
from aces_ci.tiers.unreadable import unreadable

_MANIFESTS = re.compile(rb"[\t/]SKILL\.md\Z")
_EVALS = re.compile(rb"(?s)[\t/]evals/.+\Z")
Sink = Callable[[Evidence], None]
Live = Callable[["Job", ChangeSet, Sink], None]
Judge = Callable[["Job", ChangeSet, Sink], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What one run works on; decided before anything of the head is read."""

    event: Event
    """With both SHAs resolved."""
    repository: Repository
    reader: Reader
    """Parses what the change holds, without rights."""
    loaded: Loaded
    policy: PolicySource
    purse: Purse
    """The run's money, or this shard's part of it: every tier that spends takes from it."""
    shard: tuple[int, int] | None = None
    consent: Consent = field(default_factory=Consent)
    server: str | None = None
    """The agents' model server, where the command line names one; the judge's may be another (`settings.judge`)."""
    recheck: Callable[[], Refusal | None] = lambda: None
    """Whether an approval to spend still holds, asked of the forge."""
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    known: Known = field(default_factory=Known)
    """What the default branch's baseline file lists."""
    blocked: frozenset[str] = frozenset()
    """Skills whose text alone breaks a gate that blocks, known after tier 1: no judge is asked about them."""

    def brings(self, path: Path) -> bool:
        """Whether the change itself holds that file, or a file below that folder: what no run of ours left there."""
        return self.repository.holds(self.event.head_sha, path)


def changed(job: Job) -> ChangeSet:
    """The skills this event is about, within the policy's globs and this shard."""
    event = job.event
    if event.base_sha is None:
        found = everything(job.repository, event)
    elif event.kind is EventKind.PUSH:
        found = between(job.repository, event.base_sha, event.head_sha)
    else:
        found = compare(job.repository, event.base_sha, event.head_sha, event.base_name)
    skills = job.loaded.settings.skills
    chosen = replace(
        found,
        skills=tuple(s for s in found.skills if _chosen(s.path, skills.include, skills.exclude)),
    )
    if job.shard is None:
        return chosen
    mine = of_shard(weigh(job.repository, chosen), job.shard)
    others = [skill for skill in chosen.skills if skill.path not in mine and skill.how is not How.DELETED]
    return replace(
        chosen,
        skills=tuple(skill for skill in chosen.skills if skill.path in mine),
        elsewhere=_with_evals(job.repository, chosen, others) if others else 0,
    )


def _with_evals(repository: Repository, changes: ChangeSet, skills: Sequence[SkillChange]) -> int:
    """How many have a file below `evals/` on either side: perhaps more than can be measured, never fewer."""
    commits = dict.fromkeys((changes.merge_base, changes.head))
    known = [path for commit in commits for path in repository.listing(commit, _EVALS)]
    roots = [dict.fromkeys((skill.path, skill.previous_path or skill.path)) for skill in skills]
    folders = [tuple(f"{join(root, 'evals')}/" for root in each) for each in roots]
    return sum(any(path.startswith(folder) for path in known) for folder in folders)


def everything(repository: Repository, event: Event) -> ChangeSet:
    """All skills of the head, where a schedule or a person asked for a branch as it is; else none."""
    if event.kind not in {EventKind.SCHEDULE, EventKind.DISPATCH}:
        return ChangeSet(merge_base=event.head_sha, head=event.head_sha, skills=())
    roots = sorted(parent_of(path) for path in repository.listing(event.head_sha, _MANIFESTS))
    skills = tuple(
        SkillChange(
            how=How.UNCHANGED,
            path=root,
            name=root.rsplit("/", 1)[-1],
            because=Because(kind=BecauseKind.OWN_FILE, path=join(root, MANIFEST)),
        )
        for root in roots
    )
    return ChangeSet(merge_base=event.head_sha, head=event.head_sha, skills=skills)


def evaluate(job: Job, changes: ChangeSet, sink: Sink, *, judge: Judge, live: Live) -> None:
    """Write all evidence of one run, or of one shard of it, as it arrives."""
    begun = time.monotonic()
    header = RunStarted(
        event=job.event,
        merge_base=changes.merge_base,
        policy=job.policy,
        settings={**deciding(job.loaded.settings), **job.consent.recorded()},
        unowned=changes.unowned,
        shard=job.shard,
        version=__version__,
        started=job.started.isoformat(timespec="seconds"),
    )
    read: list[Evidence] = []
    for row in chain((header,), structural(job, changes)):
        read.append(row)
        sink(row)
    if changes.skills:
        # The tier before took its time, and the head may have moved on meanwhile: asked before each that spends.
        judge(replace(asked_again(job), blocked=blocked(read)), changes, sink)
        live(asked_again(job), changes, sink)
    sink(RunEnded(shard=job.shard, seconds=round(time.monotonic() - begun, 3)))


def asked_again(job: Job) -> Job:
    """The same job, with the forge's word in place of an approval that does not hold any more."""
    refusal = job.recheck()
    return job if refusal is None else replace(job, consent=replace(job.consent, live=refusal))


def structural(job: Job, changes: ChangeSet) -> Iterator[Evidence]:
    """Tier 1 of every changed skill, read by a process without rights."""
    settings = job.loaded.settings.structural
    beside: dict[str, tuple[Sibling, ...]] = {}
    for change in changes.skills:
        if change.how is How.DELETED:
            yield _as_evidence(change, change.name, has_evals=False)
            continue
        after = snapshot_at(job.repository, changes.head, change.path)
        before = None
        if change.how is not How.ADDED:
            before = snapshot_at(job.repository, changes.merge_base, change.previous_path or change.path)
        if after is None:
            continue
        asked = Request(
            after=after,
            before=before,
            added=change.how is How.ADDED,
            siblings=_siblings(job, changes.head, change.path, beside),
            profile=settings.profile.value,
            disabled=settings.ignore,
        )
        rows = read_text(job.reader, asked)
        name = next((row.name for row in rows if isinstance(row, Structure)), change.name)
        yield _as_evidence(change, name, has_evals=any(path.startswith("evals/") for path in after.files))
        linted = _lint(change, before, after, asked.disabled) if settings.lint else Linted()
        yield from _settled(rows, linted, job.known, change.previous_path)


def _siblings(job: Job, commit: str, path: str, known: dict[str, tuple[Sibling, ...]]) -> tuple[Sibling, ...]:
    """The skills beside one, read once a folder; none where reading them failed: they are told where they change."""
    if path == ".":
        return ()
    folder = parent_of(path)
    if folder not in known:
        try:
            known[folder] = job.reader.siblings(SiblingsOf(snapshots=manifests_in(job.repository, commit, folder)))
        except DeliveryError:
            known[folder] = ()
    return tuple(sibling for sibling in known[folder] if sibling.path != path)


def read_text(reader: Reader, asked: Request) -> list[Evidence]:
    """Tier 1 of one skill; where the process that reads it dies of it, a word on this skill."""
    try:
        return list(reader.ask(asked))
    except DeliveryError as error:
        because = error.at or "its limits of time or memory"
    manifest = manifest_of(asked.after.files) or MANIFEST
    return list(unreadable(asked.after.root, manifest, because))


def _lint(change: SkillChange, before: Snapshot | None, after: Snapshot, disabled: Collection[str]) -> Linted:
    """Advice on the scripts that this change touches; linters get bytes and no configuration."""
    changed_files = frozenset(changed_below(change))
    linted = without(check(scripts(after, changed_files), _run_linter), disabled)
    at_base = check(scripts(before, changed_files), _run_linter).findings if before and linted.findings else ()
    return replace(linted, findings=told_apart(linted.findings, at_base))


def _settled(rows: Sequence[Evidence], linted: Linted, known: Known, previous: str | None) -> Iterator[Evidence]:
    """One skill's evidence, lint and rules alike: what a comment set aside is listed, what is known is left out."""
    found = [*(row for row in rows if isinstance(row, Finding)), *linted.findings]
    for row in rows:
        if isinstance(row, Structure):
            whole = replace(row, ignored={**row.ignored, **linted.ignored})
            structure, shown = known.settle(whole, found, previous=previous)
            yield structure
            yield from shown
        elif not isinstance(row, Finding):
            yield row
    yield from linted.skipped


def _run_linter(argv: Sequence[str], stdin: bytes) -> Completed:
    return process.run(argv, stdin=stdin)


def changed_below(change: SkillChange) -> Iterator[str]:
    """The changed paths of a skill as seen from it; paths outside it are left out."""
    for path in change.files:
        if change.path == ".":
            yield path
        elif path.startswith(f"{change.path}/"):
            yield path.removeprefix(f"{change.path}/")


def _as_evidence(change: SkillChange, name: str, *, has_evals: bool) -> ChangedSkill:
    return ChangedSkill(
        path=change.path,
        name=name or change.name,
        how=change.how,
        previous_path=change.previous_path,
        parts=change.parts,
        files=change.files,
        because=change.because,
        has_evals=has_evals,
    )


def not_installed(name: str) -> Live:
    """The live tier of an installation without its packages."""

    def run(job: Job, changes: ChangeSet, sink: Sink) -> None:
        because = f"live trials are not installed here ({name} is missing)"
        sink(Skipped(tier=Tier.LIVE, skill=None, code="not_installed", because=because))

    return run


def deciding(settings: Settings) -> dict[str, object]:
    """The settings that a verdict rests on, and how it is to be told, as plain data."""
    return settings.model_dump(
        mode="json",
        include={
            "structural": True,
            "judge": {"votes", "min_score", "calibration"},
            "gates": True,
            "live": True,
            "budget": True,
            "comment": True,
        },
    )


def _chosen(path: str, include: tuple[str, ...], exclude: tuple[str, ...]) -> bool:
    return any(matches(path, glob) for glob in include) and not any(matches(path, glob) for glob in exclude)
