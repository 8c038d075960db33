"""Tier 3 in the main job: who may start it, what is compared, trials to scores, and a word wherever it did not run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from aces_ci import agent_images, compose, diagnosing, equipping, grading, remembering, resuming, trialling
from aces_ci.changes.load import snapshot_at
from aces_ci.core.change import ChangeSet, How, SkillChange
from aces_ci.core.errors import AcesError, DeliveryError, UsageError
from aces_ci.core.event import Trust
from aces_ci.core.evidence import Planned, Skipped, Tier
from aces_ci.core.inert import plain
from aces_ci.core.plan import ISOLATED, Subject, TrialPlan, arms_of, looks_of, make_live_plan, staged_lineup
from aces_ci.core.request import Parsed, SkillOf
from aces_ci.core.skill import Skill
from aces_ci.judging import CACHE
from aces_ci.pipeline import Job, Sink
from aces_ci.ports.sandbox import SandboxLost
from aces_ci.resuming import Earlier
from aces_ci.shell.evidence_file import OutputSink
from aces_ci.shell.files import Folder
from aces_ci.statistics.power import attainable
from aces_ci.tiers import live
from aces_ci.tiers.live_trigger import refused, without_cases
from aces_ci.tiers.narrowed import NONE_NAMED, narrowed
from aces_ci.tiers.schedule import code_of

Say = Callable[[str], None]


def tier(env: Mapping[str, str], folder: Folder, say: Say, found: Earlier) -> Callable[[Job, ChangeSet, Sink], None]:
    """What the main job calls. A refusal, a missing key or daemon is a word in the evidence, never an exit code."""

    def run(job: Job, changes: ChangeSet, sink: Sink) -> None:
        word = refused(job.event, job.consent, job.loaded.settings.live.when)
        if word is not None:
            sink(word)
            return
        left = LeftOut()
        subjects = list(subjects_of(job, changes, left))
        for note in left.notes:
            say(f"live: {plain(note, 300)}")
        told = {*(subject.skill for subject in subjects), *(row.skill or "" for row in left.skills)}
        for missing in (*left.skills, *without_cases(changes, told)):
            sink(missing)
        if not subjects:
            return
        try:
            _measure(job, subjects, changes.elsewhere, env, OutputSink(sink, folder), say, found)
        except AcesError as error:
            # Nothing was spent: the key, the harness or the plan does not fit. The text's verdict stands.
            sink(Skipped(tier=Tier.LIVE, skill=None, code=error.code, because=error.message))
        except SandboxLost as error:
            sink(Skipped(tier=Tier.LIVE, skill=None, code="no_docker", because=str(error)[:200]))

    return run


def _measure(
    job: Job,
    subjects: Sequence[Subject],
    elsewhere: int,
    env: Mapping[str, str],
    sink: OutputSink,
    say: Say,
    found: Earlier,
) -> None:
    settings = job.loaded.settings
    # What may not run at all is said before images are built for it.
    design = replace(trialling.design_of(settings, job.event.trust), elsewhere=elsewhere)
    box, harnesses = compose.sandbox(settings.live.sandbox.backend), compose.harnesses()
    reach = trialling.access(env, trialling.server_of(settings, job.server), in_container=box.isolates)
    rig = equipping.Rig(
        settings=settings,
        env=env,
        folder=sink.folder,
        sandbox=box,
        harnesses=harnesses,
        reach=reach,
        purse=job.purse,
    )
    equipping.affordable(rig, found, lambda text: say(f"live: {text}"), parts=job.shard[1] if job.shard else 1)
    skills = [skill for subject in subjects for skill in subject.lineup.target]
    own = agent_images.environment_of(skills, job.event.trust)
    gateway = agent_images.gateway_of(box, env)
    images = agent_images.images_for(settings, harnesses, box, env=env, environment=own)
    who = trialling.contenders(settings, harnesses, reach, images)
    subjects = trialling.plannable(subjects, who, design, lambda left, why: _left(left, why, sink, say))
    plan = make_live_plan(subjects, who, design, attainable=attainable, done=found.trials)
    beside = resuming.beside(found, plan)
    if beside.trials != found.trials:
        found = beside
        resuming.put_aside(sink.folder, found)
        plan = make_live_plan(subjects, who, design, attainable=attainable, done=found.trials)
    memory = remembering.memory(sink.folder, reach, job.event, job.brings)
    rows = [remembering.with_spent(planned(item, plan, isolated=box.isolates), plan, memory) for item in subjects]
    remembering.refuse_spent(rows, plan)
    for line in rows:
        sink.add(line)
    for text in _opening(plan):
        say(text)
    analysis = remembering.charged(trialling.analysis_of(plan, settings), rows)
    with equipping.judging(plan, rig, believed=not job.brings(sink.folder.path / CACHE)) as judge:
        kit = equipping.equip(plan, rig, gateway, analysis, judge, found, sink)
        grades = kit.grades
        for row in found.fitting(trial.digest for trial in plan.trials):
            sink.add(row)

        def progress(event: live.Progress) -> None:
            if event.trial is not None:
                grades.trials[event.trial.digest] = event.trial

        looks = Looks(grades, say)
        ended = live.run(
            plan,
            kit.means,
            sink,
            run_id=sink.folder.key,
            done=found.trials,
            book=found.book,
            decided=looks.decided,
            on_progress=progress,
        )
        grades.decided(len(design.looks))
    if ended.stopped and ended.stopped != looks.reason:
        # A plan that was decided early is whole; one that was cut short says by what.
        sink.add(Skipped(tier=Tier.LIVE, skill=None, code=code_of(ended.stopped), because=ended.stopped))
    trials = list(grades.trials.values())
    for row in diagnosing.diagnosed(subjects, trials, grades.all_scores, analysis, sink.folder):
        sink.add(row)
    remembering.remember(job.event, plan, grades, analysis, memory, sink.folder, sink)


def _left(subject: Subject, error: UsageError, sink: OutputSink, say: Say) -> None:
    """One skill that cannot be planned; where only the change's own evals cannot, nothing that decides is missing."""
    say(f"live: {plain(error.message, 300)}: it is left out")
    if subject.side == "base":
        sink.add(Skipped(tier=Tier.LIVE, skill=subject.skill, code=error.code, because=error.message))


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What is not run of the changed skills' suites."""

    skills: list[Skipped] = field(default_factory=list)
    """Skills of which nothing is run, because the deciding side's suite or policy is at fault."""
    notes: list[str] = field(default_factory=list)
    """Cases and keys, each with its place."""


