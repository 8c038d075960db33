"""The word of one skill on one side's evals, and whether going on is worth it: what report and engine both ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from aces_ci.core.estimate import Contrast
from aces_ci.core.lift import Value, outcomes, table
from aces_ci.core.live import Unfair, Word
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.score import Score
from aces_ci.core.trial import Arm, Trial
from aces_ci.tiers.contrast import ARMS, Tested, evaluate
from aces_ci.tiers.fairness import Reason, unfair
from aces_ci.tiers.strata import Slots, slots
from aces_ci.tiers.words import word

GROUP, ISOLATED = "group", "isolated"
INFORM_ONLY = frozenset({Unfair.STORED, Unfair.UNVERIFIED})
VERSIONS = {
    Arm.WITH_SKILL: "this change",
    Arm.PREVIOUS: "the version on the base",
    Arm.BASELINE: "agents without the skill",
}
"""Arms as the object of a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The word of one skill on one side's evals, and what it rests on."""

    basis: Contrast
    word: Word
    because: str
    tested: Mapping[Contrast, Tested]
    reasons: Mapping[Contrast, tuple[Reason, ...]]
    """Why a contrast is not fair, or may only inform."""

    @property
    def main(self) -> Tested | None:
        """The contrast that decides; None where only one arm ran."""
        return self.tested.get(self.basis)


def decide(held: Slots, scores: Sequence[Score], values: Mapping[str, Value], plan: LivePlan) -> Decision:
    """The word: *change* decides where the plan compares with a previous version, else *lift*. What the engine asks
    after every look.

    An arm that was planned and never ran leaves no verdict: a difference that nobody measured is not replaced by
    another one.
    """
    expected = plan.arms or tuple(arm for arm in Arm if held.by_arm.get(arm))
    basis = Contrast.CHANGE if Arm.PREVIOUS in expected else Contrast.LIFT
    tested: dict[Contrast, Tested] = {}
    reasons: dict[Contrast, tuple[Reason, ...]] = {}
    for contrast in (basis, Contrast.LIFT):
        arms = ARMS[contrast]
        if contrast in tested or not all(held.by_arm.get(arm) for arm in arms):
            continue
        upto = tested[basis].looks.look or None if basis in tested else None
        tested[contrast] = evaluate(held, contrast, values, plan, upto)
        both = [trial for arm in arms for trial in held.trials(arm)]
        reasons[contrast] = unfair(both, scores, tested[contrast].missing)
    absent = [arm for arm in ARMS[basis] if arm in expected and not held.by_arm.get(arm)]
    if absent:
        names = " and of ".join(VERSIONS[arm] for arm in absent)
        reasons[basis] = ((Unfair.ABSENT, f"no run came of {names}, so nothing can be said of the change"),)
        said, because = Word.NO_VERDICT, reasons[basis][0][1]
    elif basis not in tested:
        said, because = Word.CANNOT_TELL, "only one arm has run"
    else:
        blocking = [reason for reason in reasons[basis] if reason[0] is not Unfair.UNVERIFIED]
        said, because = word(tested[basis], blocking, plan)
    return Decision(basis=basis, word=said, because=because, tested=tested, reasons=reasons)


def stop_reason(trials: Sequence[Trial], scores: Sequence[Score], plan: LivePlan) -> str | None:
    """Why no further look is needed, or None: what the engine asks when all trials of a look are there.

    Decided, unfair beyond repair, or not expected to settle it (futility is non-binding: going on costs money, not
    error). Only the deciding side is read. Of several skills every one must have a reason.
    """
    skills = list(dict.fromkeys(trial.skill for trial in trials))
    reasons = []
    for skill in skills:
        own = [trial for trial in trials if trial.skill == skill]
        known = {trial.case for trial in own}
        cases = plan.cases if len(skills) == 1 else {name: case for name, case in plan.cases.items() if name in known}
        reasons.append(_stop(own, scores, replace(plan.for_skill(skill), cases=cases)))
    if not reasons or any(reason is None for reason in reasons):
        return None
    return "; ".join(dict.fromkeys(reason for reason in reasons if reason is not None))


def deciding_mode(trials: Sequence[Trial], plan: LivePlan) -> str:
    """The workspace whose trials decide, where two ran: the plan's, else the group's."""
    modes = dict.fromkeys(trial.mode for trial in trials) or {plan.mode or GROUP: None}
    return plan.mode if plan.mode in modes else GROUP if GROUP in modes else next(iter(modes))


def _stop(trials: Sequence[Trial], scores: Sequence[Score], plan: LivePlan) -> str | None:
    side = [trial for trial in trials if trial.side == "base"] or list(trials)
    mode = deciding_mode(side, plan)
    side = [trial for trial in side if trial.mode == mode]
    values = outcomes(side, table(scores))
    found = decide(slots(side, plan.cap), scores, values, plan)
    if found.main is None or not found.main.looks.look:
        return None
    if found.word in (Word.IMPROVED, Word.REGRESSED, Word.NO_DIFFERENCE):
        return f"decided: {found.word.value.replace('_', ' ')}"
    if found.main.looks.crossed is not None:
        return found.because
    foul = [kind for kind, _ in found.reasons[found.basis] if kind not in INFORM_ONLY and kind is not Unfair.MISSING]
    if foul:
        return found.because
    if found.main.looks.hopeless:
        return found.because
    return "not expected to settle it" if found.main.looks.futile else None
