"""`evals refine`: a reviewable diff of a drafted suite, from the results of a live run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from pathlib import Path

from aces_ci import compose
from aces_ci.authoring.create import TARGET, Draft, intent, rows_of, scripts_of
from aces_ci.authoring.refine import Agrees, merged, question, refine
from aces_ci.changes.worktree import Found
from aces_ci.core.errors import UsageError
from aces_ci.core.inert import plain
from aces_ci.core.score import Score
from aces_ci.core.suites.case import Case
from aces_ci.core.trace import file as trace_file
from aces_ci.core.trace.trajectory import Trajectory
from aces_ci.core.trial import Arm, Trial
from aces_ci.core.wire import read_lines
from aces_ci.jobs.draft import Order, asker_of, one_skill, write
from aces_ci.shell.files import Folder, read_bounded
from aces_ci.tiers.ask import Asker
from aces_ci.tiers.suite import read_suite

GOOD = 0.75
"""Outcome from which a run counts as good."""
EVIDENCE_LIMIT = 400_000_000
Say = Callable[[str], None]


def run(order: Order, results: Path, *, env: Mapping[str, str], out: Say, err: Say) -> int:
    """Show the diff; write it unless it is a dry run. Exit code 0.

    Raises:
        UsageError: no suite that `evals create` could have written, or no results of this skill.
    """
    found = one_skill(order.repo, order.path)
    skill = found.skill()
    before, start = rows_of(skill)
    suite = read_suite(found.files, compose.dialects(), skill_name=skill.name or skill.label)
    own = [case for case in suite.cases if case.provenance.startswith(f"{TARGET}#")]
    good = good_runs(results, found.root)
    with ExitStack() as stack:
        agrees = None
        if order.grounded:
            agrees = _agrees(stack.enter_context(closing(asker_of(order, env))), found)
        refined = [refine(case, good.get(case.id, ()), scripts_of(skill), agrees) for case in own]
    for one in refined:
        err(f"{'changed' if one.after else 'kept   '} {plain(one.case, 80)}: {plain(one.because, 200)}")
    changed = tuple(one.after for one in refined if one.after is not None)
    if not changed:
        return 0
    text = merged(before, start, own, refined)
    draft = Draft(path=TARGET, text=text, before=before, added=changed)
    out(draft.diff().rstrip("\n"))
    if not order.dry_run:
        write(draft, found, err)
    return 0


def good_runs(results: Path, root: str) -> dict[str, list[Trajectory]]:
    """Traces of good runs with the skill, by case.

    Raises:
        UsageError: there is no evidence, or none of this skill.
    """
    place = results if results.is_dir() else results.parent
    path = place / "evidence.jsonl" if results.is_dir() else results
    try:
        lines = read_bounded(path, limit=EVIDENCE_LIMIT).decode("utf-8", "replace").splitlines(keepends=True)
    except FileNotFoundError:
        raise UsageError(
            f"there is no evidence at {path}", code="no_evidence", do="give the --output folder of a live run"
        ) from None
    rows = list(read_lines(lines, source=str(path)))
    outcomes = {row.trial: row.value for row in rows if isinstance(row, Score) and row.metric == "outcome"}
    trials = [row for row in rows if isinstance(row, Trial) and row.skill == root]
    if not trials:
        raise UsageError(f"{path} holds no run of {root}", code="no_runs", do="aces-ci live, then refine")
    folder = Folder.at(place, cwd=Path.cwd())
    found: dict[str, list[Trajectory]] = {}
    for trial in trials:
        value = outcomes.get(trial.digest)
        if trial.arm is not Arm.WITH_SKILL or value is None or value < GOOD or not trial.trajectory:
            continue
        data = folder.read(trial.trajectory, limit=trace_file.BYTES_LIMIT)
        if data is not None:
            found.setdefault(trial.case, []).append(trace_file.read(data, source=trial.trajectory))
    return found


def _agrees(asker: Asker, found: Found) -> Agrees:
    author = intent(found.skill())

    def agrees(case: Case, answer: str) -> bool:
        reply = asker.ask([question(case, answer, author)])[0].reply or {}
        return reply.get("agrees") is True

    return agrees