def subjects_of(job: Job, changes: ChangeSet, left: LeftOut | None = None) -> Iterator[Subject]:
    """The target branch's cases decide; the change's own, where they differ, are a second table.

    Raises:
        UsageError: a suite, its policy or its grader cannot be used, and there is no `left` to name its skill in.
    """
    for change in changes.skills:
        try:
            found = list(_of_change(job, changes, change, left or LeftOut()))
        except UsageError as error:
            if left is None:
                raise
            left.skills.append(Skipped(tier=Tier.LIVE, skill=change.path, code=error.code, because=error.message))
            continue
        kept = list(narrowed(found, job.consent.live))
        if found and not kept and left is not None:
            left.skills.append(Skipped(tier=Tier.LIVE, skill=change.path, code="no_case", because=NONE_NAMED))
        yield from kept


def _of_change(job: Job, changes: ChangeSet, change: SkillChange, left: LeftOut) -> Iterator[Subject]:
    after = None if change.how is How.DELETED else _read(job, changes.head, change.path)
    if after is None:
        return
    base = job.event.base_sha or changes.merge_base
    before = _before(job, changes, change)
    theirs = _read(job, base, change.previous_path or change.path) if base else None
    deciding = theirs.usable() if theirs is not None else None
    support = _support(job, changes, change)
    decided = deciding is not None and bool(deciding.cases)
    if decided and deciding is not None:
        left.notes.extend(deciding.notes)
        row = _subject(after.skill, before, deciding, support, "base", Trust.OWN)
        yield _with_fixtures(row, deciding.skill)
    try:
        own = after.usable()
    except UsageError as error:
        if not decided:
            raise
        left.notes.append(f"{error.message}: the change's own evals are not run")
        return
    if own.cases and (deciding is None or own.cases != deciding.cases):
        left.notes.extend(note for note in own.notes if note not in left.notes)
        row = _subject(after.skill, before, own, support, "head", job.event.trust)
        # One skill has one plan: where the target branch has cases, its policy is the one that counts.
        yield replace(row, attempts=deciding.attempts) if decided and deciding is not None else row


