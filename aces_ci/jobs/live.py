"""`aces-ci live` from the command line to its last line: price, question, progress, looks, words."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TextIO

from aces_ci import agent_images, compose, diagnosing, equipping, goal_method, grading, resuming, trialling
from aces_ci.changes.git import Repository
from aces_ci.changes.load import skill_at
from aces_ci.changes.worktree import Found, search
from aces_ci.core.amount import in_micros
from aces_ci.core.errors import UsageError
from aces_ci.core.event import Trust
from aces_ci.core.evidence import Evidence
from aces_ci.core.inert import plain
from aces_ci.core.live_opening import opening
from aces_ci.core.plan import Contender, TrialPlan, make_live_plan
from aces_ci.core.scan.redact import Redactor
from aces_ci.core.skill import Skill
from aces_ci.core.trial import Trial
from aces_ci.jobs import live_report
from aces_ci.jobs.live_order import Wanted, settings_of
from aces_ci.live_screen import Board, Say, Teller, closing, command, resume_line
from aces_ci.ports.harness import Harness
from aces_ci.ports.sandbox import Sandbox
from aces_ci.settings.inputs import secrets_of
from aces_ci.settings.model import Settings
from aces_ci.shell.evidence_file import EvidenceFile
from aces_ci.shell.files import Folder
from aces_ci.shell.screen import drawn
from aces_ci.shell.zygote import Zygote
from aces_ci.statistics.power import attainable
from aces_ci.tiers import live
from aces_ci.tiers.choose_judge import NO_MODEL
from aces_ci.tiers.purse import Purse
from aces_ci.tiers.suite_chosen import chosen

EXIT_DECLINED = 2
"""Whoever answers no made no mistake, but a script that goes on must not take it for a pass."""
EXIT_SIGNALLED = 128
"""Beside the number of the signal: 130 for Ctrl-C, 143 for whoever ends jobs."""


def run(
    wanted: Wanted,
    *,
    env: Mapping[str, str],
    out: Say,
    err: Say,
    confirm: Callable[[str], bool] | None,
    screen: TextIO | None = None,
) -> int:
    """The exit code. `confirm` None: there is no terminal to ask at. `screen`: one that frames can be drawn on.

    Raises:
        UsageError: before anything is spent.
    """
    # A path that is not there is told first: no key would mend it.
    picked = () if wanted.pull_only else search(wanted.repo, wanted.paths).found
    settings = settings_of(wanted, env)
    sandbox = compose.sandbox(settings.live.sandbox.backend)
    harnesses = compose.harnesses()
    if wanted.pull_only:
        return _pulled(settings, harnesses, sandbox, env, out)
    reach = trialling.access(env, trialling.server_of(settings, wanted.provider_url), in_container=sandbox.isolates)
    redactor = Redactor([*secrets_of(env), *reach.secrets.keys.values()])
    folder = Folder.at(wanted.output, cwd=Path.cwd(), redact=redactor.redact)
    with folder.held(), _whole_command(wanted), ExitStack() as until_the_end:
        sink = EvidenceFile(folder)
        found = resuming.earlier(folder)
        done = found.trials
        _ask_about_leftovers(wanted, done)
        cap = wanted.max_usd if wanted.max_usd is not None else settings.budget.usd
        rig = equipping.Rig(
            settings=settings,
            env=env,
            folder=folder,
            sandbox=sandbox,
            harnesses=harnesses,
            reach=reach,
            purse=Purse(in_micros(cap), found.book.total),
        )
        equipping.affordable(rig, found, err)
        own = agent_images.environment_of((item.skill() for item in picked), Trust.OWN)
        gateway = agent_images.gateway_of(sandbox, env)
        images = agent_images.images_for(settings, harnesses, sandbox, env=env, environment=own)
        who = trialling.contenders(settings, harnesses, reach, images)
        plan = _plan(wanted, settings, who, done, err)
        found = resuming.beside(found, plan)
        if found.trials != done:
            done = found.trials
            plan = _plan(wanted, settings, who, done, lambda text: None)
        _say_all(err, opening(plan, cap, sandbox.isolates, equipping.left_micros(rig, found), done))
        judge = until_the_end.enter_context(equipping.judging(plan, rig))
        if not _agreed(wanted, confirm, err):
            return EXIT_DECLINED
        analysis = trialling.analysis_of(plan, settings)
        kit = equipping.equip(plan, rig, gateway, analysis, judge, found, sink)
        grades, means = kit.grades, kit.means
        zygote, started = until_the_end.enter_context(Zygote()), time.monotonic()
        head = live_report.begun(
            wanted,
            settings,
            plan,
            picked,
            _previous(wanted, picked),
            zygote,
            cap=cap,
            isolated=sandbox.isolates,
        )
        resuming.begin(folder, found, [*head, *found.fitting(trial.digest for trial in plan.trials)])
        drawing = screen if wanted.quiet < 1 else None
        say = err if wanted.quiet < 1 and drawing is None else (lambda line: None)
        before = found.book.total
        board = Board(plan, done=done, cap_micros=means.budget.usd_micros, paid_micros=before)
        stop = threading.Event()
        teller = Teller(plan, analysis, grades, board, say, stop)

        told: list[int] = []
        until_the_end.enter_context(interruptible(stop, told))
        # A second Ctrl-C leaves here: what was written down is kept as after the first.
        with suppress(KeyboardInterrupt), _shown(drawing, board, env):
            ended = live.run(
                plan,
                means,
                sink,
                run_id=folder.key,
                done=done,
                book=found.book,
                decided=teller.decided,
                on_progress=teller.progress,
                stop=stop,
            )
        if stop.is_set():
            err("interrupted; everything is kept")
            err(resume_line(wanted.paths, wanted.again()))
            return EXIT_SIGNALLED + told[0]
        rows = chain(
            diagnosing.diagnosed(plan.subjects, list(grades.trials.values()), grades.all_scores, analysis, folder),
            live_report.ended(ended.stopped, teller.reason, time.monotonic() - started),
        )
        words = closing(plan, teller.summaries(), ended, wanted.output, done=done, before_micros=before)
        return _concluded(
            rows, words, sink, out, lambda: live_report.write(sink.read(), folder, settings.comment.key, zygote)
        )


def _concluded(
    rows: Iterable[Evidence], words: Iterable[str], sink: EvidenceFile, out: Say, report: Callable[[], None]
) -> int:
    """The evidence's last lines, the words, then the report; the last word says where it is."""
    for row in rows:
        sink.add(row)
    *first, last = words
    _say_all(out, first)
    report()
    out(last)
    return 0


