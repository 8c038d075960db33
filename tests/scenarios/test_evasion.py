"""A skill that truly costs 50 points, and an author who would rather nobody knew: each way out has a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

import pytest

from aces_ci.core.event import Trust
from aces_ci.core.evidence import Evidence, Planned, RunEnded, Structure
from aces_ci.core.gate_evals import EvalsSide, weakening
from aces_ci.core.score import Score
from aces_ci.core.suites.case import Case, Check, CheckKind, Role
from aces_ci.core.trial import Arm, Ending, Flag, Trial
from aces_ci.forges._links import PageLinks
from aces_ci.ports.renderer import Place
from aces_ci.renderers.comment import RENDERER
from aces_ci.tiers.assemble import assemble
from tests.builders import SKILL, a_changed_skill, a_comparison, a_run, an_event

SEEDS = range(3)
CASES = tuple(f"case-{number}" for number in range(1, 6))
Evidences = tuple[list[Trial], list[Score]]


def honest(seed: int) -> Evidences:
    """5 cases x 8 attempts: with_skill at .3, main at .8."""
    rng = Random(seed)

    def arm(rate: float) -> dict[str, list[float | None]]:
        return {case: [float(rng.random() < rate) for _ in range(8)] for case in CASES}

    return a_comparison({Arm.WITH_SKILL: arm(0.3), Arm.PREVIOUS: arm(0.8), Arm.BASELINE: arm(0.3)})


def of_arm(trials: Sequence[Trial], arm: Arm, change: Callable[[Trial], Trial]) -> list[Trial]:
    return [change(trial) if trial.arm is arm else trial for trial in trials]


def without(scores: Sequence[Score], trials: Sequence[Trial]) -> list[Score]:
    gone = {trial.digest for trial in trials}
    return [score for score in scores if score.trial not in gone]


def times_out(trials: list[Trial], scores: list[Score]) -> Evidences:
    """The skill tells the agent to wait until the limit."""
    late = of_arm(trials, Arm.WITH_SKILL, lambda t: replace(t, ending=Ending.TIMED_OUT))
    return late, without(scores, [t for t in late if t.ending is Ending.TIMED_OUT])


def runs_out_of_memory(trials: list[Trial], scores: list[Score]) -> Evidences:
    dead = of_arm(trials, Arm.WITH_SKILL, lambda t: replace(t, ending=Ending.AGENT_FAILED, because="out of memory"))
    return dead, without(scores, [t for t in dead if t.ending is Ending.AGENT_FAILED])


def contaminates_main(trials: list[Trial], scores: list[Score]) -> Evidences:
    return of_arm(trials, Arm.PREVIOUS, lambda t: replace(t, flags=(Flag.CONTAMINATED,))), scores


def forges_turns(trials: list[Trial], scores: list[Score]) -> Evidences:
    return of_arm(trials, Arm.WITH_SKILL, lambda t: replace(t, flags=(Flag.TAMPERED,))), scores


def forges_one_turn(trials: list[Trial], scores: list[Score]) -> Evidences:
    first = next(t for t in trials if t.arm is Arm.WITH_SKILL)
    return [replace(t, flags=(Flag.TAMPERED,)) if t is first else t for t in trials], scores


def loses_its_failures(trials: list[Trial], scores: list[Score]) -> Evidences:
    """Failed runs of the new skill look like a broken provider."""
    failed = {s.trial for s in scores if s.value == 0.0}
    lost = [
        replace(t, ending=Ending.INFRA_FAILED, because="connection lost")
        if t.arm is Arm.WITH_SKILL and t.digest in failed
        else t
        for t in trials
    ]
    return lost, without(scores, [t for t in lost if t.missing])


def loses_a_few_failures(trials: list[Trial], scores: list[Score]) -> Evidences:
    """Just under the fifth that makes a run invalid."""
    failed = {s.trial for s in scores if s.value == 0.0}
    doomed = [t.digest for t in trials if t.arm is Arm.WITH_SKILL and t.digest in failed][:15]
    lost = [replace(t, ending=Ending.INFRA_FAILED) if t.digest in doomed else t for t in trials]
    return lost, without(scores, [t for t in lost if t.missing])


def makes_the_judge_refuse(trials: list[Trial], scores: list[Score]) -> Evidences:
    mine = {t.digest for t in trials if t.arm is Arm.WITH_SKILL}
    return trials, [replace(s, value=None, because="the judge refused") if s.trial in mine else s for s in scores]


def drains_the_budget(trials: list[Trial], scores: list[Score]) -> Evidences:
    return [t for t in trials if t.attempt <= 2], scores


def hides_the_gateway(trials: list[Trial], scores: list[Score]) -> Evidences:
    return of_arm(trials, Arm.WITH_SKILL, lambda t: replace(t, flags=(Flag.UNVERIFIED,))), scores


def uses_an_old_main(trials: list[Trial], scores: list[Score]) -> Evidences:
    return of_arm(trials, Arm.PREVIOUS, lambda t: replace(t, recorded="2026-11-20")), scores


def answers_from_another_model(trials: list[Trial], scores: list[Score]) -> Evidences:
    return of_arm(trials, Arm.WITH_SKILL, lambda t: replace(t, resolved_model="stronger")), scores


def is_offered_other_tools(trials: list[Trial], scores: list[Score]) -> Evidences:
    return of_arm(trials, Arm.WITH_SKILL, lambda t: replace(t, flags=(Flag.UNEQUAL_TOOLS,))), scores


def keeps_main_from_running(trials: list[Trial], scores: list[Score]) -> Evidences:
    return [t for t in trials if t.arm is not Arm.PREVIOUS], scores


def keeps_its_worst_cases_from_running(trials: list[Trial], scores: list[Score]) -> Evidences:
    return [t for t in trials if t.arm is not Arm.WITH_SKILL or t.case in CASES[:2]], scores


def is_graded_by_another_judge(trials: list[Trial], scores: list[Score]) -> Evidences:
    mine = {t.digest for t in trials if t.arm is Arm.WITH_SKILL}
    return trials, [replace(s, method="kinder/judge") if s.trial in mine else s for s in scores]


def brings_its_own_evals(trials: list[Trial], scores: list[Score]) -> Evidences:
    """The head's evals say that all is well; the base side's still decide."""
    mine, graded = a_comparison(
        {Arm.WITH_SKILL: dict.fromkeys(CASES, [1.0] * 8), Arm.PREVIOUS: dict.fromkeys(CASES, [0.0] * 8)}, side="head"
    )
    return trials + mine, scores + graded


def nothing(trials: list[Trial], scores: list[Score]) -> Evidences:
    return trials, scores


EVASIONS = (
    nothing,
    times_out,
    runs_out_of_memory,
    contaminates_main,
    forges_turns,
    forges_one_turn,
    loses_its_failures,
    loses_a_few_failures,
    makes_the_judge_refuse,
    drains_the_budget,
    hides_the_gateway,
    uses_an_old_main,
    answers_from_another_model,
    is_offered_other_tools,
    keeps_main_from_running,
    keeps_its_worst_cases_from_running,
    is_graded_by_another_judge,
    brings_its_own_evals,
)
MUST_BLOCK = {times_out, runs_out_of_memory, contaminates_main, forges_turns, forges_one_turn}


def published(
    trials: list[Trial], scores: list[Score], extra: Sequence[Evidence] = (), trust: Trust = Trust.OWN
) -> tuple[int, str]:
    lines: list[Evidence] = [
        a_run(event=an_event(trust=trust)),
        a_changed_skill(),
        Structure(skill=SKILL, conformant=True, score=90),
    ]
    report = assemble([*lines, *trials, *scores, *extra, RunEnded()])
    place = Place(links=PageLinks(server_url="https://github.com"), forge="github")
    return report.verdict.exit_code, RENDERER.render(report, place)


def warns(text: str) -> bool:
    """A heading that is not a tick, or a line that names the gate."""
    heading = text.split("\n")[1]
    return not heading.startswith("### ✅") or bool(re.search(r"\*\*(?:Warning|Gate not decided)\*\*", text))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("evasion", EVASIONS, ids=lambda e: e.__name__)
def test_no_way_out_ends_in_silence(evasion: Callable[[list[Trial], list[Score]], Evidences], seed: int) -> None:
    exit_code, text = published(*evasion(*honest(seed)))
    assert exit_code != 0 or warns(text), text[:600]
    heading = text.split("\n")[1]
    assert "improved" not in heading, "a loss was washed away"
    if evasion in MUST_BLOCK:
        assert exit_code == 1, text[:600]


def test_the_honest_run_blocks_nearly_always() -> None:
    blocked = sum(published(*honest(seed))[0] == 1 for seed in range(20))
    assert blocked >= 18


@pytest.mark.parametrize("seed", SEEDS)
def test_running_again_does_not_wash_a_loss_away(seed: int) -> None:
    """Five reruns, the trials of each lost: the alpha that is left still finds a loss of 50 points, or says so."""
    for again in range(5):
        trials, scores = honest(100 * seed + again)
        row = Planned(skill=SKILL, cases={case: {} for case in CASES}, spent=(0.02, 0.02))
        exit_code, text = published(trials, scores, [row])
        assert exit_code == 1 or warns(text)
        assert "spent by an earlier run of this comparison" in text


def test_removed_and_weakened_cases_block_a_fork_and_warn_on_own_branches() -> None:
    check = Check(id="total", kind=CheckKind.CONTAINS, role=Role.OUTCOME, args={"text": "42"})
    base = EvalsSide(
        cases=[Case(id="a", prompt="p", checks=(check,), reference="r"), Case(id="b", prompt="q")],
        graders={"evals/grader.py": "1"},
    )
    ways = {
        "case b is gone": EvalsSide(cases=base.cases[:1], graders=base.graders),
        "check total is gone": EvalsSide(
            cases=[replace(base.cases[0], checks=()), base.cases[1]], graders=base.graders
        ),
        "check total is changed": EvalsSide(
            cases=[replace(base.cases[0], checks=(replace(check, args={"text": ""}),)), base.cases[1]],
            graders=base.graders,
        ),
        "its prompt is changed": EvalsSide(
            cases=[replace(base.cases[0], prompt="easier"), base.cases[1]], graders=base.graders
        ),
        "its reference answer is gone": EvalsSide(
            cases=[replace(base.cases[0], reference=None), base.cases[1]], graders=base.graders
        ),
        "attempts lowered from the plan's to 1": EvalsSide(cases=base.cases, attempts=1, graders=base.graders),
        "evals/grader.py is changed": EvalsSide(cases=base.cases, graders={"evals/grader.py": "2"}),
        "evals/grader.py is gone": EvalsSide(cases=base.cases),
    }
    for clause, head in ways.items():
        found = weakening(base, head, skill=SKILL, path=f"{SKILL}/evals/evals.json")
        assert any(clause in finding.message for finding in found), clause
        same = a_comparison(
            {Arm.WITH_SKILL: dict.fromkeys(CASES, [1.0] * 8), Arm.PREVIOUS: dict.fromkeys(CASES, [1.0] * 8)}
        )
        assert published(*same, found, Trust.FORK)[0] == 1
        exit_code, text = published(*same, found)
        assert exit_code == 0 and "**Warning** · `evals`" in text
    assert (
        weakening(
            base,
            EvalsSide(cases=[*base.cases, Case(id="c", prompt="more")], graders=base.graders),
            skill=SKILL,
            path="x",
        )
        == ()
    )