def _subject(
    after: Skill, before: Skill | None, suite: Parsed, support: Sequence[Skill], side: str, trust: Trust
) -> Subject:
    """The change's skill under one side's suite."""
    grader = grading.grader_for(suite.skill, suite.grading, trust=trust)
    verifiers = grading.verifiers_for(suite.skill, suite.cases, suite.grading, trust=trust)
    row = trialling.subject_of(after, before, suite.cases, support, side=side, grader=grader, verifiers=verifiers)
    return replace(row, attempts=suite.attempts)


def _read(job: Job, commit: str, root: str) -> Parsed | None:
    """A skill and its suite, parsed where nothing but values can come of it; None where there is none.

    Raises:
        UsageError: the process that read it died of it.
    """
    snapshot = snapshot_at(job.repository, commit, root)
    if snapshot is None:
        return None
    try:
        return job.reader.skill(SkillOf(snapshot=snapshot, cap=job.loaded.settings.live.attempts.looks[-1]))
    except DeliveryError as error:
        raise UsageError(
            f"{root} cannot be read: {error.at or error.message}", code="unreadable", path=root, do=error.do
        ) from None


def _before(job: Job, changes: ChangeSet, change: SkillChange) -> Skill | None:
    if change.how is How.ADDED or changes.merge_base == changes.head:
        return None
    found = _read(job, changes.merge_base, change.previous_path or change.path)
    return found.skill if found else None


def _support(job: Job, changes: ChangeSet, change: SkillChange) -> list[Skill]:
    """Neighbours that the policy names, as they are at the head, the same in every arm."""
    workspace = job.loaded.settings.live.workspace
    if workspace.mode == ISOLATED:
        return []
    found = (_read(job, changes.head, path) for path in workspace.include if path != change.path)
    return [item.skill for item in found if item is not None]


def _with_fixtures(subject: Subject, deciding: Skill) -> Subject:
    """The deciding side's fixtures outrank the change's: a case brings its own files."""

    own = {
        key: file.data
        for path, file in deciding.files.items()
        if file.data is not None
        for key in (path, deciding.path_of(path))
    }
    return replace(subject, fixtures={**subject.fixtures, **own})


def planned(subject: Subject, plan: TrialPlan, *, isolated: bool) -> Planned:
    """What is fixed of a subject before its first run, as evidence."""
    cases = {
        case.id: {"negative": case.trigger is False, "bucket": case.bucket.value if case.bucket else None}
        for case in subject.cases
    }
    return Planned(
        skill=subject.skill,
        side=subject.side,
        cases=cases,
        skills=plan.family,
        sandbox={item.harness: item.image for item in plan.contenders if item.image},
        isolated=isolated,
        network=plan.design.network,
        neighbours=tuple(skill.label for skill in staged_lineup(subject.lineup, plan.design.modes[0]).support),
        looks=() if subject.attempts is None else looks_of(subject, plan.design),
        arms=tuple(arm.value for arm in arms_of(subject, plan.design.arms)),
        agents=tuple((who.harness, who.model) for who in plan.contenders),
    )


@dataclass(slots=True)
class Looks:
    """Asks the statistics after every look, and tells what they said."""

    grades: grading.Grades
    say: Say
    reason: str | None = None
    """Why no further look is needed, as the statistics said it."""

    def decided(self, look: int) -> str | None:
        """A clause ends the run."""
        self.reason = self.grades.decided(look)
        self.say(f"look {look}: {len(self.grades.trials)} runs · {self.reason or 'not decided'}")
        return self.reason


def _opening(plan: TrialPlan) -> Iterator[str]:
    forecast = plan.forecast
    money = "price unknown" if forecast.usd_micros is None else f"about {forecast.usd_micros / 1e6:.2f} USD"
    if plan.design.network:
        yield f"live: sandboxes may reach {', '.join(plan.design.network)} beside the model"
    yield f"live: {forecast.trials} runs, {forecast.new} new ({money}, about {forecast.minutes:.0f} min)"