def _pulled(
    settings: Settings, harnesses: Mapping[str, Harness], sandbox: Sandbox, env: Mapping[str, str], out: Say
) -> int:
    out(f"gateway: {agent_images.gateway_of(sandbox, env).digest or 'a process of this installation'}")
    for name, image in agent_images.images_for(settings, harnesses, sandbox, env=env).items():
        out(f"{name}: {image}")
    if settings.live.goal_accuracy == (worker := compose.goal_worker()).name:
        out(f"{worker.name}: {' '.join(goal_method.environment(worker, sandbox, env, build=True)).strip()}")
    return 0


def _plan(
    wanted: Wanted, settings: Settings, contenders: Sequence[Contender], done: Mapping[str, Trial], err: Say
) -> TrialPlan:
    found = search(wanted.repo, wanted.paths).found
    if not found:
        raise UsageError("there is no skill to run", code="no_skill", do="name a folder that holds SKILL.md")
    before = _previous(wanted, found)
    design = trialling.narrowed(trialling.design_of(settings), attempts=wanted.attempts, arms=wanted.arms)
    include = set(settings.live.workspace.include)
    support = [item.skill() for item in search(wanted.repo, ()).found if item.root in include] if include else []
    subjects = []
    for item in found:
        skill = item.skill()
        called = skill.name or skill.label
        own = chosen(item.root, item.files, compose.dialects(), skill_name=called, cap=design.looks[-1])
        cases = list(own.cases)
        for note in own.notes:
            err(plain(note, 300))
        if wanted.cases:
            missing = sorted(set(wanted.cases) - {case.id for case in cases})
            if missing:
                raise UsageError(
                    f"{item.root} has no case `{missing[0]}`", code="no_case", do="see evals validate --cases"
                )
            cases = [case for case in cases if case.id in wanted.cases]
        neighbours = [other for other in support if other.root != item.root]
        mode = grading.mode_of(skill)
        grader, verifiers = grading.grader_for(skill, mode), grading.verifiers_for(skill, cases, mode)
        previous = before.get(item.root)
        row = trialling.subject_of(skill, previous, cases, neighbours, grader=grader, verifiers=verifiers)
        subjects.append(replace(row, attempts=own.attempts))
    fresh = [digest for digest, trial in done.items() if not trial.missing]
    return make_live_plan(subjects, contenders, design, attainable=attainable, done=fresh)


def _previous(wanted: Wanted, found: tuple[Found, ...]) -> dict[str, Skill]:
    """The skills at the merge base, from git objects; none without a base."""
    if wanted.base is None:
        return {}
    with Repository.open(wanted.repo, "live") as repository:
        base = repository.merge_base(repository.resolve(wanted.base), repository.resolve("HEAD"))
        rows = {item.root: skill_at(repository, base, item.root) for item in found}
    return {root: skill for root, skill in rows.items() if skill is not None}


def _ask_about_leftovers(wanted: Wanted, done: Mapping[str, Trial]) -> None:
    if done and not wanted.resume:
        raise UsageError(
            f"{wanted.output} holds {len(done)} runs of an earlier start",
            code="leftovers",
            why="they would count into this one without being asked for",
            do="add --resume to reuse what still fits, or choose another --output",
        )


def _say_all(say: Say, lines: Iterable[str]) -> None:
    for line in lines:
        say(line)


def _agreed(wanted: Wanted, confirm: Callable[[str], bool] | None, err: Say) -> bool:
    """Raises UsageError: there is nobody to ask."""
    if wanted.yes or (confirm is None and wanted.max_usd is not None):
        return True
    if confirm is None:
        raise UsageError(
            "this spends money, and there is no terminal to ask at",
            code="unconfirmed",
            do="add --yes, or a cap: --max-usd 5",
        )
    if yes := confirm("Start?"):
        return yes
    err("not started; nothing was spent")
    return False


@contextmanager
def _whole_command(wanted: Wanted) -> Iterator[None]:
    """Where the judge's model is missing, the command that names it: it is no option of this command's own."""
    try:
        yield
    except UsageError as error:
        if error.code == NO_MODEL:
            error.do = command(wanted.paths, wanted.again(), "--set", "judge.model=NAME")
        raise


def _shown(screen: TextIO | None, board: Board, env: Mapping[str, str]) -> AbstractContextManager[None]:
    return drawn(screen, board.lines, env) if screen else nullcontext()


@contextmanager
def interruptible(stop: threading.Event, told: list[int]) -> Iterator[None]:
    """Ctrl-C once: nothing new starts, running agents are killed, everything is kept. Twice: nothing is waited for.

    `told` takes the numbers of the signals.
    """
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def interrupted(number: int, _: object) -> None:
        told.append(number)
        stop.set()
        # A third would interrupt the cleaning up, and leave threads that wait for ever.
        if len(told) == 2:
            raise KeyboardInterrupt

    for number in before:
        signal.signal(number, interrupted)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
