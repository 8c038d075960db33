"""What a report of `aces-ci live` needs beside the runs, and the report itself: the same as of `run`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from aces_ci import __version__, live_tier, pipeline, publication
from aces_ci.changes.git import Repository
from aces_ci.changes.load import skill_at
from aces_ci.changes.owner import Owners
from aces_ci.changes.worktree import Found
from aces_ci.core.change import How
from aces_ci.core.errors import UsageError
from aces_ci.core.event import Event, EventKind
from aces_ci.core.evidence import ChangedSkill, Evidence, PolicySource, RunEnded, RunStarted, Skipped, Tier
from aces_ci.core.plan import TrialPlan
from aces_ci.core.policy_file import POLICY_FILE
from aces_ci.core.repo_path import join
from aces_ci.core.request import Request
from aces_ci.core.skill import FileKind, Skill, SkillFile, Snapshot
from aces_ci.jobs.live_order import Wanted
from aces_ci.settings.model import Settings
from aces_ci.shell.files import Folder
from aces_ci.shell.reader import Reader
from aces_ci.shell.zygote import Zygote
from aces_ci.tiers.assemble import assemble
from aces_ci.tiers.schedule import code_of

NO_COMMIT = "0" * 40
"""Of a folder that is in no repository, or in one that holds no commit yet."""


def begun(
    wanted: Wanted,
    settings: Settings,
    plan: TrialPlan,
    skills: Sequence[Found],
    before: Mapping[str, Skill],
    zygote: Zygote,
    *,
    cap: float | None,
    isolated: bool,
) -> Iterator[Evidence]:
    """The lines before the first run: what is compared by whose rules, and what the text is worth."""
    yield _header(wanted, settings, plan, skills, cap)
    with Reader(zygote) as reader:
        for item in skills:
            previous = before.get(item.root)
            yield _skill(item, previous, compared=wanted.base is not None)
            asked = Request(
                after=_snapshot(item),
                before=None if previous is None else _snapshot(previous),
                added=wanted.base is not None and previous is None,
                profile=settings.structural.profile.value,
                disabled=settings.structural.ignore,
            )
            yield from pipeline.read_text(reader, asked)
    yield Skipped(tier=Tier.JUDGE, skill=None, code="not_asked", because="`live` asks no judge about the text")
    for subject in plan.subjects:
        yield live_tier.planned(subject, plan, isolated=isolated)


def ended(stopped: str | None, decided: str | None, seconds: float) -> Iterator[Evidence]:
    """The lines after the last run. `stopped`: why no further one started; `decided`: the same, where a look did it."""
    if stopped and stopped != decided:
        yield Skipped(tier=Tier.LIVE, skill=None, code=code_of(stopped), because=stopped)
    yield RunEnded(seconds=round(seconds, 3))


def write(rows: Iterable[Evidence], folder: Folder, key: str, zygote: Zygote) -> None:
    """Every file of a report. Raises DeliveryError; the evidence is on disk then, for `aces-ci report`."""
    for name, text in publication.rendered(assemble(rows), key, zygote).texts.items():
        folder.write(name, text)


def _header(
    wanted: Wanted, settings: Settings, plan: TrialPlan, skills: Sequence[Found], cap: float | None
) -> RunStarted:
    ran = {skill.root: skill.files for subject in plan.subjects for skill in subject.lineup.support}
    head, base, changed = _commits(wanted, ran | {item.root: item.files for item in skills})
    deciding = pipeline.deciding(settings)
    # What the command line narrowed is what was planned.
    live = settings.live.model_copy(
        update={
            "arms": plan.design.arms,
            "attempts": settings.live.attempts.model_copy(update={"looks": plan.design.looks}),
        }
    )
    budget = settings.budget.model_copy(update={"usd": cap})
    named = wanted.config or wanted.repo / POLICY_FILE
    return RunStarted(
        event=Event(
            kind=EventKind.LOCAL,
            forge="local",
            repo=wanted.repo.resolve().name,
            head_sha=head,
            base_sha=None if wanted.base is None else base,
            base_ref=wanted.base,
            worktree=changed,
        ),
        merge_base=base,
        policy=PolicySource(ref="working tree", path=named.name)
        if named.exists()
        else PolicySource(ref="built-in defaults"),
        settings={**deciding, "live": live.model_dump(mode="json"), "budget": budget.model_dump(mode="json")},
        version=__version__,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _commits(wanted: Wanted, ran: Mapping[str, Mapping[str, SkillFile]]) -> tuple[str, str, bool]:
    """The commit that is checked out, the merge base, and whether skills that run are not as that commit has them."""
    try:
        with Repository.open(wanted.repo, "live") as repository:
            head = repository.resolve("HEAD")
            base = head if wanted.base is None else repository.merge_base(repository.resolve(wanted.base), head)
            there = ((skill_at(repository, head, root), files) for root, files in ran.items())
            return head, base, any(skill is None or _bytes(skill.files) != _bytes(files) for skill, files in there)
    except UsageError:
        if wanted.base is not None:
            raise
        return NO_COMMIT, NO_COMMIT, True


def _bytes(files: Mapping[str, SkillFile]) -> dict[str, tuple[FileKind, bytes | None]]:
    return {path: (file.kind, file.data) for path, file in files.items()}


def _skill(item: Found, previous: Skill | None, *, compared: bool) -> ChangedSkill:
    skill = item.skill()
    old = {} if previous is None else {path: file.data for path, file in previous.files.items()}
    new = {path: file.data for path, file in item.files.items()}
    files = sorted(path for path in {*old, *new} if old.get(path) != new.get(path)) if previous else []
    owners = Owners(manifests={item.root: skill.manifest})
    if not compared or (previous is not None and not files):
        how = How.UNCHANGED
    else:
        how = How.ADDED if previous is None else How.MODIFIED
    paths = tuple(join(item.root, path) for path in files)
    return ChangedSkill(
        path=item.root,
        name=skill.name or skill.label,
        how=how,
        parts=tuple(dict.fromkeys(owners.part(item.root, path) for path in paths)),
        files=paths,
        has_evals=any(path.startswith("evals/") for path in item.files),
    )


def _snapshot(skill: Found | Skill) -> Snapshot:
    return Snapshot(root=skill.root, files=skill.files, outside=skill.outside)
